import JSON
import LinuxSystem
import Preferences
import TestSupport
import Testing
import TunnelModel

@Suite struct ProfileStoreTests {
    private let root: TemporaryRoot
    private let store: ProfileStore
    private let key = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
    private let other = "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="

    init() throws {
        root = try TemporaryRoot()
        store = ProfileStore(FileLayout(root: root.path))
    }

    private func path(_ profile: String) -> String { "/etc/utunctl/profiles/\(profile).json" }

    private func enrol(_ profile: String, _ anchors: [String: String], notAfter: Timestamp? = nil)
        throws
    {
        try store.replace(
            EnrolledProfile(
                identifier: profile, notAfter: notAfter,
                anchors: anchors.sorted { $0.key < $1.key }.map {
                    TrustAnchor(name: $0.key, kind: .wireguard, value: $0.value)
                }))
    }

    private func error(_ names: String..., kind: ProviderManifest.TrustKind? = nil)
        -> ProfileError?
    {
        do throws(ProfileError) {
            _ = try store.anchors(named: names, for: kind)
            return nil
        } catch {
            return error
        }
    }

    @Test func anAnchorIsFoundUnderTheNameThatConfigurationsUse() throws {
        try enrol("office", ["peer1": key, "peer2": other])
        let anchor = try store.anchor(named: "office/peer2")
        #expect(anchor == TrustAnchor(name: "office/peer2", kind: .wireguard, value: other))
        #expect(
            try store.anchors(named: ["office/peer2", "office/peer1"]).map(\.value) == [other, key])
        #expect(root.mode(path("office")) == 0o644)
        #expect(root.mode("/etc/utunctl/profiles") == 0o755)
        #expect(store.names == ["office"])
    }

    @Test func whatIsMissingIsNamed() throws {
        try enrol("office", ["peer1": key])
        #expect(error("system") == .notAnAnchor(name: "system"))
        #expect(
            error("offce/peer1")
                == .notEnrolled(name: "offce/peer1", profile: "offce", enrolled: ["office"]))
        #expect(
            error("office/peer1", "office/peer2")
                == .noSuchAnchor(name: "office/peer2", anchors: ["peer1"]))
        #expect(try store.profile("home") == nil)
    }

    @Test func anAnchorOfAnotherKindIsNoneForTheProvider() throws {
        try enrol("office", ["peer1": key])
        #expect(error("office/peer1", kind: .wireguard) == nil)
        #expect(
            error("office/peer1", kind: .x509)
                == .wrongKind(name: "office/peer1", kind: .wireguard, wanted: .x509))
    }

    @Test func oneKeyUnderTwoNamesWouldBeOnePeer() throws {
        try enrol("office", ["peer1": key])
        try enrol("home", ["gateway": key])
        #expect(
            error("office/peer1", "home/gateway")
                == .sameKey(name: "home/gateway", other: "office/peer1"))
        #expect(error("office/peer1", "office/peer1") == nil)
    }

    @Test func aProfileWhoseTimeIsOverCountsForNothing() throws {
        let past = Timestamp(microseconds: 1_000_000)
        try enrol("office", ["peer1": key], notAfter: past)
        #expect(error("office/peer1") == .expired(profile: "office", notAfter: past))
        let future = Timestamp(microseconds: Clock.wallMicroseconds + 3_600_000_000)
        try enrol("office", ["peer1": key], notAfter: future)
        #expect(error("office/peer1") == nil)
    }

    /// What the file holds, its mode, and the problem that is told.
    @Test(
        arguments: [
            ("{", 0o644, "line 1"),
            (
                "{\"formatVersion\": 1, \"identifier\": \"home\"}", 0o644,
                "identifier: home, where the"
            ),
            (
                "{\"formatVersion\": 1, \"identifier\": \"office\", \"x\": 1}", 0o644,
                "unknown key x"
            ),
            (
                "{\"formatVersion\": 9, \"identifier\": \"office\"}", 0o644,
                "written by a newer utunctl"
            ),
            ("{\"formatVersion\": 1, \"identifier\": \"office\"}", 0o666, "lets others write it"),
        ] as [(String, UInt32, String)])
    func aFileThatCannotBeTrustedIsNotRead(text: String, mode: UInt32, problem: String) throws {
        try root.write(path("office"), text, mode: mode)
        guard case .unusable("office", let place, let found)? = error("office/peer1") else {
            Issue.record("not unusable: \(String(describing: error("office/peer1")))")
            return
        }
        #expect(place == root.path(path("office")))
        #expect(found.contains(problem), "\(found)")
    }

    @Test func aDirectoryThatAnybodyMayWriteHoldsNoAnchors() throws {
        try enrol("office", ["peer1": key])
        try root.makeDirectory("/etc/utunctl/profiles", mode: 0o777)
        guard case .unusable(_, _, let problem)? = error("office/peer1") else {
            Issue.record("an anchor was taken from a directory that anybody may write")
            return
        }
        #expect(problem.contains("its directory: mode 0777 lets others write it"))
    }

    @Test func allProblemsAreToldWithTheirPlaces() throws {
        try enrol("office", ["peer1": key])
        let problems = store.problems(of: ["office/peer9", "office/peer1", "x", "home/a"])
        #expect(problems.map(\.index) == [0, 2, 3])
        #expect(problems.map(\.error).last != nil)
    }

    @Test func removingIsDoneOnceAndTwice() throws {
        try enrol("office", ["peer1": key])
        try store.remove("office")
        try store.remove("office")
        #expect(try store.profile("office") == nil)
        #expect(store.names == [])
    }

    @Test func aThousandAnchorsAreReadInOneGo() throws {
        let counts = [50, 1000]
        for count in counts {
            var anchors: [String: String] = [:]
            for number in 0..<count {
                let bytes = [UInt8(number & 255), UInt8(number >> 8)]
                anchors["peer\(number)"] = WireGuardKey.encode(
                    bytes + [UInt8](repeating: 9, count: 30))
            }
            try enrol("office\(count)", anchors)
        }
        let growth = try growth(from: counts[0], to: counts[1]) { count in
            let found = try store.anchors(named: (0..<count).map { "office\(count)/peer\($0)" })
            #expect(found.count == count)
        }
        // 20 times as many; a file that were read for each of them would take 400 times.
        #expect(growth < 150)
    }
}
