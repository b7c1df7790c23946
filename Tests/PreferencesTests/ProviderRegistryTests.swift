import LinuxSystem
import Preferences
import TestSupport
import Testing
import TunnelModel

@Suite struct ProviderRegistryTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
    }

    private var registry: ProviderRegistry { ProviderRegistry(FileLayout(root: root.path)) }

    private func problem(of identifier: String) -> String? {
        registry.entries.first { $0.identifier == identifier }?.problem
    }

    private func executableProblem(_ identifier: String) -> String? {
        do {
            let registry = registry
            _ = try registry.openExecutable(of: try registry.manifest(of: identifier))
            return nil
        } catch {
            guard case .badExecutable(_, _, let problem) = error else { return "\(error)" }
            return problem
        }
    }

    @Test func noneIsInstalled() {
        #expect(registry.entries.isEmpty)
        #expect(
            throws: ProviderError.notInstalled(identifier: "a.b", installed: [], nearest: nil)
        ) { try registry.manifest(of: "a.b") }
    }

    @Test func allAreListedInOrder() throws {
        try root.installProvider("org.example.b")
        try root.installProvider("org.example.a", in: "/etc/utunctl/providers.d")
        try root.write("/etc/utunctl/providers.d/README", "not a manifest")
        try root.write("/etc/utunctl/providers.d/.hidden.json", "{")
        #expect(registry.entries.map(\.identifier) == ["org.example.a", "org.example.b"])
        #expect(registry.entries.allSatisfy { $0.problem == nil && $0.manifest != nil })
    }

    @Test func etcWins() throws {
        try root.installProvider("org.example.a", keys: #", "title": "usr""#)
        try root.installProvider(
            "org.example.a", keys: #", "title": "etc""#, in: "/etc/utunctl/providers.d")
        #expect(registry.entries.map(\.manifest?.title) == ["etc"])
        // Also where it is broken: what an administrator put there is never passed over.
        try root.write("/etc/utunctl/providers.d/org.example.a.json", "{")
        #expect(registry.entries.map(\.manifest) == [nil])
        #expect(throws: ProviderError.self) { try registry.manifest(of: "org.example.a") }
    }

    @Test func theNearestIsNamed() throws {
        try root.installProvider("org.example.thing")
        try root.installProvider("org.example.other")
        #expect(
            throws: ProviderError.notInstalled(
                identifier: "org.example.thnig",
                installed: ["org.example.other", "org.example.thing"],
                nearest: "org.example.thing")
        ) { try registry.manifest(of: "org.example.thnig") }
    }

    /// Keys that the manifest has besides, and what is said of it.
    @Test(arguments: [
        (#", "network": "hots""#, "network: hots is not one of: none, host"),
        (#", "nework": "host""#, "unknown key nework"),
        (#", "tun": {"queues": 0}"#, "tun.queues: not an integer from 1 to 16"),
        (#", "title": 3"#, "title: not a string"),
    ])
    func brokenManifests(keys: String, problem: String) throws {
        try root.installProvider("org.example.a", keys: keys)
        #expect(self.problem(of: "org.example.a")?.contains(problem) == true)
        #expect(throws: ProviderError.self) { try registry.manifest(of: "org.example.a") }
    }

    @Test func anotherProtocolIsSaid() throws {
        try root.write(
            "/usr/lib/utunctl/providers.d/a.json",
            """
            {"formatVersion": 1, "identifier": "org.example.a", "executable": "/x",
             "protocolVersion": 2}
            """)
        #expect(
            throws: ProviderError.unknownProtocol(identifier: "org.example.a", version: 2)
        ) { try registry.manifest(of: "org.example.a") }
    }

    @Test func manifestsThatOthersMayWriteAreRefused() throws {
        try root.installProvider("org.example.a")
        let path = "/usr/lib/utunctl/providers.d/org.example.a.json"
        try root.write(path, root.read(path) ?? "", mode: 0o664)
        #expect(problem(of: "org.example.a") == "mode 0664 lets others write it")
        try root.write(path, root.read(path) ?? "", mode: 0o644)
        #expect(problem(of: "org.example.a") == nil)
        try root.makeDirectory("/usr/lib/utunctl/providers.d", mode: 0o777)
        #expect(problem(of: "org.example.a") == "its directory: mode 0777 lets others write it")
    }

    /// Scripts that the kernel would not run, or whose interpreter could not read them.
    @Test(
        arguments: [
            ("#!/bin/sh\n", 0o755, nil), ("#! /bin/sh -e\n", 0o755, nil),
            (
                "#!/bin/sh\n", 0o711, "mode 0711 keeps its interpreter from reading it"
            ),
            (
                "#!/nowhere/python\n", 0o755,
                "its interpreter /nowhere/python: No such file or directory"
            ),
        ] as [(String, UInt32, String?)])
    func scripts(text: String, mode: UInt32, problem: String?) throws {
        try root.installProvider("org.example.a")
        try root.write("/usr/libexec/utunctl/org.example.a", text, mode: mode)
        #expect(executableProblem("org.example.a") == problem)
    }

    /// Modes of an executable, and what is wrong with them.
    @Test(
        arguments: [
            (0o711, nil), (0o755, nil), (0o500, nil), (0o644, "not executable"),
            (0o775, "mode 0775 lets others write it"), (0o713, "mode 0713 lets others write it"),
        ] as [(UInt32, String?)])
    func executables(mode: UInt32, problem: String?) throws {
        try root.installProvider("org.example.a")
        try root.write("/usr/libexec/utunctl/org.example.a", "", mode: mode)
        #expect(executableProblem("org.example.a") == problem)
    }

    @Test func anExecutableThatIsNone() throws {
        try root.write(
            "/usr/lib/utunctl/providers.d/a.json",
            """
            {"formatVersion": 1, "identifier": "org.example.a", "executable": "/opt/x",
             "protocolVersion": 1}
            """)
        #expect(executableProblem("org.example.a") == "No such file or directory")
        try root.makeDirectory("/opt/x")
        #expect(executableProblem("org.example.a") == "not a regular file")
    }
}
