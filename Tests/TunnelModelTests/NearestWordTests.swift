import Testing
import TunnelModel

@Suite struct NearestWordTests {
    private static let verbs = ["start", "status", "stop", "save", "load", "enroll", "providers"]

    @Test(arguments: [
        ("strat", "start"),  // neighbours exchanged
        ("stat", "start"),  // one edit, before the longer prefix match with "status"
        ("sttop", "stop"),
        ("sav", "save"),
        ("loda", "load"),
        ("LOAD", "load"),
        ("enrol", "enroll"),
        ("enrollment", "enroll"),  // the candidate is a prefix of the word
        ("prov", "providers"),  // the word is a prefix of the candidate
        ("provdiers", "providers"),
        ("porvidres", "providers"),
        ("lead", "load"),
    ])
    func finds(word: String, expected: String) {
        #expect(nearestWord(to: word, in: Self.verbs) == expected)
    }

    @Test(arguments: ["", "x", "st", "=", "-", "frobnicate", "sat-nav", "öäü", "lxxd", "\u{0}"])
    func findsNothing(word: String) {
        #expect(nearestWord(to: word, in: Self.verbs) == nil)
    }

    @Test func shortWordsNeedALetterInCommon() {
        #expect(nearestWord(to: "x", in: ["y", ""]) == nil)
        #expect(nearestWord(to: "x", in: ["y", "X"]) == "X")
        #expect(nearestWord(to: "", in: ["a", ""]) == nil)
        #expect(nearestWord(to: "ab", in: ["cd", "ba"]) == "ba")
    }

    @Test func tiesAreBrokenByBeginningThenAlphabet() {
        #expect(nearestWord(to: "wait", in: ["bait", "wain"]) == "wain")
        #expect(nearestWord(to: "cat", in: ["rat", "bat", "hat"]) == "bat")
        #expect(nearestWord(to: "Ab", in: ["ab", "aB"]) == "aB")
    }

    @Test func theOrderOfCandidatesDoesNotMatter() {
        for word in ["stat", "sta", "cat", "sa", "loadd", "pro"] {
            let first = nearestWord(to: word, in: Self.verbs)
            #expect(nearestWord(to: word, in: Self.verbs.reversed()) == first)
            #expect(nearestWord(to: word, in: Set(Self.verbs)) == first)
        }
    }

    @Test func aVeryLongWordIsCheap() {
        let long = String(repeating: "a", count: 1_000_000)
        #expect(nearestWord(to: long, in: Self.verbs) == nil)
        #expect(nearestWord(to: "start" + long, in: Self.verbs) == "start")
    }

    @Test func noCandidatesNoAnswer() {
        #expect(nearestWord(to: "start", in: [String]()) == nil)
    }
}
