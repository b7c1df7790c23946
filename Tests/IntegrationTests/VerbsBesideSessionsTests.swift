import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// The verbs that change what is saved or left, beside tunnels that run or were killed.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct VerbsBesideSessionsTests {
    @Test func whatIsSavedAndRepairedTouchesNoRunningTunnel() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let before = try Kernel.snapshot()

        let save = try site.utunctl("save", "office", "--set", "interface.mtu=1400")
        #expect(
            save.errors
                == "utunctl: office runs: what was saved takes effect by a reload or its next start\n"
        )
        let further = try site.utunctl("save", "office", "--set", "interface.name=other0")
        #expect(
            further.errors.contains(
                "by its next start, as no reload takes interface.name: utunctl restart office"),
            "\(further)")
        let repair = try site.utunctl("repair", "office")
        #expect(repair.status == 0)
        #expect(repair.errors.contains("office runs, and was left alone"))
        #expect(try site.utunctl("repair", "--all").output.isEmpty)
        #expect(
            try site.json("doctor")["findings"]?.array?.contains { finding in
                ["leftovers", "sessionHostUnreachable"].contains(finding.object?["code"]?.string)
            } == false)
        #expect(try Kernel.snapshot() == before)
        #expect(try site.status("office")["restartNeeded"] == .bool(true))
    }

    @Test func removingStopsFirst() throws {
        let site = try Installation()
        try site.save("office")
        let before = try Kernel.snapshot()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let identifier = try site.identifier(of: "office")
        let remove = try site.utunctl("remove", "office", "--json")
        #expect(remove.status == 0, "\(remove)")
        #expect(
            remove.output == """
                {"formatVersion":1,"removed":[{"name":"office","identifier":"\(identifier)",\
                "wasRunning":true}]}

                """)
        #expect(try Kernel.snapshot() == before)
        #expect(try Directory.names("\(site.root)/run/utunctl").isEmpty)
        #expect(try site.utunctl("status", "office").status == 4)
    }

    @Test func aKilledSessionIsFoundAndRepairedWithoutPreferences() throws {
        let site = try Installation()
        try site.save("office")
        let before = try Kernel.snapshot()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let identifier = try site.identifier(of: "office")
        let lock = "run/utunctl/\(identifier).lock"
        let pid = try #require(try sessionHost(below: site.root))
        kill(pid, SIGKILL)
        try site.write("broken", to: "etc/utunctl/preferences.json", mode: 0o600)
        for _ in 0..<500 where try FileLock.isHeld("\(site.root)/\(lock)") { usleep(2000) }

        let doctor = try site.utunctl("doctor")
        #expect(doctor.status == 1)
        #expect(doctor.output.contains("leftovers: office: "))
        let repair = try site.utunctl("repair", "office")
        #expect(repair.status == 0, "\(repair)")
        #expect(repair.output.contains("cleared record office of office"))
        #expect(try Kernel.snapshot() == before)
        #expect(site.read("etc/utunctl/preferences.json") == "broken")
        #expect(try site.utunctl("doctor").output.contains("leftovers") == false)
    }

    /// The process of the one session host of a root.
    private func sessionHost(below root: String) throws -> Int32? {
        try Directory.names("/proc").lazy.compactMap { Int32($0) }.first { pid in
            let file = try? FileDescriptor.open("/proc/\(pid)/cmdline", O_RDONLY)
            let line = (try? file?.readAll(limit: 65_536)) ?? []
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.contains("--foreground") && words.contains("--root=\(root)")
        }
    }
}
