import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

import enum Commands.ExitStatus

@testable import Commands

/// What the manual pages and the unit say is so.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ManualTests {
    private static func page(_ name: String) throws -> String {
        let file = try FileDescriptor.open("\(Installation.source)/man/\(name)", O_RDONLY)
        return String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
    }

    /// All pages, as one.
    private static func verbPages() throws -> String {
        try Directory.names("\(Installation.source)/man").sorted().map { try page($0) }.joined()
    }

    /// The literal displays of a page.
    private static func displays(_ page: String) -> [String] {
        var displays: [String] = []
        var open: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix(".Bd -literal") {
                open = []
            } else if line == ".Ed", let lines = open {
                displays.append(lines.map { "\($0)\n" }.joined().replacing("\\e", with: "\\"))
                open = nil
            } else {
                open?.append(line)
            }
        }
        return displays
    }

    @Test func theProviderOfThePageConnectsAndAnswers() throws {
        let displays = Self.displays(try Self.page("utunctl-provider.7"))
        let script = try #require(displays.first { $0.hasPrefix("#!/usr/bin/python3\n") })
        let manifest = try #require(displays.first { $0.contains("org.example.echo") })
        let site = try Installation()
        try site.write(script, to: "usr/local/libexec/echo-provider", mode: 0o755)
        try site.writeManifest(manifest, identifier: "org.example.echo")
        #expect(try site.utunctl("providers").output.contains("org.example.echo"))
        #expect(try site.utunctl("save", "echo", "--provider", "org.example.echo").status == 0)
        let start = try site.utunctl("start", "echo", "--wait")
        #expect(start.status == 0, "\(start)\n\(site.log(of: "echo"))")
        let ping = try Command.run(["ping", "-c", "3", "-i", "0.05", "-W", "2", "10.98.0.2"])
        #expect(ping.status == 0, "\(ping)")
        let report = try site.status("echo").value("provider.report")?.object
        #expect(report?["peers"]?.array?.first?.object?["name"] == .string("echo"))
        let stop = try site.utunctl("stop", "echo")
        #expect(stop.status == 0)
        #expect(stop.errors.isEmpty, "\(stop)")
    }

    @Test func theProfileOfThePageIsEnrolledAndSigned() throws {
        let displays = Self.displays(try Self.page("utunctl-profile.5"))
        let profile = try #require(displays.first { $0.contains("\"formatVersion\"") })
        let commands = try #require(displays.first { $0.hasPrefix("openssl cms -sign") })
        let site = try Installation()
        try site.installWireGuard()
        symlink(
            Installation.built("utunctl-keys"), "\(site.root)/usr/libexec/utunctl/utunctl-keys")
        let authority = try CertificateAuthority()
        try authority.issue("root", isAuthority: true)
        try authority.issue("issuer", by: "root", isAuthority: true)
        try authority.issue("signer", by: "issuer")
        try site.write(profile, to: "office.json")
        try site.write(authority.pem("signer"), to: "signer.pem")
        try site.write(authority.key("signer"), to: "signer.key", mode: 0o600)
        try site.write(authority.pem("issuer"), to: "issuer.pem")
        try site.write(authority.pem("root"), to: "company-ca.pem")
        // All but the start, as nobody is at the other end.
        let script = commands.split(separator: "\n").filter { !$0.contains(" start ") }
            .joined(separator: "\n")
            .replacing("utunctl ", with: "\(Installation.built("utunctl")) --root \(site.root) ")
        let run = try Command.run(["sh", "-ec", "cd \(site.root)\n\(script)"])
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("signed by CN=signer"), "\(run)")
        let saved = try site.utunctl("save", "office", "--json")
        #expect(try Installation.parse(saved.output)["warnings"]?.array == [], "\(saved)")
    }

    @Test func theExitStatusesOfThePageAreThoseOfTheProgram() throws {
        var listed: Set<Int32> = []
        var isSection = false
        for line in try Self.page("utunctl.8").split(separator: "\n") {
            if line.hasPrefix(".Sh ") { isSection = line == ".Sh EXIT STATUS" }
            guard isSection, line.hasPrefix(".It ") else { continue }
            listed.formUnion(
                line.split(whereSeparator: { " ,".contains($0) }).compactMap { Int32($0) })
        }
        #expect(listed == Set(ExitStatus.allCases.map(\.rawValue)))
    }

    @Test func everyErrorCodeStandsOnThePage() throws {
        let page = try Self.verbPages()
        let listed = Self.displays(page).flatMap { $0.split(whereSeparator: \.isWhitespace) }
        let directory = "\(Installation.source)/Sources/Commands"
        let places = [
            "", "Enrol/", "Leaks/", "Log/", "Metrics/", "OnDemand/", "Service/", "Shell/",
            "Waiting/",
        ]
        let names = try places.flatMap { place in
            try Directory.names("\(directory)/\(place)").map { "\(place)\($0)" }
        }
        for name in names where name.hasSuffix(".swift") {
            let file = try FileDescriptor.open("\(directory)/\(name)", O_RDONLY)
            let source = String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
            for status in ExitStatus.allCases {
                for rest in source.split(separator: ".\(status), \"").dropFirst() {
                    let code = rest.prefix { $0 != "\"" }
                    // As the page says, the code of a tunnel's end may be that of the error.
                    let isOfEnd =
                        [.tunnelFailed, .failedForGood].contains(status)
                        && DisconnectCode(rawValue: String(code)) != nil
                    #expect(isOfEnd || listed.contains(code), "\(name): \(code)")
                }
            }
        }
    }

    @Test func theProgramKnowsTheErrorCodesOfThePages() throws {
        var listed: Set<String> = []
        for name in ["utunctl-errors.7", "utunctl-enroll.8"] {
            for display in Self.displays(try Self.page(name))
            where display.first?.isNumber == true {
                let words = display.split { $0.isWhitespace || $0 == "," }
                listed.formUnion(words.map(String.init).filter { Int($0) == nil })
            }
        }
        // The line of 6 is in words.
        listed.subtract(["a", "disconnect", "code"])
        #expect(listed.count > 90)
        #expect(listed == Set(ErrorCodes.all))
    }

    @Test func theVariablesOfThePageAreThoseOfHelpAndOfTheSources() throws {
        func names(_ line: Substring) -> [String] {
            line.split(whereSeparator: { $0 != "_" && !$0.isUppercase }).map(String.init).filter {
                $0.count > 3
            }
        }
        let section = try Self.page("utunctl.8").split(separator: "\n")
            .drop { $0 != ".Sh ENVIRONMENT" }.dropFirst().prefix { !$0.hasPrefix(".Sh ") }
        let page = Set(section.filter { $0.hasPrefix(".It Ev ") }.flatMap { names($0) })
        let help = try Installation().utunctl("help", "environment").output
        let told = help.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .flatMap { names($0.dropFirst(2).prefix(28)) }
        #expect(Set(told) == page)
        var read: Set<String> = []
        for module in [
            "Commands", "Commands/Terminal", "LinuxSystem", "Preferences", "SessionHost",
        ] {
            let directory = "\(Installation.source)/Sources/\(module)"
            for name in try Directory.names(directory) where name.hasSuffix(".swift") {
                let file = try FileDescriptor.open("\(directory)/\(name)", O_RDONLY)
                let source = String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
                for call in ["getenv(\"", "variable(\""] {
                    read.formUnion(
                        source.split(separator: call).dropFirst().map { rest in
                            String(rest.prefix { $0 != "\"" })
                        }.filter { !$0.isEmpty })
                }
            }
        }
        #expect(read.contains("NO_COLOR") && read.contains("INVOCATION_ID"))
        #expect(read.isSubset(of: page), "\(read.subtracting(page))")
    }

    @Test func everyFindingOfDoctorStandsOnItsPage() throws {
        let page = try Self.page("utunctl-doctor.8")
        let directory = "\(Installation.source)/Sources/Commands/Doctor"
        var codes: Set<String> = []
        for name in try Directory.names(directory) {
            let file = try FileDescriptor.open("\(directory)/\(name)", O_RDONLY)
            let source = String(decoding: try file.readAll(limit: 1 << 20), as: UTF8.self)
            for severity in ["problem", "advice"] {
                for rest in source.split(separator: ".\(severity), \"").dropFirst() {
                    codes.insert(String(rest.prefix { $0 != "\"" }))
                }
            }
        }
        // The probe must not be blind.
        #expect(codes.count > 30)
        for code in codes.sorted() {
            #expect(page.contains(".It Sy \(code)\n"), "\(code)")
        }
    }

    @Test func everyOptionOfEveryVerbStandsOnThePage() throws {
        let site = try Installation()
        let page = try Self.verbPages().replacing("\\-", with: "-")
        for verb in Verb.all.map(\.syntax) {
            #expect(page.contains("Cm \(verb.name)"), "\(verb.name)")
            let help = try site.utunctl(verb.name, "--help")
            #expect(help.status == 0, "\(help)")
            for option in verb.options where !option.isHidden {
                #expect(help.output.contains("--\(option.name)"), "\(help)")
                let isThere = page.contains("Fl -\(option.name)")
                #expect(isThere, "\(verb.name) -\(option.name)")
            }
        }
    }

    @Test(
        .enabled("systemd is not installed") { access("/usr/bin/systemd-analyze", X_OK) == 0 },
        arguments: [
            ("utunctl@", "utunctl@office"), ("utunctl-lockdown", "utunctl-lockdown"),
            ("utunctl-sleep", "utunctl-sleep"),
        ])
    func systemdHasNothingToSayAboutTheUnit(file: String, name: String) throws {
        let site = try Installation()
        let unit = try FileDescriptor.open(
            "\(Installation.source)/Sources/Install/\(file).service", O_RDONLY)
        let text = String(decoding: try unit.readAll(limit: 1 << 20), as: UTF8.self)
        // The program need not be installed here.
        let built = text.replacing("/usr/bin/utunctl", with: Installation.built("utunctl"))
        try site.write(built, to: "units/\(name).service")
        let result = try Command.run([
            "systemd-analyze", "verify", "--man=no", "--recursive-errors=no",
            "\(site.root)/units/\(name).service",
        ])
        #expect(result.status == 0, "\(result)")
        #expect(!result.errors.contains(name), "\(result)")
    }

    @Test func theUnitRefusesToTryAgainWhatStaysRefused() throws {
        let unit = try FileDescriptor.open(
            "\(Installation.source)/Sources/Install/utunctl@.service", O_RDONLY)
        let text = String(decoding: try unit.readAll(limit: 1 << 20), as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("RestartPreventExitStatus=") }
        let statuses = line?.split(whereSeparator: { "= ".contains($0) }).compactMap { Int32($0) }
        let lasting: [ExitStatus] = [
            .usage, .noSuchConfiguration, .refused, .stale, .notPossible, .preferencesCorrupt,
            .conflict, .failedForGood,
        ]
        #expect(statuses == lasting.map(\.rawValue))
        for setting in [
            "Type=notify", "UnsetEnvironment=UTUNCTL_ROOT", "KillMode=mixed",
            "OOMPolicy=continue", "StartLimitIntervalSec=0", "RestartSec=5",
            "ExecStop=-/usr/bin/utunctl stop --origin systemd %i",
            "ExecReload=/usr/bin/utunctl reload %i",
            "ExecStopPost=-/usr/bin/utunctl repair --quiet %i",
        ] {
            #expect(text.contains("\n\(setting)\n"), "\(setting)")
        }
    }
}
