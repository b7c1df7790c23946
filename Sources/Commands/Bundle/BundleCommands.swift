internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost

/// What programs of the system say of its network; each changes nothing and is bounded in time.
enum BundleCommands {
    private static let milliseconds: Int64 = 3000
    private static let largest = 512 << 10

    private static let network: [(name: String, arguments: [String])] = [
        ("ip link", ["-d", "link"]), ("ip addr", ["addr"]),
        ("ip route", ["route", "show", "table", "all"]),
        ("ip -6 route", ["-6", "route", "show", "table", "all"]), ("ip rule", ["rule"]),
        ("ip -6 rule", ["-6", "rule"]),
    ]

    /// What each of them printed, in order.
    static func outputs(_ layout: FileLayout) -> [(name: String, output: String)] {
        var outputs = network.map { command in
            (
                command.name,
                output(["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"], command.arguments)
                    ?? "ip is not installed"
            )
        }
        // systemd is that of the system, whichever root this is about.
        guard layout.root.isEmpty else { return outputs }
        for (name, program, arguments) in [
            ("resolvectl", "/usr/bin/resolvectl", ["--no-pager", "status"]),
            (
                "units", "/usr/bin/systemctl",
                ["--no-pager", "list-units", "--all", "--plain", "utunctl*"]
            ),
            (
                "journal", "/usr/bin/journalctl",
                ["--no-pager", "--quiet", "-o", "short-iso", "-n", "500", "-t", "utunctl"]
            ),
        ] {
            if let printed = output([program], arguments) { outputs.append((name, printed)) }
        }
        return outputs
    }

    private static func output(_ places: [String], _ arguments: [String]) -> String? {
        guard let program = places.first(where: { access($0, X_OK) == 0 }) else { return nil }
        do throws(HelperRun.Failure) {
            let printed = try HelperRun.finish(
                program, arguments, limit: largest, milliseconds: milliseconds)
            return String(decoding: printed, as: UTF8.self)
        } catch {
            return error.text
        }
    }
}
