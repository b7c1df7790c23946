import Glibc
import LinuxSystem

/// An end of a tunnel that Debian's `wireguard-go` serves, and `wg` has set up.
package final class WireGuardGo: WireGuardEnd {
    package let interface: String
    package let place: Place
    private let process: Command
    private let files: TemporaryRoot
    private var isStopped = false

    package var pid: Int32 { process.pid }

    /// Starts it and gives it keys, addresses and routes.
    package init(
        _ file: WireGuardFile,
        interface: String = "wg0",
        at place: Place = .here,
        mtu: Int = 1420
    ) throws {
        self.interface = interface
        self.place = place
        files = try TemporaryRoot()
        var process = try Self.launch(interface, place)
        // A `wg` that comes between its bind and its listen removes the socket: then once more.
        for _ in 0..<4 where !Self.isUp(interface, place) {
            process.signal(SIGKILL)
            _ = try? process.finish()
            process = try Self.launch(interface, place)
        }
        self.process = process
        guard Self.isUp(interface, place) else {
            throw Unexpected(
                "no wireguard-go at \(interface): \(try process.finish(seconds: 0))")
        }
        try configure(file)
        for address in file.addresses {
            try place.run("ip", "addr", "add", address, "dev", interface)
        }
        try place.run("ip", "link", "set", interface, "mtu", "\(mtu)", "up")
        for prefix in file.peers.flatMap(\.allowedIPs) {
            try place.run("ip", "route", "replace", prefix, "dev", interface)
        }
    }

    deinit {
        stop()
    }

    // In the foreground, with the log off: nobody empties the pipe while it runs.
    private static func launch(_ interface: String, _ place: Place) throws -> Command {
        try place.daemon(["wireguard-go", "-f", interface], environment: ["LOG_LEVEL": "silent"])
    }

    private static func isUp(_ interface: String, _ place: Place) -> Bool {
        eventually(seconds: 3) {
            (try? Command.run(place.command(["wg", "show", interface])).status) == 0
        }
    }

    /// Ends it as a crash would: nobody is told, and the interface goes.
    package func stop() {
        guard !isStopped else { return }
        isStopped = true
        process.signal(SIGKILL)
        _ = try? process.finish()
        // A `wg` that finds nobody behind the socket removes it, and might remove that of the
        // next process, which ends by that.
        _ = try? place.run("rm", "-f", "/var/run/wireguard/\(interface).sock")
    }

    /// Gives it all of a file anew.
    package func configure(_ file: WireGuardFile) throws {
        try files.write("/configuration", file.forSetconf, mode: 0o600)
        try place.run("wg", "setconf", interface, files.path("/configuration"))
    }

    /// Changes it: the words after `wg set INTERFACE`.
    package func set(_ words: String...) throws {
        let arguments = ["wg", "set", interface] + words
        let result = try Command.run(place.command(arguments))
        guard result.status == 0 else { throw Unexpected("\(arguments): \(result)") }
    }

    /// Ends all sessions as far as sending goes: the next packet begins a new handshake.
    ///
    /// A change of the private key does that, and both changes come in one request, so that
    /// nothing is sent with the other key. What arrives is still read with the former keys.
    package func expireSessions(of file: WireGuardFile) throws {
        let script = """
            import base64, socket, sys
            control = socket.socket(socket.AF_UNIX)
            control.connect("/var/run/wireguard/" + sys.argv[1] + ".sock")
            keys = [base64.b64decode(key).hex() for key in sys.stdin.read().split()]
            lines = ["set=1"] + ["private_key=" + key for key in keys]
            control.sendall(("\\n".join(lines) + "\\n\\n").encode())
            print(control.recv(100).decode())
            """
        let other = try WireGuardKey()
        let result = try Command.run(
            place.command(["/usr/bin/python3", "-c", script, interface]),
            input: "\(other.secret) \(file.key.secret)\n")
        guard result.output.contains("errno=0") else { throw Unexpected("set=1: \(result)") }
    }

    /// A column of `wg show`, by public key.
    package func show(_ column: String) throws -> [String: String] {
        let lines = try place.run("wg", "show", interface, column).split(separator: "\n")
        return lines.reduce(into: [:]) { found, line in
            let words = line.split(separator: "\t", maxSplits: 1)
            if words.count == 2 { found[String(words[0])] = String(words[1]) }
        }
    }

    /// The seconds since 1970 of the last handshake with a peer; 0 where there was none.
    package func lastHandshake(with publicKey: String) throws -> Int {
        try show("latest-handshakes")[publicKey].flatMap { Int($0) } ?? 0
    }
}
