import Glibc
import JSON
import TestSupport

/// A host whose only way out is a cable that is watched, with a tunnel that takes everything.
final class KillSwitchSite {
    static let beyond = ["203.0.113.9", "2001:db8:99::9"]

    let interop: InteropSite
    let cable: WatchedCable
    let tunnel: EnrolledTunnel

    /// Makes it with further settings of the tunnel (`PATH=VALUE`), and starts nothing.
    init(_ settings: String..., change: (inout InteropSite.Plan) -> Void = { _ in }) throws {
        interop = try InteropSite(.utunctl) { plan in
            plan.starts = false
            plan.settings = ["routing.includeAllNetworks=true"] + settings
            plan.change = { near, _ in near.peers[0].allowedIPs = ["0.0.0.0/0", "::/0"] }
            change(&plan)
        }
        let host = interop.host
        for address in Self.beyond {
            try host.place.run("ip", "address", "add", address, "dev", "lo")
        }
        for (family, gateway) in [("-4", host.v4), ("-6", host.v6)] {
            try Kernel.ip(family, "route", "add", "default", "via", gateway)
        }
        // Until an address is settled its neighbours are not found, and packets wait for them
        // behind every firewall.
        let isSettled = try eventually {
            let far = try host.place.run("ip", "-6", "addr", "show", "tentative")
            return try Place.here.run("ip", "-6", "addr", "show", "tentative").isEmpty
                && far.isEmpty
        }
        guard isSettled else { throw Unexpected("the addresses of the cable do not settle") }
        for address in Self.beyond { try Place.here.run("ping", "-c", "1", "-W", "5", address) }
        cable = try WatchedCable(host, port: InteropSite.port)
        tunnel = try interop.tunnel
    }

    var site: Installation { tunnel.site }

    /// Where somebody sends who means the world, and the network around.
    var unicast: [String] {
        let host = interop.host
        return Self.beyond.map { "\($0)/9" } + [
            "198.51.100.7/53", "8.8.8.8/53", "2001:db8:77::7/853", "\(host.v4)/53",
            "\(host.v4)/9", "\(host.v6)/9", "192.0.2.5/9",
        ]
    }

    /// And where somebody sends who means everybody on the link.
    var multicast: [String] {
        ["255.255.255.255/9", "192.0.2.15/9", "ff02::fb%\(interop.host.interface)/5353"]
    }

    /// Fails unless nothing came over the cable but the tunnel's own packets.
    func leaks(of kinds: [WatchedCable.Kind] = [.leaked, .local, .names, .groups]) throws -> String
    {
        var text = ""
        for kind in kinds {
            let count = try cable.count(kind)
            if count > 0 { text += "\(count) \(kind.rawValue) " }
        }
        return text.isEmpty ? "" : "\(text)\(try cable.leaks())"
    }

    /// Whether packets of the chatterers get out: the probe is not blind.
    func getsOut() throws -> Bool {
        try cable.reset()
        return try eventually(seconds: 3) { try cable.count(.leaked) > 5 }
    }

    /// Runs the program and expects success.
    func utunctl(_ arguments: String...) throws {
        let result = try Command.run(site.command(arguments))
        guard result.status == 0 else {
            throw Unexpected("\(arguments): \(result)\n\(tunnel.log)")
        }
    }

    /// The word for the firewall in `status`, and whether it is there.
    func firewall() throws -> (mode: String?, isPresent: Bool?) {
        let firewall = try site.status(tunnel.name).value("firewall")?.object
        var isPresent: Bool?
        if case .bool(let value)? = firewall?["present"] { isPresent = value }
        return (firewall?["mode"]?.string, isPresent)
    }
}
