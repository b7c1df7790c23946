import JSON
import LinuxSystem
import TestSupport

/// This host, which moves between networks: each has a cable, a gateway and a resolver of its own.
final class NetworkSite {
    /// A network that the host may be in.
    enum Network: Int {
        case home, office

        var resolver: String {
            switch self {
            case .home: "nameserver 192.168.1.1\nsearch lan\n"
            case .office:
                "nameserver 10.1.0.53\nnameserver 2001:db8::53\nsearch corp.example example\n"
            }
        }
    }

    let installation: Installation
    private(set) var host: FarHost

    init(at network: Network = .home) throws {
        installation = try Installation()
        try Directory.create("\(installation.root)/etc", mode: 0o755)
        host = try FarHost(number: network.rawValue)
        try arrive(at: network)
    }

    deinit {
        _ = try? installation.utunctl("stop", "--all", "--timeout=3")
    }

    /// Leaves the network, and comes to another.
    func move(to network: Network) throws {
        host = try FarHost(number: network.rawValue)
        try arrive(at: network)
    }

    private func arrive(at network: Network) throws {
        try installation.write(network.resolver, to: "etc/resolv.conf")
        for (family, gateway) in [("-4", host.v4), ("-6", host.v6)] {
            try Kernel.ip(
                family, "route", "replace", "default", "via", gateway, "dev", host.interface)
        }
    }

    /// What `ondemand explain` answers about all configurations.
    func explain(_ arguments: String...) throws -> JSONObject {
        let command = installation.command(["--json", "ondemand", "explain"] + arguments)
        let result = try Command.run(command)
        guard result.status == 0, result.errors.isEmpty else {
            throw Unexpected("explain: \(result)")
        }
        return try Installation.parse(result.output)
    }

    /// What is decided about a configuration, in words.
    func reason(_ arguments: String...) throws -> String? {
        let command = installation.command(["--json", "ondemand", "explain"] + arguments)
        let answer = try Installation.parse(Command.run(command).output)
        return answer["configurations"]?.array?.first?.object?["decision"]?.object?["reason"]?
            .string
    }
}
