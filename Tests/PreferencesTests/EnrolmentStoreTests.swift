import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

@testable import Preferences

@Suite struct EnrolmentStoreTests {
    private let root: TemporaryRoot
    private let layout: FileLayout
    private let store: EnrolmentStore
    private let journal = "/etc/utunctl/.enrolment.json"

    init() throws {
        root = try TemporaryRoot()
        layout = FileLayout(root: root.path)
        store = EnrolmentStore(layout)
    }

    /// A tunnel with so many peers, the first `preshared` of which have a preshared key.
    private static func material(
        _ name: String = "office",
        key: String = "first",
        peers: Int = 2,
        preshared: Int = 2
    ) -> EnrolledMaterial {
        var tunnel = EnrolledWireGuard(
            name, of: name, addresses: [IPPrefix("10.9.0.2/24")].compactMap(\.self))
        tunnel.setPrivateKey(Secret(Array("\(key) private".utf8)))
        for number in 0..<peers {
            let secret = number < preshared ? Secret(Array("\(key) \(number)".utf8)) : nil
            let bytes =
                [UInt8(number & 255), UInt8(number >> 8)] + [UInt8](repeating: 3, count: 30)
            tunnel.addPeer(
                publicKey: TunnelModel.WireGuardKey.encode(bytes), presharedKey: secret
            ) { peer in
                peer.allowedIPs = [IPPrefix("10.\(number >> 8).\(number & 255).0/32")]
                    .compactMap(\.self)
            }
        }
        var material = EnrolledMaterial(EnrolledProfile(identifier: name))
        material.add(tunnel)
        return material
    }

    @Test func theTemporaryFileOfAJournalThatNeverWasDoesNotStay() throws {
        #expect(!store.hasRemains)
        _ = try store.enrol(Self.material(), replacing: false)
        #expect(!store.hasRemains)
        try root.write("/etc/utunctl/..enrolment.json.0123456789ab", "{", mode: 0o600)
        #expect(store.hasRemains && !store.isUnsettled)
        let before = files().count
        #expect(try store.settle(try PreferencesTurn.take(layout)) == nil)
        #expect(!store.hasRemains && files().count == before - 1)
    }

    /// Every file below the root, with its mode and what it holds.
    private func files() -> [String: String] {
        var files: [String: String] = [:]
        for path in root.contents {
            files[path] = "\(root.mode(path) ?? 0) \(root.read(path) ?? "")"
        }
        return files
    }

    @Test func aFileThatWouldPutASecretIntoAConfigurationIsRefused() throws {
        var material = Self.material()
        material.add(
            EnrolledTunnel(name: "other") {
                $0.provider = "org.example.thing"
                $0.providerConfiguration["password"] = .string("hunter2")
            })
        let misplaced = MisplacedMaterial(path: "providerConfiguration.password", kind: .secret)
        for enrol in [store.enrol, store.rehearse] {
            do {
                _ = try enrol(material, false, false)
                Issue.record("it was enrolled")
            } catch {
                #expect(error == .preferences(.misplaced(misplaced)))
            }
        }
        #expect(root.contents.allSatisfy { root.read($0)?.isEmpty ?? true })
    }

