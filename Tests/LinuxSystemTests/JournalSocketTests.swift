import Testing

@testable import LinuxSystem

@Suite struct JournalSocketTests {
    @Test func aFieldIsALine() {
        let entry = JournalSocket.entry([("MESSAGE", "up"), ("PRIORITY", "6")])
        #expect(String(decoding: entry, as: UTF8.self) == "MESSAGE=up\nPRIORITY=6\n")
    }

    @Test func aFieldWithLinesCannotForgeOthers() {
        let entry = JournalSocket.entry([("MESSAGE", "a\nPRIORITY=0")])
        let length: [UInt8] = [12, 0, 0, 0, 0, 0, 0, 0]
        #expect(entry == Array("MESSAGE\n".utf8) + length + Array("a\nPRIORITY=0\n".utf8))
    }
}

@Suite struct SleepWatchTests {
    /// A second of difference between the clocks is a sleep, and a little of it is none.
    @Test(arguments: [
        (0, 0, false), (5, 6, false), (0, 999_999_999, false), (0, 1_000_000_000, true),
        (7_000_000_000, 3_600_000_000_000, true), (7_000_000_000, 0, false),
    ])
    func theDifferenceOfTheClocksTellsASleep(former: Int64, now: Int64, expected: Bool) {
        #expect(SleepWatch.isSleep(from: former, to: now) == expected)
    }

    @Test func nothingIsToldWhereNothingHappens() throws {
        let watch = try SleepWatch()
        let ready = try LineClient.wait(
            for: [(watch.raw, .readable)], until: .after(milliseconds: 50))
        #expect(ready.isEmpty)
        #expect(!watch.hasSlept())
    }
}
