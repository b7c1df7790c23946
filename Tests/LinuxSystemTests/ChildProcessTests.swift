import Glibc
import LinuxSystem
import Testing

@Suite struct ChildProcessTests {
    @Test func argumentsAndEnvironmentAreWhatWasGivenAndNothingElse() throws {
        let arguments = ["-c", "printf '%s|' \"$0\" \"$@\"", "", "a b", "ü\n", "--", "*"]
        #expect(try Child.run("/bin/sh", arguments).output == "|a b|ü\n|--|*|")
        let environment = ["A=1", "EMPTY=", "ODD=x=y z"]
        let result = try Child.run("/usr/bin/env", environment: environment)
        #expect(result.lines.sorted() == environment)
        #expect(try Child.run("/usr/bin/env").output == "")
    }

    @Test(arguments: [0, 1, 42, 255] as [CInt])
    func anExitStatusIsReaped(status: CInt) throws {
        #expect(try Child.shell("exit \(status)").exit == .status(status))
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGSEGV, SIGPIPE])
    func aSignalIsReaped(signal: CInt) throws {
        let result = try Child.shell("ulimit -c 0; kill -\(signal) $$; sleep 10")
        #expect(result.exit == .signal(signal))
    }

    @Test func howAChildEndedIsSaidInWords() {
        #expect(ChildProcess.Exit.status(1).text == "exited with status 1")
        #expect(ChildProcess.Exit.signal(9).text == "was ended by signal 9 (SIGKILL)")
        #expect(ChildProcess.Exit.signal(99).text == "was ended by signal 99 (unknown)")
    }

    @Test func aChildThatRunsIsNotReapedAndCanBeSignalled() throws {
        let executable = try FileDescriptor.open("/bin/sleep", O_RDONLY)
        let child = try ChildProcess.launch(
            executable: executable, name: "sleep", arguments: ["sleep", "100"],
            environment: [], descriptors: [nil, nil, nil])
        #expect(try child.reap() == nil)
        let other = try OtherProcess(pid: child.pid)
        try other.signal(0)
        try other.signal(SIGTERM)
        #expect(try Child.wait(for: child) == .signal(SIGTERM))
        // Its number may be another's by now: a signal goes nowhere, and nothing is left.
        child.signal(SIGKILL)
        #expect(throws: SystemError("waitid", errno: ECHILD)) { try child.reap() }
        #expect(throws: SystemError("pidfd_send_signal", errno: ESRCH)) {
            try other.signal(SIGTERM)
        }
    }

    @Test func noDescriptorIsPassedBesidesThoseThatWereGiven() throws {
        // Without close-on-exec, as a careless library would open it.
        let stray = dup(0)
        let far = fcntl(0, F_DUPFD, 500)
        defer { close(stray); close(far) }
        let (reading, writing) = try rawPipe()
        defer { close(reading); close(writing) }
        // The highest is that of the listing itself.
        #expect(
            try Child.run("/bin/ls", ["/proc/self/fd"]).lines.sorted() == ["0", "1", "2", "3"])
        #expect(
            try Child.run("/bin/ls", ["/proc/self/fd"], further: [reading, writing]).lines.sorted()
                == ["0", "1", "2", "3", "4", "5"])
    }

    @Test func whatIsNotGivenIsTheNullDevice() throws {
        let script = "readlink /proc/self/fd/0; if read -r x; then echo more; else echo end; fi"
        #expect(try Child.shell(script).lines == ["/dev/null", "end"])
    }

    @Test func descriptorsComeToTheirPlacesAlsoWhereTheNumbersOverlap() throws {
        let directory = try TemporaryDirectory()
        var files: [FileDescriptorBox] = []
        for number in 0..<120 {
            let path = try directory.write("\(number)", "file \(number)\n")
            files.append(FileDescriptorBox(try FileDescriptor.open(path, O_RDONLY)))
        }
        // Sources and targets are the same range of numbers, in another order.
        let order = (0..<120).map { $0 * 77 % 120 }
        let descriptors = order.compactMap { files[$0].raw }
        let result = try Child.shell(
            "n=3; while [ $n -lt 123 ]; do read -r x </proc/self/fd/$n; echo \"$x\"; n=$((n+1)); done",
            further: descriptors)
        #expect(result.lines == order.map { "file \($0)" })
    }

    @Test func oneDescriptorMayComeToSeveralPlaces() throws {
        let (reading, writing) = try rawPipe()
        defer { close(reading) }
        let result = try Child.shell(
            "echo a >/proc/self/fd/3; echo b >/proc/self/fd/4", further: [writing, writing])
        close(writing)
        #expect(result.exit == .status(0))
        // Not up to the end: a child that another test just forked may hold the pipe open.
        let pipe = FileDescriptor(taking: dup(reading))
        #expect(try pipe.read(atMost: 99) == Array("a\nb\n".utf8))
    }

    @Test func moreDescriptorsThanUsualArePassed() throws {
        let (reading, writing) = try rawPipe()
        defer { close(reading); close(writing) }
        let many = [CInt](repeating: reading, count: 600)
        let result = try Child.run("/bin/ls", ["/proc/self/fd"], further: many)
        #expect(result.lines.count == 604)
    }

    @Test func aDescriptorThatIsNotOpenIsToldByItsStage() throws {
        let failure = try Child.failure("/bin/true", further: [1_000_000])
        #expect(failure?.stage == .descriptors)
        #expect(failure?.error == SystemError("handing descriptors to", "/bin/true", errno: EBADF))
    }

    @Test func whatCannotBeRunIsToldWithItsErrno() throws {
        let directory = try TemporaryDirectory()
        let cases: [(String, mode_t, CInt)] = [
            ("#!/bin/sh\n", 0o644, EACCES), ("no program\n", 0o755, ENOEXEC),
            ("#!/no/such/interpreter\n", 0o755, ENOENT), ("", 0o755, ENOEXEC),
        ]
        for (text, mode, expected) in cases {
            let path = try directory.write("program", text, mode: mode)
            let failure = try Child.failure(path, isScript: true)
            #expect(failure?.stage == .exec)
            #expect(failure?.error == SystemError("execveat", path, errno: expected))
        }
    }

    @Test func aScriptRunsWhereItsInterpreterCanOpenIt() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("script", "#!/bin/sh\necho \"$1\"\n", mode: 0o755)
        #expect(try Child.run(path, ["hello"], isScript: true).output == "hello\n")
        #expect(try Child.failure(path)?.error.errno == ENOENT)
    }

    @Test func aChildLeavesTheSessionWhereItIsToldTo() throws {
        // Fields after the name in parentheses: state, parent, group, session.
        func numbers(_ result: ChildResult) -> [Int] {
            result.output.split(separator: " ").compactMap { Int($0) }
        }
        let own = numbers(try Child.run("/bin/cat", ["/proc/self/stat"], inNewSession: true))
        #expect(own[0] == own[2] && own[0] == own[3])
        let same = numbers(try Child.run("/bin/cat", ["/proc/self/stat"]))
        #expect(same[3] == Int(getsid(0)))
        #expect(same[1] == Int(getpid()))
    }

    @Test func signalsAreNeitherBlockedNorIgnoredInAChild() throws {
        SignalDescriptor.ignoreBrokenPipes()
        var blocked = sigset_t()
        var former = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGUSR1)
        sigaddset(&blocked, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &blocked, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let result = try Child.run("/bin/cat", ["/proc/self/status"])
        for key in ["SigBlk", "SigIgn", "SigCgt"] {
            #expect(result.value(key) == "0000000000000000", "\(key)")
        }
    }
}
