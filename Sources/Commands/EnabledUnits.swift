internal import Glibc
internal import LinuxSystem
internal import Preferences

/// The units of tunnels that are to start with the system, as the links say that
/// `systemctl enable` makes.
struct EnabledUnits {
    private static let prefix = "utunctl@"
    private static let suffix = ".service"

    /// Where the links lie, and what is set for single units.
    private let directory: String
    /// The units by their names, sorted.
    let all: [String]

    init(_ layout: FileLayout) {
        let directory = layout.path("/etc/systemd/system")
        let names = (try? Directory.names(directory)) ?? []
        let wanting = names.filter { $0.hasSuffix(".wants") || $0.hasSuffix(".requires") }
        let units = wanting.flatMap { (try? Directory.names("\(directory)/\($0)")) ?? [] }.filter {
            $0.hasPrefix(Self.prefix) && $0.hasSuffix(Self.suffix)
                && $0 != Self.prefix + Self.suffix
        }
        self.directory = directory
        all = Set(units).sorted()
    }

    /// Whether the tunnel of a name is to start with the system.
    func holds(_ name: String) -> Bool { all.contains(ServiceManager.unit(of: name)) }

    /// That the unit of a name has nothing to start any more, with the remedy.
    func abandoned(_ name: String) -> String {
        let unit = ServiceManager.unit(of: name)
        return "\(unit) is enabled, and has no configuration any more: systemctl disable \(unit)"
    }

    /// Where settings of the unit of a name lie, beside those that all have; `nil` without any.
    func settings(of name: String) -> String? {
        let path = "\(directory)/\(ServiceManager.unit(of: name)).d"
        return access(path, F_OK) == 0 ? path : nil
    }
}
