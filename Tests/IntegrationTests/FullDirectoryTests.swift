import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// File systems that take nothing more.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct FullDirectoryTests {
    private func mount(_ path: String, _ site: Installation) throws {
        try Directory.create("\(site.root)/\(path)", mode: 0o755)
        let mount = try Command.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k,mode=755", "none", "\(site.root)/\(path)"])
        try #require(mount.status == 0, "\(mount)")
    }

    private func unmount(_ path: String, _ site: Installation) throws {
        _ = try site.utunctl("stop", "--all")
        #expect(try Command.run(["umount", "-l", "\(site.root)/\(path)"]).status == 0)
    }

    private func fill(_ path: String, _ site: Installation) throws {
        let file = try FileDescriptor.open(
            "\(site.root)/\(path)/fill", O_WRONLY | O_CREAT, mode: 0o600)
        for size in [4096, 1] {
            while (try? file.write([UInt8](repeating: 0, count: size))) != nil {}
        }
    }

    @Test func aStopInAFullRuntimeDirectoryIsNoCrash() throws {
        let site = try Installation()
        let identifier = try site.save("office")
        try mount("run/utunctl", site)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try fill("run/utunctl", site)
        #expect(try site.word("office") == "connected")
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        #expect(site.read("run/utunctl/\(identifier).lock") == nil)
        #expect(try site.warnings("office").isEmpty)
        try unmount("run/utunctl", site)
    }

    @Test func aRepairInAFullRuntimeDirectoryLeavesNothing() throws {
        let site = try Installation()
        try site.save("office")
        try mount("run/utunctl", site)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try fill("run/utunctl", site)
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try site.word("office") == "disconnected" })
        let repair = try site.utunctl("repair", "office")
        #expect(repair.status == 0, "\(repair)")
        #expect(try site.lastDisconnect("office").code == "sessionHostCrashed")
        let left = try Directory.names("\(site.root)/run/utunctl")
        #expect(left.allSatisfy { !$0.hasSuffix(".lock") && !$0.hasSuffix(".sock") }, "\(left)")
        try unmount("run/utunctl", site)
    }

    @Test func aSaveThatChangesNothingSucceedsWhereNothingCanBeWritten() throws {
        let site = try Installation()
        try mount("etc/utunctl", site)
        try site.save("office")
        let path = "\(site.root)/etc/utunctl"
        #expect(try Command.run(["mount", "-o", "remount,ro", path]).status == 0)
        #expect(try site.utunctl("save", "office").status == 0)
        #expect(try site.utunctl("save", "office", "--set", "title=x").status == 10)
        try unmount("etc/utunctl", site)
    }
}
