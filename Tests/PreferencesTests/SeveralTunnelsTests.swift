import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

@testable import Preferences

/// Enrolments that bring several configurations and secrets, and removals, in the middle.
@Suite struct SeveralTunnelsTests {
    private let root: TemporaryRoot
    private let layout: FileLayout
    private let store: EnrolmentStore

    init() throws {
        root = try TemporaryRoot()
        layout = FileLayout(root: root.path)
        store = EnrolmentStore(layout)
    }

    /// A profile `office` of tunnels that have the name of a version as title, a secret each.
    private static func material(_ version: String, tunnels: [String]) -> EnrolledMaterial {
        var material = EnrolledMaterial(
            EnrolledProfile(
                identifier: "office", title: version,
                anchors: [
                    TrustAnchor(
                        name: "gateway", kind: .wireguard,
                        value: TunnelModel.WireGuardKey.encode([UInt8](repeating: 3, count: 32)))
                ]))
        for name in tunnels {
            material.add(Secret(Array("\(version) \(name)".utf8)), as: "\(name).key")
            material.add(
                EnrolledTunnel(name: name) { configuration in
                    configuration.title = version
                    configuration.trust = ["office/gateway"]
                    configuration.credentials = ["privateKey": "file:\(name).key"]
                })
        }
        return material
    }

    /// Every file below the root, with its mode and what it holds.
    private func files() -> [String: String] {
        var files: [String: String] = [:]
        for path in root.contents where path.hasPrefix("/etc/utunctl/") {
            files[path] = "\(root.mode(path) ?? 0) \(root.read(path) ?? "")"
        }
        return files
    }

    private func settle() throws -> String? {
        let turn = try PreferencesTurn.take(layout)
        return try store.settle(turn)
    }

    /// The steps of replacing office and lab, and adding home, in their order.
    private func steps() throws -> [() throws -> Void] {
        let preferences = PreferencesStore(layout)
        let material = Self.material("second", tunnels: ["office", "lab", "home"])
        var document = try #require(try preferences.read())
        var saved: [SavedConfiguration] = []
        for tunnel in material.tunnels {
            var configuration =
                document.configurations.first { $0.name == tunnel.name }
                ?? Configuration(identifier: Identifier.make(from: [9]), name: tunnel.name)
            tunnel.configure(&configuration)
            saved.append(document.put(configuration))
        }
        let journal = EnrolmentJournal(
            name: "office", configurations: saved.map(\.mark),
            replaced: [.credential("lab.key"), .credential("office.key"), .profile("office")],
            created: [.credential("home.key")], obsolete: [.credential("old.key")])
        let credentials = CredentialStore(layout)
        let new = document
        var steps: [() throws -> Void] = [
            { try journal.begin(layout) }, { try credentials.prepare() },
        ]
        for (file, secret) in material.secrets.sorted(by: { $0.key < $1.key }) {
            steps.append { try credentials.put(secret.bytes, as: file) }
        }
        steps.append { try ProfileStore(layout).replace(material.profile) }
        steps.append {
            let turn = try PreferencesTurn.take(layout)
            try preferences.write(new, turn)
        }
        return steps
    }

