import TestSupport

/// What a command line asks for: groups by name, all of them without any.
struct Selection {
    /// A group of benchmarks that can be run alone.
    enum Group: String, CaseIterable {
        case commands, idle, crowd
        case onDemand = "ondemand"
        case wireguard, scale
    }

    static let usage = """
        usage: Benchmarks [--quick] [--only=utunctl|wireguard-go] [GROUP]...
        groups: \(Group.allCases.map(\.rawValue).joined(separator: " "))
        """

    private(set) var groups: [Group] = []
    private(set) var effort = Effort.full
    /// Whose WireGuard is measured: both in turns, or one.
    private(set) var implementations = Implementation.allCases

    init(_ arguments: [String]) throws {
        for argument in arguments {
            if argument == "--quick" {
                effort = .quick
            } else if argument.hasPrefix("--only="),
                let only = Implementation(rawValue: String(argument.dropFirst("--only=".count)))
            {
                implementations = [only]
            } else if let group = Group(rawValue: argument) {
                groups.append(group)
            } else {
                throw Unexpected("\(argument)?\n\(Self.usage)")
            }
        }
        if groups.isEmpty { groups = Group.allCases }
    }
}
