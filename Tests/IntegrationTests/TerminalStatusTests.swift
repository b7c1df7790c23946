import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `status` in a terminal, and the view that goes on.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct TerminalStatusTests {
    private static let enter = "\u{1B}[?1049h"
    private static let leave = "\u{1B}[?1049l"
    private static let cursor = "\u{1B}[?25h"

    private func connected() throws -> Installation {
        let site = try Installation()
        try site.save("office", #"providerConfiguration.addresses=["10.99.0.1/30"]"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        return site
    }

    /// The lines of the last picture that was shown whole, without what steers the terminal.
    private func picture(_ output: String) -> [String] {
        let pictures = output.split(separator: "\u{1B}[J", omittingEmptySubsequences: false)
        // The terminal makes two characters of each line feed.
        let whole = pictures.dropLast().last ?? ""
        return whole.split(whereSeparator: { $0.isNewline || $0 == "\r" }).map { line in
            line.split(separator: "\u{1B}[")
                .map { part in String(part.drop { "0123456789;?".contains($0) }.dropFirst()) }
                .joined()
        }.filter { !$0.isEmpty }
    }

    /// The cells of the tunnel in that picture.
    private func cells(_ output: String) -> [String] {
        let line = picture(output).last { $0.contains("office") } ?? ""
        return line.split(separator: "  ").map { String($0.drop { $0 == " " }) }
            .filter { !$0.isEmpty }
    }

    private func shown(
        _ site: Installation,
        _ arguments: [String],
        columns: UInt16 = 80,
        environment: [String: String] = ["TERM": "xterm", "LANG": "C.UTF-8"]
    ) throws -> String {
        let terminal = try PseudoTerminal(
            site.command(arguments), columns: columns, environment: environment)
        return try terminal.finish().output
    }

    @Test func momentsAreToTheSecondInATerminalAndWholeElsewhere() throws {
        let site = try connected()
        let shown = try shown(site, ["status", "office"])
        #expect(shown.contains("since 2"), "\(shown)")
        let since = try site.status("office")["connectedSince"]?.string ?? "-"
        #expect(try site.utunctl("status", "office").output.contains("since \(since)"))
        #expect(shown.contains("since \(since.prefix(19))Z"), "\(shown)")
        // As wide as the terminal: what goes on stands below where it began.
        let narrow = try self.shown(site, ["status", "office", "--counters"], columns: 60)
        let lines = narrow.split(whereSeparator: { $0.isNewline || $0 == "\r" })
        #expect(lines.contains { $0.hasPrefix("               ") })
        #expect(lines.allSatisfy { $0.count <= 60 || $0.hasPrefix("\u{1B}") }, "\(narrow)")
    }

    @Test func aTableIsColouredInATerminalAndNowhereElse() throws {
        let site = try connected()
        let table = try shown(site, ["status"])
        #expect(table.contains("\u{1B}[32mconnected\u{1B}[0m"), "\(table)")
        #expect(table.contains("utun0"), "\(table)")
        for environment in [
            ["TERM": "xterm", "NO_COLOR": "1"], ["TERM": "dumb"], [:], ["TERM": ""],
        ] {
            let plain = try shown(site, ["status"], environment: environment)
            #expect(plain.contains("connected"), "\(environment)")
            #expect(!plain.contains("\u{1B}"), "\(environment) \(plain)")
        }
        let one = try shown(site, ["status", "office"])
        #expect(one.contains("\u{1B}[32moffice: connected (utun0)\u{1B}[0m"), "\(one)")
        let piped = try site.utunctl("status", environment: ["TERM": "xterm", "COLUMNS": "20"])
        #expect(piped.output.hasPrefix("NAME    STATUS     INTERFACE  SINCE"), "\(piped)")
        #expect(!piped.output.contains("\u{1B}"))
    }

    @Test(arguments: [(20, "C"), (20, "C.UTF-8"), (3, "C.UTF-8"), (80, "C"), (500, "C.UTF-8")])
    func noLineIsWiderThanTheTerminal(columns: UInt16, locale: String) throws {
        let site = try connected()
        try site.save("a-name-that-is-rather-long-for-a-terminal-as-narrow-as-this")
        let table = try shown(
            site, ["status"], columns: columns, environment: ["TERM": "dumb", "LANG": locale])
        let lines = table.split(whereSeparator: \.isNewline)
        #expect(lines.count == 3, "\(table)")
        for line in lines { #expect(line.count <= columns, "\(line)") }
        #expect(columns < 20 || table.contains("connected"), "\(table)")
        #expect(locale != "C" || table.utf8.allSatisfy { $0 < 0x80 }, "\(table)")
        let isWhole = columns == 500
        #expect(table.contains("as-narrow-as-this") == isWhole, "\(table)")
    }

    @Test func theViewShowsRatesAndEndsByQ() throws {
        let site = try connected()
        let terminal = try PseudoTerminal(site.command(["status", "--watch"]))
        #expect(try terminal.output(until: "connected").contains(Self.enter))
        #expect(!terminal.isAsBefore)
        // What goes through is counted by the kernel, and seen a second later.
        let load = try Command(["ping", "-q", "-f", "-s", "1000", "-c", "1000000", "10.99.0.2"])
        var row: [String] = []
        #expect(
            try eventually {
                row = cells(try terminal.output(until: "OUT/S", seconds: 0))
                return row.count == 8 && row[4].hasSuffix("B") && !row[4].hasPrefix("0 ")
                    && !row[5].hasPrefix("0 ")
            }, "\(row)")
        load.signal(SIGINT)
        _ = try load.finish()
        #expect(
            try eventually {
                row = cells(try terminal.output(until: "OUT/S", seconds: 0))
                return row.count == 8 && row[4...5] == ["0 B", "0 B"]
            }, "\(row)")
        try terminal.type("q")
        let end = try terminal.finish()
        #expect(end.status == 0)
        #expect(end.output.hasSuffix(Self.cursor + Self.leave), "\(end.output)")
        #expect(terminal.isAsBefore)
    }

    @Test(arguments: [
        ("\u{3}", 0, 130), ("", SIGTERM, 143), ("", SIGHUP, 143), ("", SIGINT, 130),
        ("\u{1C}", 0, 130),
    ])
    func theTerminalIsAsBeforeHoweverTheViewEnds(typed: String, signal: CInt, status: Int32) throws
    {
        let site = try Installation()
        try site.save("office")
        let terminal = try PseudoTerminal(site.command(["status", "--watch"]))
        _ = try terminal.output(until: "disconnected")
        #expect(!terminal.isAsBefore)
        if signal != 0 { terminal.signal(signal) } else { try terminal.type(typed) }
        let end = try terminal.finish()
        #expect(end.status == status)
        #expect(end.output.hasSuffix(Self.cursor + Self.leave), "\(end.output)")
        #expect(terminal.isAsBefore)
    }

    @Test func aNameOfNothingIsSaidOnTheOrdinaryScreen() throws {
        let site = try Installation()
        let terminal = try PseudoTerminal(site.command(["status", "--watch", "nowhere"]))
        let end = try terminal.finish()
        #expect(end.status == 4)
        #expect(end.output.contains("no configuration nowhere"))
        #expect(!end.output.contains("\u{1B}"))
    }

    @Test func theViewFollowsTheSizeAndTheTunnels() throws {
        let site = try Installation()
        try site.save("a-name-of-some-length-to-be-cut")
        let terminal = try PseudoTerminal(site.command(["status", "--watch"]))
        _ = try terminal.output(until: "a-name-of-some-length-to-be-cut  disconnected")
        terminal.forget()
        terminal.resize(columns: 20, rows: 24)
        var lines: [String] = []
        #expect(
            try eventually {
                lines = picture(try terminal.output(until: "", seconds: 0))
                return lines.count == 3 && lines.allSatisfy { $0.count <= 20 }
            }, "\(lines)")
        #expect(lines.last?.hasPrefix("a-name") == true, "\(lines)")
        terminal.resize(columns: 80, rows: 3)
        for name in ["one", "two", "three"] { try site.save(name) }
        #expect(try terminal.output(until: "4 more").contains("4 more"))
        terminal.resize(columns: 80, rows: 24)
        #expect(try terminal.output(until: "three").contains("three"))
        #expect(try site.utunctl("start", "--wait", "one").status == 0)
        #expect(try terminal.output(until: "32mconnected").contains("utun0"))
        try terminal.type("q")
        #expect(try terminal.finish().status == 0)
    }

    @Test func theViewStopsByControlZWithTheTerminalAsBefore() throws {
        let site = try Installation()
        try site.save("office")
        let terminal = try PseudoTerminal(site.command(["status", "--watch"]))
        _ = try terminal.output(until: "disconnected")
        terminal.signal(SIGTSTP)
        let stopped = try terminal.output(until: Self.leave)
        #expect(stopped.hasSuffix(Self.cursor + Self.leave), "\(stopped)")
        #expect(eventually { terminal.isAsBefore })
        terminal.forget()
        terminal.signal(SIGCONT)
        #expect(try terminal.output(until: "disconnected").contains(Self.enter))
        terminal.signal(SIGTERM)
        #expect(try terminal.finish().output.hasSuffix(Self.cursor + Self.leave))
    }

    @Test(arguments: [["TERM": "dumb"], [:]])
    func aTerminalThatCannotBeSteeredGetsLines(environment: [String: String]) throws {
        let site = try Installation()
        try site.save("office")
        let terminal = try PseudoTerminal(
            site.command(["status", "--watch"]), environment: environment)
        _ = try terminal.output(until: "disconnected")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let text = try terminal.output(until: "office: connected (utun0)")
        #expect(text.contains("office: connecting"), "\(text)")
        #expect(!text.contains("\u{1B}"), "\(text)")
        try terminal.type("\u{3}")
        #expect(try terminal.finish().status == 130)
    }

    @Test func nothingOfAnInterfaceSteersTheTerminal() throws {
        let site = try connected()
        let name = "\u{1B}]0;x\u{7}"
        try Kernel.ip("link", "add", name, "type", "veth", "peer", "name", "other0")
        defer { try? Kernel.ip("link", "delete", "other0") }
        let result = try site.utunctl("status", "--counters")
        #expect(result.output.contains("underlying"), "\(result)")
        #expect(!result.output.contains("\u{1B}"), "\(result)")
    }
}