    @Test func allIsPutInPlaceAtOnce() throws {
        let result = try store.enrol(Self.material(), replacing: false)
        let saved = try #require(result.saved.first)
        #expect(result.saved.count == 1 && saved.isNew)
        #expect(result.former.isEmpty && result.notices.isEmpty)
        #expect(root.mode("/etc/utunctl/credentials") == 0o700)
        for (file, text) in [
            "office.privateKey": "first private", "office.presharedKey1": "first 0",
            "office.presharedKey2": "first 1",
        ] {
            #expect(root.read("/etc/utunctl/credentials/\(file)") == text)
            #expect(root.mode("/etc/utunctl/credentials/\(file)") == 0o600)
        }
        #expect(root.mode("/etc/utunctl/profiles/office.json") == 0o644)
        let document = try #require(try PreferencesStore(layout).read())
        #expect(document.configurations == [saved.configuration])
        #expect(document.generation == 1)
        #expect(document.configurations.first?.providerConfigurationError == nil)
        #expect(
            try ProfileStore(layout).anchors(named: saved.configuration.trust).count == 2)
        #expect(root.contents.filter { $0.contains("/.") }.isEmpty)
    }

    @Test func whatIsThereIsNeverReplacedUnasked() throws {
        _ = try store.enrol(Self.material(), replacing: false)
        let before = files()
        #expect(throws: EnrolmentError.configurationExists("office")) {
            try store.enrol(Self.material(key: "second"), replacing: false)
        }
        #expect(files() == before)
        // A secret that somebody wrote by hand, and a profile whose configuration is gone.
        try root.write("/etc/utunctl/credentials/home.privateKey", "by hand", mode: 0o600)
        #expect(
            throws: EnrolmentError.fileExists(
                path: root.path("/etc/utunctl/credentials/home.privateKey"))
        ) {
            try store.enrol(Self.material("home"), replacing: false)
        }
        #expect(root.read("/etc/utunctl/credentials/home.privateKey") == "by hand")
    }

    @Test func replacingKeepsTheIdentifierAndTakesTheSecretsOfFormerPeersAway() throws {
        let first = try store.enrol(Self.material(peers: 3, preshared: 3), replacing: false)
        _ = try store.enrol(Self.material("home"), replacing: false)
        let second = try store.enrol(
            Self.material(key: "second", peers: 2, preshared: 1), replacing: true)
        let old = try #require(first.saved.first).configuration
        let new = try #require(second.saved.first).configuration
        #expect(new.identifier == old.identifier && new.generation == 3)
        #expect(second.former == [old.identifier: old])
        #expect(second.removedCredentials == ["office.presharedKey2", "office.presharedKey3"])
        #expect(
            try CredentialStore(layout).names() == [
                "home.presharedKey1", "home.presharedKey2", "home.privateKey",
                "office.presharedKey1", "office.privateKey",
            ])
        #expect(root.read("/etc/utunctl/credentials/office.privateKey") == "second private")
        // Nothing else than the private key differs: it is a new generation all the same.
        let third = try store.enrol(
            Self.material(key: "third", peers: 2, preshared: 1), replacing: true)
        #expect(third.saved.first?.configuration.generation == 4)
        #expect(root.contents.filter { $0.contains("/.") }.isEmpty)
    }

    @Test func whatIsTheSameIsNotWrittenAgain() throws {
        let first = try store.enrol(Self.material(), replacing: false)
        // What was made anew would have another inode.
        func inodes() -> [String: UInt64] {
            var inodes: [String: UInt64] = [:]
            for path in root.contents {
                var status = stat()
                guard lstat(root.path(path), &status) == 0 else { continue }
                inodes[path] = UInt64(status.st_ino)
            }
            return inodes
        }
        let before = inodes()
        let again = try store.enrol(Self.material(), replacing: true)
        #expect(again.saved.map(\.changed) == [false])
        #expect(again.saved.first?.configuration == first.saved.first?.configuration)
        #expect(again.changes.anchors.isEmpty && again.changes.replacedCredentials.isEmpty)
        #expect(inodes() == before)
        // Of several secrets, only the one that is another.
        let path = "/etc/utunctl/credentials/office.presharedKey1"
        try root.write(path, "by hand", mode: 0o600)
        let third = try store.enrol(Self.material(), replacing: true)
        #expect(third.changes.replacedCredentials == ["office.presharedKey1"])
        #expect(third.saved.map(\.changed) == [true])
        #expect(root.read(path) == "first 0")
        let key = "/etc/utunctl/credentials/office.privateKey"
        #expect(inodes()[key] == before[key])
        // One that others can read is written anew, and so is not lax any more.
        chmod(root.path(key), 0o644)
        _ = try store.enrol(Self.material(), replacing: true)
        #expect(root.mode(key) == 0o600)
    }

    @Test func anotherKeyOfAPeerIsTold() throws {
        _ = try store.enrol(Self.material(), replacing: false)
        var material = Self.material(peers: 1, preshared: 1)
        let old = material.profile.anchors[0]
        let new = TrustAnchor(
            name: "peer1", kind: .wireguard,
            value: TunnelModel.WireGuardKey.encode([UInt8](repeating: 9, count: 32)))
        material.profile.anchors[0] = new
        let result = try store.enrol(material, replacing: true)
        let changes = result.changes.anchors
        #expect(changes.map(\.name) == ["office/peer1", "office/peer2"])
        #expect(changes.first?.old == old && changes.first?.new == new)
        #expect(changes.last?.new == nil)
        #expect(result.saved.map(\.changed) == [true])
    }

    /// The configuration was renamed, and a new file is enrolled under its former name.
    @Test(arguments: [false, true])
    func whatAnotherConfigurationUsesIsNotReplacedUnderIt(isSame: Bool) throws {
        _ = try store.enrol(Self.material(), replacing: false)
        _ = try PreferencesStore(layout).update { document throws(PreferencesError) in
            var renamed = document.configurations[0]
            renamed.name = "renamed"
            _ = try document.save([renamed])
        }
        let before = files()
        let material = Self.material(key: isSame ? "first" : "second")
        for enrol in [store.enrol, store.rehearse] {
            for replacing in [false, true] {
                do {
                    _ = try enrol(material, replacing, false)
                    Issue.record("it was enrolled")
                } catch {
                    #expect(error == .credentialInUse("office.presharedKey1", by: ["renamed"]))
                }
            }
        }
        #expect(files() == before)
    }

    @Test func anAnchorThatAnotherConfigurationTrustsIsNotReplacedUnderIt() throws {
        _ = try store.enrol(Self.material(preshared: 0), replacing: false)
        _ = try PreferencesStore(layout).update { document throws(PreferencesError) in
            var other = Configuration(identifier: "", name: "other")
            other.trust = ["office/peer2"]
            _ = try document.save([other])
        }
        let before = files()
        #expect(throws: EnrolmentError.anchorInUse("office/peer2", by: ["other"])) {
            try store.enrol(Self.material(peers: 1, preshared: 0), replacing: true)
        }
        #expect(files() == before)
        _ = try store.enrol(Self.material(peers: 3, preshared: 0), replacing: true)
    }

    @Test func aPeerThatWasOptionalStaysSoAsLongAsItsKeyIsTheSame() throws {
        _ = try store.enrol(Self.material(), replacing: false)
        _ = try PreferencesStore(layout).update { document throws(PreferencesError) in
            var changed = document.configurations[0]
            var own = try? WireGuardConfiguration(changed.providerConfiguration)
            own?.peers[1].optional = true
            if let own { changed.providerConfiguration = JSONObject(writing: own) }
            _ = try document.save([changed])
        }
        func optional(_ result: EnrolledResult) throws -> [Bool] {
            let configuration = try #require(result.saved.first).configuration
            return try WireGuardConfiguration(configuration.providerConfiguration).peers.map(
                \.optional)
        }
        let more = try store.enrol(Self.material(peers: 3), replacing: true)
        #expect(try optional(more) == [false, true, false])
        var other = Self.material()
        let tunnel = EnrolledWireGuard(
            "office", of: "office", addresses: [IPPrefix("10.9.0.2/24")].compactMap(\.self))
        other = EnrolledMaterial(EnrolledProfile(identifier: "office"))
        var swapped = tunnel
        swapped.setPrivateKey(Secret(Array("first private".utf8)))
        for number in [1, 0] {
            let bytes = [UInt8(number), 0] + [UInt8](repeating: 3, count: 30)
            swapped.addPeer(
                publicKey: TunnelModel.WireGuardKey.encode(bytes), presharedKey: nil
            ) { _ in }
        }
        other.add(swapped)
        #expect(try optional(try store.enrol(other, replacing: true)) == [true, false])
    }

    @Test func aSecretThatAnotherConfigurationRefersToStays() throws {
        _ = try store.enrol(Self.material(), replacing: false)
        _ = try PreferencesStore(layout).update { document throws(PreferencesError) in
            var other = Configuration(identifier: "", name: "other")
            other.credentials = ["a": "file:office.presharedKey2"]
            _ = try document.save([other])
        }
        let result = try store.enrol(Self.material(peers: 1, preshared: 1), replacing: true)
        #expect(result.removedCredentials.isEmpty)
        #expect(root.read("/etc/utunctl/credentials/office.presharedKey2") == "first 1")
    }

    @Test func aRehearsalWritesNothing() throws {
        _ = try store.rehearse(Self.material(), replacing: false)
        #expect(root.contents.isEmpty)
        _ = try store.enrol(Self.material(), replacing: false)
        let before = files()
        let result = try store.rehearse(Self.material(key: "x", peers: 1), replacing: true)
        #expect(result.removedCredentials == ["office.presharedKey2"])
        #expect(result.saved.map(\.changed) == [true] && result.saved.map(\.isNew) == [false])
        #expect(files() == before)
    }

    // MARK: In the middle

    /// The steps of an enrolment, in their order.
    private func steps(_ material: EnrolledMaterial, replacing: Bool) throws -> [() throws -> Void]
    {
        _ = try PreferencesTurn.take(layout)
        let name = material.profile.identifier
        let store = PreferencesStore(layout)
        var document = try store.read() ?? PreferencesDocument()
        let former = document.configurations.first { $0.name == name }
        var configuration =
            former ?? Configuration(identifier: Identifier.make(from: [7]), name: name)
        try #require(material.tunnels.first).configure(&configuration)
        let saved = document.put(configuration)
        let files =
            material.secrets.keys.sorted().map { EnrolledFile.credential($0) }
            + [.profile(name)]
        let journal = EnrolmentJournal(
            name: name, configurations: [saved.mark],
            replaced: files.filter { Directory.holds($0.path(in: layout)) },
            created: files.filter { !Directory.holds($0.path(in: layout)) },
            obsolete: replacing ? [.credential("\(name).presharedKey2")] : [])
        let credentials = CredentialStore(layout)
        let new = document
        var steps: [() throws -> Void] = [
            { try journal.begin(layout) }, { try credentials.prepare() },
        ]
        for (file, secret) in material.secrets.sorted(by: { $0.key < $1.key }) {
            // What a writer leaves that is killed between its first byte and its end.
            steps.append {
                try root.write("/etc/utunctl/credentials/.\(file).0123456789ab", "x", mode: 0o600)
            }
            steps.append { try credentials.put(secret.bytes, as: file) }
        }
        steps.append { try ProfileStore(layout).replace(material.profile) }
        steps.append {
            let turn = try PreferencesTurn.take(layout)
            try store.write(new, turn)
        }
        return steps
    }

    private func settle() throws -> String? {
        let turn = try PreferencesTurn.take(layout)
        return try store.settle(turn)
    }

    @Test(arguments: [false, true])
    func whereverItIsKilledTheNextChangeFindsAllOrNothing(replacing: Bool) throws {
        if replacing { _ = try store.enrol(Self.material(), replacing: false) }
        let old = files()
        let material = Self.material(key: "second", peers: 1, preshared: 1)
        let count = try steps(material, replacing: replacing).count
        for reached in 1...count {
            for step in try steps(material, replacing: replacing).prefix(reached) { try step() }
            let isDone = reached == count
            #expect(store.isUnsettled)
            #expect(
                try settle()
                    == "an interrupted enrolment of office was \(isDone ? "completed" : "taken back")"
            )
            #expect(try settle() == nil)
            guard !isDone else { break }
            var left = files()
            // The directories stay, which is nothing that anybody could take for an enrolment.
            for directory in ["/credentials", "/profiles", ""]
            where old["/etc/utunctl\(directory)"] == nil {
                left["/etc/utunctl\(directory)"] = nil
            }
            left["/etc"] = old["/etc"]
            #expect(left == old, "after \(reached) of \(count) steps")
        }
        #expect(root.read("/etc/utunctl/credentials/office.privateKey") == "second private")
        #expect(
            try CredentialStore(layout).names() == ["office.presharedKey1", "office.privateKey"])
        #expect(root.contents.filter { $0.contains("/.") }.isEmpty)
    }

    @Test func takingBackMayItselfBeKilled() throws {
        _ = try store.enrol(Self.material(), replacing: false)
        let old = files()
        let material = Self.material(key: "second")
        for step in try steps(material, replacing: true).dropLast() { try step() }
        // As it is after the first of the files was moved back.
        let credentials = "/etc/utunctl/credentials"
        try Directory.move(
            root.path("\(credentials)/.former.office.presharedKey1"),
            over: root.path("\(credentials)/office.presharedKey1"))
        #expect(try settle() != nil)
        #expect(files() == old)
    }

    @Test func aSaveSettlesItAsWell() throws {
        _ = try store.enrol(Self.material(), replacing: false)
        for step in try steps(Self.material(key: "second"), replacing: true).dropLast() {
            try step()
        }
        _ = try PreferencesStore(layout).update { document throws(PreferencesError) in
            try document.save([Configuration(identifier: "", name: "other")])
        }
        #expect(root.read("/etc/utunctl/credentials/office.privateKey") == "first private")
        #expect(!store.isUnsettled)
    }

    @Test func aLaterChangeOfTheConfigurationDoesNotTakeItBack() throws {
        for step in try steps(Self.material(), replacing: false) { try step() }
        // The journal is still there, as after a power cut, and somebody edited the document.
        let text = try #require(root.read("/etc/utunctl/preferences.json"))
        try root.write(
            "/etc/utunctl/preferences.json",
            text.replacing("\"generation\":1", with: "\"generation\":5"), mode: 0o600)
        #expect(try settle() == "an interrupted enrolment of office was completed")
        #expect(root.read("/etc/utunctl/credentials/office.privateKey") == "first private")
    }

    /// What is in the way, and what the failure names.
    @Test(arguments: ["/etc/utunctl/profiles", "/etc/utunctl/credentials"])
    func aFailureInTheMiddleTakesBackWhatWasDone(obstacle: String) throws {
        try root.write(obstacle, "a file where a directory must be")
        let old = files()
        #expect(throws: EnrolmentError.self) {
            try store.enrol(Self.material(), replacing: false)
        }
        var left = files()
        for directory in ["/etc/utunctl/profiles", "/etc/utunctl/credentials"]
        where directory != obstacle {
            left[directory] = nil
        }
        #expect(left == old)
    }

    @Test(
        arguments: [
            ("{", 0o600), ("{\"formatVersion\": 1}", 0o600), ("{\"formatVersion\": 9}", 0o600),
            (
                #"{"formatVersion": 1, "name": "a", "configurations": [{"identifier": "b", "generation": 1}], "replaced": [], "created": ["credentials/../../x"], "obsolete": []}"#,
                0o600
            ),
            (
                #"{"formatVersion": 1, "name": "a", "configurations": [{"identifier": "b", "generation": 1}], "replaced": [], "created": ["credentials/k"], "obsolete": []}"#,
                0o666
            ),
        ] as [(String, UInt32)])
    func aJournalThatIsNoneRemovesNothing(text: String, mode: UInt32) throws {
        try root.write("/etc/utunctl/credentials/k", "secret", mode: 0o600)
        try root.write("/etc/utunctl/x", "x")
        try root.write(journal, text, mode: mode)
        let old = files()
        #expect(throws: PreferencesError.self) { try settle() }
        #expect(throws: PreferencesError.self) {
            try PreferencesStore(layout).update { document throws(PreferencesError) in
                try document.save([Configuration(identifier: "", name: "other")])
            }
        }
        #expect(files() == old)
    }

    @Test func aThousandSecretsAreTakenAndReplaced() throws {
        let material = Self.material(peers: 1000, preshared: 1000)
        _ = try store.enrol(material, replacing: false)
        _ = try store.enrol(material, replacing: true)
        #expect(try CredentialStore(layout).names().count == 1001)
    }
}
