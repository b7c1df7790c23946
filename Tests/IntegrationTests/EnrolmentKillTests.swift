import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Wherever an enrolment is killed, the next verb finds all of it or nothing.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct EnrolmentKillTests {
    /// The calls by which an enrolment changes what is on the disk, or makes sure of it.
    private static let calls = [
        "write", "fsync", "fdatasync", "syncfs", "rename,renameat,renameat2", "link,linkat",
        "unlink,unlinkat", "mkdir,mkdirat", "openat", "fchmod,fchown",
    ]
    private static let mostCalls = 300

    private let site: Installation
    private let key: TestSupport.WireGuardKey

    init() throws {
        site = try Installation()
        try site.installWireGuard()
        key = try TestSupport.WireGuardKey()
    }

    /// A profile of two tunnels whose titles are a version.
    private func profile(_ version: String, tunnels: [String]) -> String {
        let tunnels = tunnels.map { name in
            #"{"name": "\#(name)", "title": "\#(version)", "provider": "org.utunctl.wireguard", "#
                + #""trust": ["office/gateway"], "credentials": {"privateKey": "file:\#(name).key"}, "#
                + #""providerConfiguration": {"addresses": ["10.9.0.2/24"], "#
                + #""peers": [{"trust": "office/gateway", "allowedIPs": ["10.9.0.0/16"]}]}}"#
        }
        return #"{"formatVersion": 1, "identifier": "office", "title": "\#(version)", "anchors": "#
            + #"[{"name": "gateway", "kind": "wireguard", "publicKey": "\#(key.publicKey)"}], "#
            + #""configurations": [\#(tunnels.joined(separator: ", "))]}"#
    }

    /// Everything below /etc/utunctl, but for the locks, and for the file that became no journal
    /// and goes with the next change.
    private func state() throws -> [String] {
        let directory = "\(site.root)/etc/utunctl"
        return try Command.run([
            "find", directory, "-type", "f", "!", "-name", ".lock", "!", "-name",
            "*.enrolment.json.*",
        ]).output
            .split(separator: "\n").map(String.init).sorted()
            .map { path in
                "\(path): \(site.read(String(path.dropFirst(site.root.utf8.count + 1))) ?? "")"
            }
    }

    /// What `state` is of one enrolment, whichever generation it came to.
    private func version() throws -> String {
        let profile = try Installation.parse(site.read("etc/utunctl/profiles/office.json") ?? "")
        let title = profile["title"]?.string ?? ""
        let loaded = try Installation.parse(try site.utunctl("load").output)
        let titles = loaded["configurations"]?.array?.compactMap { $0.object?["title"]?.string }
        #expect(titles?.allSatisfy { $0 == title } == true, "\(title): \(titles ?? [])")
        return "\(title) \(titles?.count ?? 0)"
    }

    @Test func aProfileOfSeveralTunnelsIsAllOrNothing() throws {
        try site.write(profile("first", tunnels: ["office", "lab"]), to: "first.json")
        try site.write(profile("second", tunnels: ["office", "lab", "home"]), to: "second.json")
        #expect(try site.utunctl("enroll", "\(site.root)/first.json").status == 0)
        let before = try state()
        try copy("etc/utunctl", "kept")
        var versions: [String: Int] = [:]
        for call in Self.calls {
            for number in 1...Self.mostCalls {
                let point = KillPoint(call: call, number: number)
                let run = try Command.run(
                    point.command(
                        site.command(["enroll", "\(site.root)/second.json", "--replace"])))
                guard run.status != 0 else { break }
                #expect(run.status == 128 + SIGKILL, "\(point): \(run)")
                #expect(try site.utunctl("repair").status == 0)
                let version = try version()
                versions[version, default: 0] += 1
                if version == "first 2" { #expect(try state() == before, "\(point)") }
                try copy("kept", "etc/utunctl")
                #expect(number < Self.mostCalls)
            }
            try copy("kept", "etc/utunctl")
        }
        // Otherwise the points were not those at which it does something.
        #expect(Set(versions.keys) == ["first 2", "second 3"], "\(versions)")
        #expect(versions["first 2", default: 0] > 20, "\(versions)")
    }

    /// Keeps all that is configured, or puts it back as it was.
    private func copy(_ from: String, _ to: String) throws {
        let run = try Command.run([
            "sh", "-c", "rm -rf \"$2\" && cp -a \"$1\" \"$2\"", "sh", "\(site.root)/\(from)",
            "\(site.root)/\(to)",
        ])
        #expect(run.status == 0, "\(run)")
    }

    @Test func aRemovalOfAProfileIsAllOrNothing() throws {
        let file = WireGuardFile(
            key: key, addresses: ["10.100.0.1/24"],
            peers: [
                WireGuardFile.Peer(
                    TestSupport.WireGuardKey.publicKeyOfNobody(), allowedIPs: ["10.77.0.0/16"])
            ]
        ).forQuick
        try site.write(file, to: "home.conf", mode: 0o600)
        func enrol() throws {
            let run = try site.utunctl("enroll", "\(site.root)/home.conf", "--name", "home")
            #expect(run.status == 0, "\(run)")
            #expect(try site.utunctl("remove", "home").status == 0)
        }
        try enrol()
        var isThere: [Bool: Int] = [:]
        for call in Self.calls {
            for number in 1...Self.mostCalls {
                let point = KillPoint(call: call, number: number)
                let run = try Command.run(
                    point.command(site.command(["profiles", "remove", "home"])))
                if run.status == 0 {
                    try enrol()
                    break
                }
                #expect(run.status == 128 + SIGKILL, "\(point): \(run)")
                #expect(try site.utunctl("repair").status == 0)
                let profile = site.read("etc/utunctl/profiles/home.json") != nil
                let secret = site.read("etc/utunctl/credentials/home.privateKey") != nil
                #expect(profile == secret, "\(point)")
                isThere[profile, default: 0] += 1
                if !profile { try enrol() }
                #expect(number < Self.mostCalls)
            }
        }
        #expect(isThere[true, default: 0] > 0 && isThere[false, default: 0] > 0, "\(isThere)")
    }
}
