import Glibc
import JSON
import TestSupport
import Testing

/// A reload that takes the provider: what it is told, and what becomes of its answers.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ReloadProviderTests {
    /// Notes each change with the content of the credentials that came before it, and answers as
    /// the change itself says.
    private static let script = """
        import time
        hear()
        taken = []
        say("settings", id=1, addresses=["10.98.0.1/30"], includedRoutes=["10.98.0.0/16"])
        while hear()["type"] != "settingsApplied":
            pass
        say("connected")
        secrets = {}
        while True:
            message = hear()
            kind = message["type"]
            if kind == "credential":
                secrets[message["name"]] = os.read(passed.pop()[1], 100).decode()
            elif kind == "reconfigure":
                own = message["configuration"]["providerConfiguration"]["answer"]
                taken.append({"secrets": secrets, "answer": own, "resolved": message["resolved"]})
                secrets = {}
                if own == "taken":
                    say("reconfigured", id=message["id"])
                elif own == "wider":
                    say("settings", id=2, addresses=["10.98.0.1/30"],
                         includedRoutes=["10.98.0.0/16", "10.96.0.0/16"])
                    say("reconfigured", id=message["id"])
                elif own == "keys":
                    say("reconfigureRefused", id=message["id"], keys=["trust"], text="no")
                elif own == "text":
                    say("reconfigureRefused", id=message["id"], text="I would rather not")
                elif own == "late":
                    time.sleep(6)
                    say("reconfigured", id=message["id"])
                elif own == "crash":
                    os._exit(3)
            elif kind == "query":
                say("report", id=message["id"], taken=taken)
            elif kind == "stop":
                say("stopped")
                os._exit(0)
        """

    /// A tunnel of it that runs, and a saved change to which it is to give an answer.
    private func site(
        _ answer: String,
        reload: String? = #"["providerConfiguration.answer", "credentials"]"#
    ) throws -> Installation {
        let site = try Installation()
        try site.installPythonProvider(
            "office", "\(ProbeProvider.channel)\n\(Self.script)",
            #""credentials": ["key"]"#, reload.map { #""reload": \#($0)"# } ?? #""title": """#)
        for name in ["key", "first", "second"] {
            try site.write(
                "secret-\(name)", to: "etc/utunctl/credentials/\(name)", mode: 0o600)
        }
        try site.save(
            "office", "provider=org.example.office", "credentials.key=file:key",
            "credentials.psk=file:first", #"providerConfiguration.answer="none""#)
        let start = try site.utunctl("start", "--wait", "office")
        try #require(start.status == 0, "\(start)\n\(site.log(of: "office"))")
        try site.save(
            "office", #"providerConfiguration.answer="\#(answer)""#, "credentials.psk=file:second",
            "interface.mtu=1400")
        return site
    }

    private func taken(_ site: Installation) throws -> [JSONObject] {
        try site.status("office").value("provider.report.taken")?.array?.compactMap(\.object) ?? []
    }

    @Test func itIsHandedTheChangeWithItsSecrets() throws {
        let site = try site("taken")
        let answer = try site.json("reload", "office")
        #expect(
            answer["applied"]
                == .array(
                    ["credentials.psk", "interface.mtu", "providerConfiguration.answer"].map {
                        .string($0)
                    }))
        let heard = try taken(site)
        #expect(heard.count == 1)
        // Not what it was started with and may not change.
        #expect(heard.first?.value("secrets")?.object?.members.count == 1)
        #expect(heard.first?.value("secrets.psk") == .string("secret-second"))
        #expect(try site.status("office").value("interface.mtu") == .integer(1400))
        #expect(try site.status("office")["restartReasons"] == .array([]))
        // A file that is replaced is a change as well.
        try site.write("secret-third", to: "etc/utunctl/credentials/new", mode: 0o600)
        #expect(
            rename(
                "\(site.root)/etc/utunctl/credentials/new",
                "\(site.root)/etc/utunctl/credentials/second") == 0)
        #expect(
            try site.json("reload", "office")["applied"]
                == .array([.string("credentials.psk")]))
        #expect(try taken(site).last?.value("secrets.psk") == .string("secret-third"))
        // What it needs to start is none of the credentials that it takes.
        try site.save("office", "credentials.key=file:first")
        let needed = try site.utunctl("reload", "office")
        #expect(needed.status == 12)
        #expect(needed.errors.contains("credentials.key"))
    }

    @Test func whatItAsksForAnewIsPutIntoForce() throws {
        let site = try site("wider")
        #expect(try Kernel.interface(to: "10.96.0.9") == nil)
        let reload = try site.utunctl("reload", "office")
        #expect(reload.status == 0, "\(reload)")
        #expect(try eventually { try Kernel.interface(to: "10.96.0.9") != nil })
        #expect(try site.word("office") == "connected")
        // And it is what counts from then on.
        try site.save("office", "interface.mtu=1390")
        #expect(try site.utunctl("reload", "office").status == 0)
        #expect(try Kernel.interface(to: "10.96.0.9") != nil)
    }

    @Test(arguments: [
        ("keys", Int32(12), "a restart is needed for: trust"),
        ("text", 7, "I would rather not; nothing was changed"),
    ])
    func whatItRefusesIsTakenBack(answer: String, status: Int32, text: String) throws {
        let site = try site(answer)
        let before = try Kernel.snapshot()
        let report = try site.status("office")
        let reload = try site.utunctl("reload", "office")
        #expect(reload.status == status, "\(reload)")
        #expect(reload.errors.contains(text), "\(reload)")
        #expect(try Kernel.snapshot() == before)
        let after = try site.status("office")
        #expect(after["runningGeneration"] == report["runningGeneration"])
        #expect(
            after["restartReasons"]
                == .array(
                    ["credentials", "credentials.psk", "interface", "providerConfiguration"]
                        .map { .string($0) }))
        #expect(try site.word("office") == "connected")
    }

    @Test func whoDoesNotAnswerIsNotWaitedForLong() throws {
        let site = try site("late")
        let before = try Kernel.snapshot()
        let reload = try site.utunctl("reload", "office")
        #expect(reload.status == 7, "\(reload)")
        #expect(reload.errors.contains("did not answer"))
        #expect(try Kernel.snapshot() == before)
        // Its late answer is none to any other question.
        #expect(
            eventually(seconds: 8) {
                site.log(of: "office").contains("no longer asked for")
            })
        #expect(try site.word("office") == "connected")
        try site.save("office", #"providerConfiguration.answer="taken""#)
        #expect(try site.utunctl("reload", "office").status == 0)
    }

    @Test func itsDeathMeanwhileIsItsEnd() throws {
        let site = try site("crash")
        let reload = try site.utunctl("reload", "office")
        #expect(reload.status != 0, "\(reload)")
        #expect(try eventually { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "providerCrashed")
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func aProviderThatSaysNothingOfItIsNotAsked() throws {
        let site = try site("taken", reload: nil)
        let before = try Kernel.snapshot()
        let reload = try site.utunctl("reload", "office")
        #expect(reload.status == 12, "\(reload)")
        #expect(
            reload.errors.contains(
                "a restart is needed for: credentials.psk, providerConfiguration.answer;"))
        #expect(try Kernel.snapshot() == before)
        #expect(try taken(site).isEmpty)
        // What the host can do without it, it does.
        try site.save(
            "office", #"providerConfiguration.answer="none""#, "credentials.psk=file:first")
        #expect(try site.utunctl("reload", "office").status == 0)
        #expect(try site.status("office").value("interface.mtu") == .integer(1400))
    }

    @Test func severalAtATimeComeOneAfterTheOther() throws {
        let site = try site("taken")
        let reloads = try (0..<8).map { _ in try site.start("--json", "reload", "office") }
        let ends = try reloads.map { try $0.finish() }
        #expect(ends.allSatisfy { $0.status == 0 }, "\(ends)")
        let changed = try ends.count { end in
            try Installation.parse(end.output)["changed"] == .bool(true)
        }
        #expect(changed == 1)
        #expect(try taken(site).count == 1)
    }
}
