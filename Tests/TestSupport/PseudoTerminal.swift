import Glibc
import LinuxSystem

/// A terminal in which a test runs a program, and types, and looks.
package final class PseudoTerminal {
    package let pid: Int32
    private let child: ChildProcess
    private let master: FileDescriptor
    private let slave: FileDescriptor
    private var bytes: [UInt8] = []
    private let former: [tcflag_t]

    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), macros that Swift does not import; posix_openpt(3)
    // and what belongs to it are not there either.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// Starts a program whose terminal it is, with nothing in its environment but what is given.
    package init(
        _ arguments: [String],
        columns: UInt16 = 80,
        rows: UInt16 = 24,
        environment: [String: String] = ["TERM": "xterm", "LANG": "C.UTF-8"]
    ) throws {
        master = try FileDescriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK)
        var lock: CInt = 0
        var number: CInt = 0
        guard ioctl(master.raw, Self.setLock, &lock) == 0,
            ioctl(master.raw, Self.getNumber, &number) == 0
        else { throw SystemError("ioctl", "/dev/ptmx", errno: errno) }
        slave = try FileDescriptor.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master.raw, UInt(TIOCSWINSZ), &size)
        former = Self.modes(of: slave.raw)
        let executable = try TrustedFile.openExecutable("/usr/bin/setsid")
        // As the controlling terminal it sends the signals of ^C and of a new size.
        child = try ChildProcess.launch(
            executable: executable, name: "setsid", arguments: ["setsid", "--ctty"] + arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }.sorted(),
            descriptors: [slave.raw, slave.raw, slave.raw])
        pid = child.pid
    }

    deinit {
        child.signal(SIGKILL)
    }

    /// Changes the size, as a window does that somebody pulls at.
    package func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master.raw, UInt(TIOCSWINSZ), &size)
    }

    /// Types text.
    package func type(_ text: String) throws {
        try master.write(Array(text.utf8))
    }

    /// Sends a signal to the program.
    package func signal(_ signal: CInt) {
        child.signal(signal)
    }

    /// Whether all modes are as they were before the program began.
    package var isAsBefore: Bool { Self.modes(of: slave.raw) == former }

    private static func modes(of descriptor: CInt) -> [tcflag_t] {
        var modes = termios()
        tcgetattr(descriptor, &modes)
        return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag]
    }

    /// All that was shown so far, once it holds `text` or `seconds` have gone by.
    package func output(until text: String, seconds: Int64 = 10) throws -> String {
        let deadline = Deadline.after(milliseconds: seconds * 1000)
        while true {
            drain()
            let soFar = String(decoding: bytes, as: UTF8.self)
            if soFar.contains(text) || deadline.hasPassed { return soFar }
            _ = try LineClient.wait(for: [(master.raw, .readable)], until: deadline)
            usleep(2000)
        }
    }

    /// Forgets what was shown, so that what comes next can be waited for.
    package func forget() {
        drain()
        bytes = []
    }

    /// The exit status, once the program has ended, and all that it has shown.
    package func finish(seconds: Int64 = 20) throws -> (status: Int32, output: String) {
        let deadline = Deadline.after(milliseconds: seconds * 1000)
        while true {
            if let exit = try child.reap() {
                drain()
                let output = String(decoding: bytes, as: UTF8.self)
                switch exit {
                case .status(let number): return (number, output)
                case .signal(let number): return (128 + number, output)
                }
            }
            drain()
            let ready = try LineClient.wait(
                for: [(child.descriptor.raw, .readable), (master.raw, .readable)], until: deadline)
            if ready.isEmpty { child.signal(SIGKILL) }
        }
    }

    private func drain() {
        while let part = try? master.read(atMost: 65_536), !part.isEmpty { bytes += part }
    }
}
