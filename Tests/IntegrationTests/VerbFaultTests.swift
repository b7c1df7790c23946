import Glibc
import JSON
import TestSupport
import Testing

import enum Commands.ExitStatus
import struct Commands.Verb

/// Each verb and each fault of what it works with: the same status and the same words, in text
/// and in JSON.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct VerbFaultTests {
    /// Verbs with the name of a configuration; `none` is nobody's.
    static let named: [[String]] = [
        ["load", "none"], ["remove", "none"], ["start", "none"], ["start", "--wait", "none"],
        ["start", "--foreground", "none"], ["stop", "none"], ["restart", "none"],
        ["plan", "none"], ["status", "none"], ["status", "--watch", "none"],
        ["pause", "none", "--for", "5"], ["unblock", "none"], ["repair", "none"],
        ["export", "none", "--format", "wg-quick"], ["exec", "none", "--", "true"],
        ["doctor", "leaks", "none"], ["wait", "none"], ["run", "none", "--", "true"],
        ["rename", "none", "new"], ["reload", "none"], ["log", "none"],
    ]
    /// Those of them that work without the preferences: of a name that is nobody's they say so.
    static let withoutPreferences: Set = ["stop", "pause", "unblock", "repair", "doctor", "log"]
    /// Further verbs that need the preferences.
    static let others: [[String]] = [
        ["load"], ["save", "new"], ["profiles"], ["profiles", "remove", "none"],
        ["credential", "list"], ["lockdown"],
    ]

    /// Runs a verb that fails, in text and in JSON, and holds both against each other.
    private func expectFailure(
        _ site: Installation,
        _ arguments: [String],
        _ status: ExitStatus,
        _ code: String? = nil,
        as wrapper: [String] = []
    ) throws {
        let text = try Command.run(wrapper + site.command(arguments))
        let json = try Command.run(wrapper + site.command(["--json"] + arguments))
        #expect(text.status == status.rawValue, "\(arguments): \(text)")
        #expect(json.status == text.status, "\(arguments): \(json)")
        #expect(text.output.isEmpty, "\(arguments): \(text)")
        #expect(json.errors == text.errors, "\(arguments)")
        #expect(json.output.split(separator: "\n").count == 1, "\(arguments): \(json)")
        let answer = try Installation.parse(json.output)
        #expect(answer.keys == ["formatVersion", "error"], "\(arguments): \(json)")
        let error = try #require(answer["error"]?.object)
        #expect(error.keys == ["code", "exitStatus", "text", "hint"])
        #expect(error["exitStatus"] == .integer(Int64(json.status)), "\(json)")
        if let code { #expect(error["code"] == .string(code), "\(json)") }
        let what = try #require(error["text"]?.string)
        let verb = arguments[0]
        // `utunctl: VERB NAME: WHAT: WHY`, and on the next line what to do.
        let line = text.errors.split(separator: "\n").first { $0.hasSuffix(": \(what)") }
        #expect(line?.hasPrefix("utunctl: \(verb)") == true, "\(text)")
        #expect(!what.hasPrefix("utunctl") && !what.hasPrefix(verb + ":"), "\(text)")
        if let hint = error["hint"]?.string {
            #expect(text.errors.hasSuffix("\n\(hint)\n"), "\(text)")
        } else {
            #expect(text.errors.hasSuffix(": \(what)\n"), "\(text)")
        }
    }

    @Test(arguments: Verb.all.map(\.syntax.name))
    func anUnknownOptionIsUsage(verb: String) throws {
        try expectFailure(try Installation(), [verb, "--nonsense"], .usage, "usage")
    }

    @Test(
        arguments: [
            ["enroll"], ["save"], ["remove"], ["start"], ["start", "a", "b"], ["stop"],
            ["restart"], ["plan"], ["pause"], ["unblock"], ["genkey"], ["credential"],
            ["credential", "x"], ["credential", "set"], ["export"], ["profiles", "x"],
            ["profiles", "show"], ["providers", "x"], ["enable"], ["disable"], ["sleep", "x"],
            ["wake", "x"], ["exec"], ["exec", "x"], ["doctor", "x"], ["doctor", "leaks"],
            ["doctor", "leaks", "x", "y"], ["lockdown", "x"], ["completions"],
            ["completions", "x"], ["help", "x"], ["help", "a", "b"], ["status", "--watch=1"],
            ["start", "--timeout", "5", "a"], ["wait"], ["run"], ["run", "a"], ["rename", "a"],
            ["reload"], ["log"], ["bundle"], ["wait", "a", "--for", "x"],
            ["start", "--wait", "--timeout", "x", "a"],
            ["pause", "a", "--for", "x"], ["save", "a", "--set", "x"],
        ])
    func aCommandLineThatIsNoneIsUsage(arguments: [String]) throws {
        let site = try Installation()
        try site.save("a")
        try expectFailure(site, arguments, .usage, "usage")
    }

    @Test(arguments: named)
    func aNameThatIsNobodysIsNoSuchConfiguration(arguments: [String]) throws {
        let site = try Installation()
        try expectFailure(site, arguments, .noSuchConfiguration, "noSuchConfiguration")
        try site.save("office")
        try expectFailure(site, arguments, .noSuchConfiguration, "noSuchConfiguration")
    }

    @Test(
        arguments: named + others,
        [
            ("{", ExitStatus.preferencesCorrupt, "preferencesCorrupt"),
            (#"{"formatVersion": 2}"#, .preferencesCorrupt, "preferencesNewer"),
        ])
    func preferencesThatNobodyCanRead(
        arguments: [String],
        fault: (text: String, status: ExitStatus, code: String)
    ) throws {
        let site = try Installation()
        try site.write(fault.text, to: "etc/utunctl/preferences.json", mode: 0o600)
        let worksWithout = Self.withoutPreferences.contains(arguments[0])
        try expectFailure(
            site, arguments, worksWithout ? .noSuchConfiguration : fault.status,
            worksWithout ? nil : fault.code)
    }

    @Test(arguments: named + others)
    func preferencesThatOthersMayWrite(arguments: [String]) throws {
        let site = try Installation()
        try site.write(
            #"{"formatVersion": 1}"#, to: "etc/utunctl/preferences.json", mode: 0o666)
        try expectFailure(site, arguments, .notPossible, "preferencesUnsafe")
    }

    @Test(arguments: named + others + [["credential", "remove", "key"]])
    func aUserWhoMayNot(arguments: [String]) throws {
        let site = try Installation()
        try site.save("office")
        try expectFailure(
            site, arguments, .notPossible,
            as: ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"])
    }

    @Test(arguments: [["stop", "--all"], ["sleep"], ["wake"], ["repair", "--all"]])
    func aUserWhoMayNotTouchWhatRuns(arguments: [String]) throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try expectFailure(
            site, arguments, .notPossible,
            as: ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"])
        #expect(try site.utunctl("status", "office").status == 0)
    }
}
