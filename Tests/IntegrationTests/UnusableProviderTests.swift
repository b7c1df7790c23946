import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A provider that cannot run is refused before anything is made, with what is wrong with it.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct UnusableProviderTests {
    private static let executable = "usr/libexec/utunctl/probe"

    /// A fault of an installed provider.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let words: String
        let make: @Sendable (Installation) throws -> Void

        init(
            _ description: String,
            _ words: String,
            _ make: @escaping @Sendable (Installation) throws -> Void
        ) {
            testDescription = description
            self.words = words
            self.make = make
        }

        /// The manifest says something else than it should.
        static func manifest(_ description: String, _ words: String, _ text: String) -> Fault {
            Fault(description, words) {
                try $0.writeManifest(text, identifier: ProbeProvider.identifier)
            }
        }

        /// The mode of the executable is another one.
        static func mode(_ description: String, _ words: String, _ mode: mode_t) -> Fault {
            Fault(description, words) { site in
                chmod("\(site.root)/\(UnusableProviderTests.executable)", mode)
            }
        }
    }

    static let faults: [Fault] = [
        Fault("executable missing", "No such file") { site in
            unlink("\(site.root)/\(executable)")
        },
        .mode("executable not executable", "not executable", 0o644),
        .mode("executable writable by its group", "lets others write it", 0o775),
        Fault("executable of somebody else", "belongs to uid 12345") { site in
            chown("\(site.root)/\(executable)", 12_345, 12_345)
        },
        Fault("executable a directory", "not a regular file") { site in
            unlink("\(site.root)/\(executable)")
            mkdir("\(site.root)/\(executable)", 0o755)
        },
        Fault("manifest writable by all", "lets others write it") { site in
            let path = "usr/lib/utunctl/providers.d/\(ProbeProvider.identifier).json"
            chmod("\(site.root)/\(path)", 0o666)
        },
        .manifest("manifest without identifier", "identifier", #"{"formatVersion": 1}"#),
        .manifest("manifest not JSON", "line 1", "{"),
        .manifest(
            "manifest with an unknown key", "executabel",
            """
            {"formatVersion": 1, "identifier": "org.example.probe", "protocolVersion": 1,
             "executable": "/usr/libexec/utunctl/probe", "executabel": ""}
            """),
        .manifest(
            "manifest of a later protocol", "version 2",
            """
            {"formatVersion": 1, "identifier": "org.example.probe", "protocolVersion": 2,
             "executable": "/usr/libexec/utunctl/probe"}
            """),
        .manifest(
            "manifest of another identifier", "no provider org.example.probe",
            """
            {"formatVersion": 1, "identifier": "org.example.prone", "protocolVersion": 1,
             "executable": "/usr/libexec/utunctl/probe"}
            """),
    ]

    @Test(arguments: faults)
    func nothingIsMadeForAProviderThatCannotRun(fault: Fault) throws {
        let site = try Installation()
        try site.installProbe("return {}")
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        try fault.make(site)
        let events = try Command(["ip", "-o", "monitor", "link", "address", "route"])
        // The monitor has to listen before silence means anything.
        var made = 0
        #expect(
            try eventually {
                made += 1
                try Kernel.ip("link", "add", "seen\(made)", "type", "veth")
                try Kernel.ip("link", "delete", "seen\(made)")
                return try events.output(until: "seen\(made)", seconds: 1).contains("seen\(made)")
            })
        let start = try site.utunctl("start", "office")
        #expect(start.status == 7, "\(start)")
        #expect(start.errors.contains(fault.words), "\(start)")
        #expect(start.output.isEmpty)
        try Kernel.ip("link", "add", "last", "type", "veth")
        let seen = try events.output(until: "last")
        try Kernel.ip("link", "delete", "last")
        events.signal(SIGTERM)
        _ = try events.finish()
        #expect(!seen.contains("utun"))
        #expect(site.processes.isEmpty)
        #expect(try Directory.names("\(site.root)/run/utunctl").isEmpty)
    }

    @Test func aMistypedProviderIsAnsweredWithTheNearest() throws {
        let site = try Installation()
        try site.installProbe("return {}")
        try site.save("office", "provider=org.example.prove")
        let start = try site.utunctl("start", "office")
        #expect(start.status == 7)
        #expect(start.errors.contains("did you mean org.example.probe?"), "\(start)")
    }

    @Test func theManifestOfTheAdministratorWins() throws {
        let site = try Installation()
        try site.installProbe("return {}")
        try site.write(
            """
            {"formatVersion": 1, "identifier": "org.example.probe", "protocolVersion": 1,
             "executable": "/usr/libexec/utunctl/none"}
            """, to: "etc/utunctl/providers.d/mine.json")
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        let start = try site.utunctl("start", "office")
        #expect(start.status == 7)
        #expect(start.errors.contains("/usr/libexec/utunctl/none"), "\(start)")
    }

    @Test func aKeyThatIsNotInForceYetIsRefusedByName() throws {
        let site = try Installation()
        try site.save(
            "office", "onDemand.enabled=true", #"onDemand.rules=[{"action": "disconnect"}]"#)
        // As an earlier version has saved it: no longer accepted, and still there.
        let saved = try #require(site.read("etc/utunctl/preferences.json"))
        try site.write(
            saved.replacing("\"disconnect\"", with: "\"evaluateConnection\""),
            to: "etc/utunctl/preferences.json", mode: 0o600)
        let start = try site.utunctl("start", "office")
        #expect(start.status == 7)
        #expect(start.errors.contains("onDemand.rules"), "\(start)")
        #expect(try Kernel.tunnels().isEmpty)
    }
}
