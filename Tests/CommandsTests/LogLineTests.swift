import LinuxSystem
import Testing
import TunnelModel

@testable import Commands

@Suite struct LogLineTests {
    private static let first = "11111111-1111-4111-8111-111111111111"
    private static let second = "22222222-2222-4222-8222-222222222222"
    private static let time = "2026-11-30T01:02:03.000004Z"

    private func parse(_ texts: [String]) -> [LogLine] {
        var parser = LogFileParser()
        return texts.map { parser.line($0) }
    }

    @Test func aLineHasItsTimeSpeakerAndText() {
        let line = parse(["\(Self.time) info[office]: hello: [there]"])[0]
        #expect(line.time == Timestamp(Self.time))
        #expect(line.source == "info")
        #expect(line.name == "office")
        #expect(line.text == "hello: [there]")
        #expect(line.attempt == nil)
        #expect(line.line == "\(Self.time) info[office]: hello: [there]")
    }

    @Test(arguments: [
        "", "Fatal error: x", "2026-11-30T01:02:03.000004Z", "[x]: y", "2026 a[b]: c", " ",
    ])
    func whatNoHostHasWrittenStaysAsItIs(text: String) {
        let line = parse([text])[0]
        #expect(line.time == nil && line.source == nil)
        #expect(line.line == text)
    }

    @Test func eachLineBelongsToTheSessionThatBeganBeforeIt() {
        func marker(_ attempt: String) -> String {
            "\(Self.time) utunctl[office]: \(LogMarker.text(attempt, generation: 3))"
        }
        let lines = parse([
            "\(Self.time) utunctl[office]: old", marker(Self.first), "Fatal error: x",
            // No provider can speak as the host, and nobody but the host begins a session.
            "\(Self.time) provider[office]: \(LogMarker.text(Self.second, generation: 1))",
            "\(Self.time) utunctl[office]: attempt of nothing begins", marker(Self.second), "y",
        ])
        #expect(
            lines.map(\.attempt) == [
                nil, Self.first, Self.first, Self.first, Self.first, Self.second, Self.second,
            ])
    }

    @Test func nothingThatWasLoggedSteersTheTerminal() {
        let line = parse(["\u{1B}]0;x\u{7}\u{9B}2J"])[0].line
        #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F }, "\(line)")
    }

    @Test func bothPlacesAreOneStreamInTheOrderOfTime() {
        func line(_ place: LogLine.Place, _ time: Int64?, _ text: String) -> LogLine {
            LogLine(
                place: place, time: time.map { Timestamp(microseconds: $0) }, text: text)
        }
        let file = [
            line(.file, 1, "a"), line(.file, nil, "b"), line(.file, 4, "e"), line(.file, 6, "g"),
        ]
        let journal = [
            line(.journal, 2, "c"), line(.journal, 3, "d"), line(.journal, 5, "f"),
            line(.journal, 7, "h"),
        ]
        #expect(
            LogCommand.merge(file, journal).map(\.text) == [
                "a", "b", "c", "d", "e", "f", "g", "h",
            ])
        #expect(LogCommand.merge([], journal).map(\.text) == ["c", "d", "f", "h"])
        #expect(LogCommand.merge(file, []) == file)
    }

    @Test func entriesOfTheJournal() {
        var buffer = LineBuffer(longest: 1000)
        buffer.append(
            Array(
                """
                {"MESSAGE":"connected","__REALTIME_TIMESTAMP":"5","UTUNCTL_ATTEMPT":"x",\
                "UTUNCTL_CODE":"connected","UTUNCTL_NAME":"office","__CURSOR":"s=1"}
                {"MESSAGE":[104,105,27],"SYSLOG_IDENTIFIER":"other"}
                not JSON
                {"MESSAGE":null}
                {"MESSAGE":["first","second"]}
                {"MESS
                """.utf8))
        let entries = Journal.entries(&buffer)
        #expect(entries.map(\.line.text) == ["connected", "hi\u{1B}", "first"])
        #expect(entries[0].cursor == "s=1")
        #expect(entries[0].line.time == Timestamp(microseconds: 5))
        #expect(entries[0].line.attempt == "x")
        #expect(entries[0].line.code == "connected")
        #expect(entries[0].line.line == "1970-01-01T00:00:00.000005Z utunctl[office]: connected")
        #expect(entries[1].line.source == "other")
        buffer.append(Array("AGE\":\"late\"}\n".utf8))
        #expect(Journal.entries(&buffer).map(\.line.text) == ["late"])
        // A line that is too long is lost, and not those behind it.
        buffer.append([UInt8](repeating: 0x20, count: 2000))
        #expect(Journal.entries(&buffer).isEmpty)
        buffer.append(Array("\n{\"MESSAGE\":\"on\"}\n".utf8))
        #expect(Journal.entries(&buffer).map(\.line.text) == ["on"])
    }
}
