import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What those may do to a tunnel who may only look at it, and other users of the system.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent },
    .enabled(if: geteuid() == 0 && Account.isMapped(uid: 65_534), "needs a second user"))
struct OnlookerTests {
    /// Runs Python as somebody without privileges, up to the word that it is ready.
    private func onlooker(_ script: String) throws -> Command {
        let beginning = """
            import fcntl, os, socket, struct, time
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)

            """
        let command = try Command(
            ["python3", "-c", beginning + script + "\nprint('ready', flush=True)\ntime.sleep(60)"])
        guard try command.output(until: "ready").contains("ready") else {
            throw Unexpected("onlooker: \(try command.finish(seconds: 1))")
        }
        return command
    }

    @Test func aLockOnTheDirectoryKeepsNobodyFromSaving() throws {
        let site = try Installation()
        let other = try onlooker(
            "fcntl.flock(os.open('\(site.root)/etc/utunctl', os.O_RDONLY), fcntl.LOCK_EX)")
        let (_, time) = try timed { try site.save("office") }
        #expect(time < aSecond)
        other.signal(SIGKILL)
    }

    @Test func aReadersLockOnTheLockOfADeadHostHoldsUpNothing() throws {
        let site = try Installation()
        let identifier = try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let lock = "\(site.root)/run/utunctl/\(identifier).lock"
        // As where the group exists whose members may look.
        chmod(lock, 0o644)
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try Kernel.tunnels().isEmpty })
        let other = try onlooker(
            """
            held = os.open('\(lock)', os.O_RDONLY)
            fcntl.fcntl(held, 37, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0))
            """)
        #expect(try site.word("office") == "disconnected")
        let (start, time) = try timed { try site.utunctl("start", "--wait", "office") }
        #expect(start.status == 0, "\(start)")
        #expect(time < aSecond)
        #expect(try site.word("office") == "connected")
        other.signal(SIGKILL)
    }

    @Test func connectionsOfOnlookersShutNobodyOutWhoMayStop() throws {
        let site = try Installation()
        let identifier = try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        chmod("\(site.root)/run/utunctl/\(identifier).sock", 0o666)
        let other = try onlooker(
            """
            os.chdir('\(site.root)/run/utunctl')
            held = []
            for n in range(400):
                held.append(socket.socket(socket.AF_UNIX))
                held[-1].connect('\(identifier).sock')
            """)
        #expect(try site.utunctl("status", "office").status == 0)
        let (stop, time) = try timed { try site.utunctl("stop", "office") }
        #expect(stop.status == 0 && time < aSecond, "\(stop)")
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        other.signal(SIGKILL)
    }

    @Test func aFloodOfQuestionsOfAnOnlookerHoldsUpNobody() throws {
        let site = try Installation()
        let identifier = try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        chmod("\(site.root)/run/utunctl/\(identifier).sock", 0o666)
        let other = try onlooker(
            """
            os.chdir('\(site.root)/run/utunctl')
            held = [socket.socket(socket.AF_UNIX) for n in range(8)]
            for one in held:
                one.connect('\(identifier).sock')
                one.setblocking(False)
            question = b'{"type":"status"}\\n' * 3000
            if os.fork() == 0:
                while True:
                    for one in held:
                        try:
                            one.send(question)
                            one.recv(1 << 20)
                        except OSError:
                            pass
            """)
        usleep(500_000)
        for _ in 0..<4 {
            let (status, time) = try timed { try site.utunctl("status", "office") }
            #expect(status.status == 0 && time < aSecond, "\(status)")
        }
        let memory = try #require(Processes.residentMemory(try site.livingHost(of: "office")))
        #expect(memory < 65_536, "KiB")
        _ = try Command.run(["pkill", "-9", "-P", "\(other.pid)"])
        other.signal(SIGKILL)
        #expect(try site.utunctl("stop", "office").status == 0)
    }
}