    @Test func whereverSeveralAreKilledTheNextChangeFindsAllOrNothing() throws {
        _ = try store.enrol(
            Self.material("first", tunnels: ["office", "lab", "old"]), replacing: false)
        _ = try PreferencesStore(layout).update { document throws(PreferencesError) in
            let old = document.configurations.filter { $0.name == "old" }.map(\.identifier)
            document.remove(Set(old))
        }
        let old = files()
        let count = try steps().count
        for reached in 1...count {
            for step in try steps().prefix(reached) { try step() }
            let isDone = reached == count
            #expect(
                try settle()
                    == "an interrupted enrolment of office was \(isDone ? "completed" : "taken back")"
            )
            guard !isDone else { break }
            #expect(files() == old, "after \(reached) of \(count) steps")
        }
        let configurations = try PreferencesStore(layout).read()?.configurations ?? []
        #expect(configurations.map(\.name) == ["office", "lab", "home"])
        #expect(configurations.allSatisfy { $0.title == "second" })
        #expect(try CredentialStore(layout).names() == ["home.key", "lab.key", "office.key"])
        for name in ["home", "lab", "office"] {
            #expect(root.read("/etc/utunctl/credentials/\(name).key") == "second \(name)")
        }
        #expect(try ProfileStore(layout).profile("office")?.title == "second")
        #expect(root.contents.filter { $0.contains("/.") && !$0.contains("/.lock") }.isEmpty)
    }

    /// What of a removal was done when it was killed: the journal alone, and files after it.
    @Test(arguments: 0...3)
    func whereverARemovalIsKilledTheNextChangeEndsIt(removed: Int) throws {
        _ = try store.enrol(Self.material("first", tunnels: ["office", "lab"]), replacing: false)
        let files: [EnrolledFile] = [
            .profile("office"), .credential("lab.key"), .credential("office.key"),
        ]
        try EnrolmentJournal(name: "office", configurations: [], obsolete: files).begin(layout)
        for file in files.prefix(removed) { try Directory.removeFile(file.path(in: layout)) }
        #expect(try settle() == "an interrupted removal of office was completed")
        #expect(try settle() == nil)
        #expect(try CredentialStore(layout).names().isEmpty)
        #expect(try ProfileStore(layout).allNames().isEmpty)
    }

    @Test func aRemovalThatCannotBeginRemovesNothing() throws {
        _ = try store.enrol(Self.material("first", tunnels: ["office"]), replacing: false)
        // What cannot be replaced by a file.
        try root.makeDirectory("/etc/utunctl/.enrolment.json/x")
        let old = files()
        #expect(throws: RemovalError.self) {
            let turn = try PreferencesTurn.take(layout)
            return try store.remove(["office"], isForced: true, turn)
        }
        #expect(files() == old)
    }

    @Test func secretsThatAConfigurationRefersToStay() throws {
        _ = try store.enrol(Self.material("first", tunnels: ["office", "lab"]), replacing: false)
        _ = try PreferencesStore(layout).update { document throws(PreferencesError) in
            let lab = document.configurations.filter { $0.name == "lab" }.map(\.identifier)
            document.remove(Set(lab))
        }
        let turn = try PreferencesTurn.take(layout)
        #expect(throws: RemovalError.inUse(profile: "office", by: ["office"])) {
            try store.remove(["office"], isForced: false, turn)
        }
        #expect(try store.remove(["office"], isForced: true, turn) == ["lab.key"])
        #expect(try CredentialStore(layout).names() == ["office.key"])
    }

    @Test func theSignerOfWhatIsReplacedIsLookedAt() throws {
        func signed(_ digit: String?) throws -> EnrolledMaterial {
            var material = Self.material("x", tunnels: ["office"])
            material.profile.signer = try digit.map {
                ProfileSigner(
                    subject: "CN=\($0)",
                    fingerprint: try #require(
                        CertificateFingerprint(String(repeating: $0, count: 64))))
            }
            return material
        }
        _ = try store.enrol(try signed("a"), replacing: false)
        for other in ["b", nil] as [String?] {
            #expect(throws: EnrolmentError.self) {
                try store.enrol(try signed(other), replacing: true)
            }
            #expect(throws: EnrolmentError.self) {
                try store.rehearse(try signed(other), replacing: true)
            }
        }
        #expect(try ProfileStore(layout).profile("office")?.signer?.subject == "CN=a")
        _ = try store.enrol(try signed("a"), replacing: true)
        _ = try store.enrol(try signed("b"), replacing: true, acceptsNewSigner: true)
        #expect(try ProfileStore(layout).profile("office")?.signer?.subject == "CN=b")
    }
}
