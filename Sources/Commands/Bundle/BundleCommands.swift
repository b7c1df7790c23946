internal import Glibc
internal import LinuxSystem
internal import SessionHost

/// What programs of the system say of its network; each changes nothing and is bounded in time.
enum BundleCommands {
    private static let milliseconds: Int64 = 3000
    private static let largest = 512 << 10

    private static let ofNetwork: [(name: String, arguments: [String])] = [
        ("ip link", ["-d", "link"]), ("ip addr", ["addr"]),
        ("ip route", ["route", "show", "table", "all"]),
        ("ip -6 route", ["-6", "route", "show", "table", "all"]), ("ip rule", ["rule"]),
        ("ip -6 rule", ["-6", "rule"]),
    ]

    private static let programs = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"]

    private static let ofSystemd: [(name: String, program: String, arguments: [String])] = [
        ("resolvectl", "/usr/bin/resolvectl", ["--no-pager", "status"]),
        (
            "units", "/usr/bin/systemctl",
            ["--no-pager", "--no-legend", "list-units", "--all", "--plain", "utunctl*"]
        ),
        (
            "journal", "/usr/bin/journalctl",
            ["--no-pager", "--quiet", "-o", "short-iso", "-n", "500", "-t", "utunctl", "_UID=0"]
        ),
    ]

    /// What ip(8) printed of links, addresses, routes and rules.
    static func network() -> [(name: String, output: String)] {
        ofNetwork.map { ($0.name, output(programs, $0.arguments) ?? "ip is not installed") }
    }

    /// What programs of systemd printed, as far as there are any.
    static func services() -> [(name: String, output: String)] {
        ofSystemd.compactMap { command in
            output([command.program], command.arguments).map { (command.name, $0) }
        }
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
