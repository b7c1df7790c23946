import Glibc
import JSON
import LinuxSystem
import Testing
import TunnelModel

@Suite struct ResolverProcessTests {
    private typealias Record = Question.Record
    private static let name = "vpn.example.org"
    private static let v4 = Record.address(name, "192.0.2.1")
    private static let v6 = Record.address(name, "2001:db8::1")

    @Test func bothFamiliesAreAskedFor() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in [question.answer([Self.v4, Self.v6])] }
        try run.resolve([Self.name], [server])
        #expect(run.addresses(of: Self.name) == ["192.0.2.1", "2001:db8::1"])
        #expect(Set(server.questions.map(\.type)) == [Question.typeA, Question.typeAAAA])
        #expect(server.questions.allSatisfy { $0.name == Self.name })
        #expect(run.exit == .status(0))
    }

    @Test func oneFamilyIsEnough() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in
            if question.name == "six.example.org" {
                return [question.answer([.address("six.example.org", "2001:db8::6")])]
            }
            return [question.answer([Self.v4], code: question.isA ? 0 : 2)]
        }
        try run.resolve(["six.example.org", Self.name], [server])
        #expect(run.addresses(of: "six.example.org") == ["2001:db8::6"])
        #expect(run.addresses(of: Self.name) == ["192.0.2.1"])
    }

    @Test func aliasesAreFollowedWithinTheAnswer() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in
            [
                question.answer([
                    .alias(Self.name, "a.example.net"), .alias("a.example.net", "b.example.net"),
                    .address("b.example.net", "192.0.2.7"), .address("b.example.net", "192.0.2.8"),
                    .address("b.example.net", "192.0.2.7"),
                ])
            ]
        }
        try run.resolve([Self.name], [server])
        #expect(run.addresses(of: Self.name) == ["192.0.2.7", "192.0.2.8"])
    }

    @Test func aNameThatIsNotThereAsksNobodyElse() throws {
        let run = try ResolverRun()
        let first = try run.server { question, _ in [question.answer(code: 3)] }
        let second = try run.server { question, _ in [question.answer([Self.v4])] }
        try run.resolve([Self.name], [first, second])
        #expect(run.failure(of: Self.name) == "no such host")
        #expect(second.questions.isEmpty)
        #expect(run.exit == .status(0))
    }

    @Test func aNameWithoutAddressesSaysSo() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in [question.answer()] }
        try run.resolve([Self.name], [server])
        #expect(run.failure(of: Self.name) == "the name has no usable address")
    }

    @Test func addressesThatAreNoServersAreDropped() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in
            [
                question.answer([
                    .address(Self.name, "0.0.0.0"), .address(Self.name, "224.0.0.1"),
                    .address(Self.name, "::ffff:192.0.2.1"), .address(Self.name, "::"),
                ])
            ]
        }
        try run.resolve([Self.name], [server])
        #expect(run.failure(of: Self.name) == "the name has no usable address")
    }

    @Test(arguments: [2, 4, 5] as [UInt8])
    func aServerThatFailsIsFollowedByTheNext(code: UInt8) throws {
        let run = try ResolverRun()
        let first = try run.server { question, _ in [question.answer(code: code)] }
        let second = try run.server { question, _ in [question.answer([Self.v4])] }
        try run.resolve([Self.name], [first, second])
        #expect(run.addresses(of: Self.name) == ["192.0.2.1"])
        #expect(!first.questions.isEmpty)
    }

    @Test func serversThatAllFailSaySo() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in [question.answer(code: 2)] }
        try run.resolve([Self.name], [server])
        #expect(run.failure(of: Self.name) == "no usable answer from 127.0.0.1")
    }

    @Test func aSilentServerIsFollowedByTheNext() throws {
        let run = try ResolverRun()
        let first = try run.server { _, _ in [] }
        let second = try run.server { question, _ in [question.answer([Self.v4, Self.v6])] }
        try run.resolve([Self.name], [first, second], timeout: 3000)
        #expect(run.addresses(of: Self.name) == ["192.0.2.1", "2001:db8::1"])
    }

    @Test func whatDoesNotFitComesByStream() throws {
        let run = try ResolverRun()
        let records = (0..<300).map {
            Record.address(Self.name, "10.0.\($0 / 250).\($0 % 250 + 1)")
        }
        var streams = 0
        let server = try run.server { question, transport in
            if transport == .stream { streams += 1 }
            return [
                question.answer(
                    transport == .stream ? records : [], truncated: transport == .datagram)
            ]
        }
        try run.resolve([Self.name], [server])
        #expect(run.addresses(of: Self.name)?.count == ResolverReply.mostAddresses)
        #expect(streams > 0)
    }

    @Test func withoutAStreamSocketWhatDoesNotFitFails() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in [question.answer(truncated: true)] }
        try run.resolve([Self.name], [server], streams: 0)
        #expect(run.failure(of: Self.name) != nil)
        #expect(run.exit == .status(0))
    }

    @Test func answersToNoQuestionAreIgnored() throws {
        let run = try ResolverRun()
        let false4 = Record.address(Self.name, "203.0.113.66")
        let server = try run.server { question, _ in
            [
                [], [0], [UInt8](repeating: 0xFF, count: 300),
                question.answer([false4], id: question.id &+ 1),
                question.answer([false4], section: question.section(for: "other.example.org")),
                question.answer([Self.v4, Self.v6]),
            ]
        }
        try run.resolve([Self.name], [server])
        #expect(run.addresses(of: Self.name) == ["192.0.2.1", "2001:db8::1"])
    }

    @Test func cutAnywhereAnAnswerDoesNoHarm() throws {
        let whole = 15 + Self.name.utf8.count * 2 + 60
        for length in stride(from: 0, to: whole, by: 9) {
            let run = try ResolverRun()
            let server = try run.server { question, _ in
                let answer = question.answer([.alias(Self.name, "a.example.net"), Self.v4, Self.v6])
                return [Array(answer.prefix(length))]
            }
            try run.resolve([Self.name], [server], timeout: 100)
            #expect(run.replies[Self.name] != nil)
            #expect(run.exit == .status(0))
        }
    }

    @Test func silenceEndsWithinTheTimeout() throws {
        let run = try ResolverRun()
        let server = try run.server { _, _ in [] }
        let start = Clock.monotonicNanoseconds
        try run.resolve([Self.name, "b.example.org"], [server], timeout: 700)
        let milliseconds = (Clock.monotonicNanoseconds - start) / 1_000_000
        #expect((700..<3000).contains(milliseconds))
        #expect(run.failure(of: Self.name) == "no answer from 127.0.0.1")
        #expect(run.failure(of: "b.example.org") == "no answer from 127.0.0.1")
        #expect(server.questions.count > 4)
    }

    @Test func halfOfTheAnswerCountsAtTheTimeout() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in
            question.isA ? [question.answer([Self.v4])] : []
        }
        try run.resolve([Self.name], [server], timeout: 500)
        #expect(run.addresses(of: Self.name) == ["192.0.2.1"])
    }

    @Test func theHostsFileGoesFirst() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in [question.answer([Self.v4])] }
        try run.resolve(
            ["Gateway.example.org", Self.name], [server],
            hosts: "2001:db8::5 gateway.example.org\n192.0.2.5 x gateway.example.org\n")
        #expect(run.addresses(of: "Gateway.example.org") == ["2001:db8::5", "192.0.2.5"])
        #expect(run.addresses(of: Self.name) == ["192.0.2.1"])
        #expect(server.questions.allSatisfy { $0.name == Self.name })
    }

    @Test func literalsAreThemselves() throws {
        let run = try ResolverRun()
        try run.resolve(["192.0.2.9", "2001:db8::9"])
        #expect(run.addresses(of: "192.0.2.9") == ["192.0.2.9"])
        #expect(run.addresses(of: "2001:db8::9") == ["2001:db8::9"])
        #expect(run.exit == .status(0))
    }

    @Test func whatCannotBeAskedFails() throws {
        let run = try ResolverRun()
        try run.resolve([Self.name, "not a name", "host:53", "1.2.3", ""])
        #expect(run.failure(of: Self.name) == "no resolver is configured")
        for name in ["not a name", "host:53", "1.2.3", ""] {
            #expect(run.failure(of: name) == "not a host name")
        }
    }

    @Test func withoutSocketsThereIsNoAnswer() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in [question.answer([Self.v4])] }
        try run.resolve([Self.name], [server], datagrams: 0, streams: 0)
        #expect(run.failure(of: Self.name) == "no usable answer from 127.0.0.1")
    }

    @Test func aDeadServerIsFollowedByTheNext() throws {
        let run = try ResolverRun()
        let first = try run.server { _, _ in [] }
        let second = try run.server { question, _ in [question.answer([Self.v4, Self.v6])] }
        first.close()
        try run.resolve([Self.name], [first, second])
        #expect(run.addresses(of: Self.name) == ["192.0.2.1", "2001:db8::1"])
    }

    @Test func aDeadServerAloneIsNoWait() throws {
        let run = try ResolverRun()
        let server = try run.server { _, _ in [] }
        server.close()
        let start = Clock.monotonicNanoseconds
        try run.resolve([Self.name], [server])
        #expect(Clock.monotonicNanoseconds - start < 3_000_000_000)
        #expect(run.failure(of: Self.name) == "no usable answer from 127.0.0.1")
    }

    @Test func manyNamesShareFewSockets() throws {
        let run = try ResolverRun()
        let server = try run.server { question, _ in
            [question.answer([.address(question.name, "192.0.2.4")])]
        }
        let names = (0..<100).map { "host\($0).example.org" }
        try run.resolve(names, [server])
        #expect(run.replies.count == 100)
        #expect(names.allSatisfy { run.addresses(of: $0) == ["192.0.2.4"] })
    }

    @Test func hundredsOfNamesAreAskedForAFewAtATime() throws {
        let run = try ResolverRun()
        let names = (0..<400).map { "n\($0).example.org" }
        let server = try run.server { question, _ in
            [question.answer(question.isA ? [.address(question.name, "192.0.2.1")] : [])]
        }
        try run.resolve(names, [server], timeout: 10_000)
        #expect(names.allSatisfy { run.addresses(of: $0) == ["192.0.2.1"] })
        // None was lost in a queue, and asked for again.
        #expect(server.questions.count == 2 * names.count)
        #expect(run.exit == .status(0))
    }

    @Test func whereNobodyAnswersAllOfThemFailTogetherInTime() throws {
        let run = try ResolverRun()
        let names = (0..<100).map { "n\($0).example.org" }
        let server = try run.server { _, _ in [] }
        let clock = ContinuousClock()
        let time = try clock.measure { try run.resolve(names, [server], timeout: 800) }
        #expect(names.allSatisfy { run.failure(of: $0) == "no answer from 127.0.0.1" })
        #expect(Set(server.questions.map(\.name)).count < names.count)
        #expect(time < .seconds(3))
        #expect(run.exit == .status(0))
    }
}
