internal import KernelNetwork
internal import LinuxSystem
internal import OnDemand
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Makes snapshots of the network below all tunnels, of this network namespace.
final class NetworkReader {
    /// What was seen, and why not all of it could be.
    struct Reading {
        var snapshot: NetworkSnapshot
        var problems: [String] = []
    }

    private let layout: FileLayout
    private let names: WirelessNames
    private let kernel: RouteSocket
    private var look: UnderlyingResolver.Look?

    /// With the names of wireless networks from a file, where one is given.
    init(_ layout: FileLayout, ssidFile: String? = nil) throws(Failure) {
        self.layout = layout
        names = ssidFile.map { .file($0) } ?? .kernel
        do { kernel = try RouteSocket() } catch { throw Failure(error) }
    }

    /// Looks, and calls `completion` once, on the loop and never at once; a look that is still
    /// under way is given up for it.
    func read(on loop: EventLoop, completion: @escaping (Reading) -> Void) throws(Failure) {
        look = nil
        let time = Timestamp(microseconds: Clock.wallMicroseconds)
        var reading = Reading(snapshot: NetworkSnapshot(time: time))
        guard let found = try underlying() else {
            loop.schedule(milliseconds: 0) { completion(reading) }
            return
        }
        reading.snapshot.underlying = link(found, &reading.problems)
        look = UnderlyingResolver.Look(layout, link: found.link.index, on: loop) { resolver in
            reading.snapshot.dnsServers = resolver.servers
            reading.snapshot.searchDomains = resolver.searchDomains
            if let problem = resolver.problem { reading.problems.append(problem) }
            completion(reading)
        }
    }

    private func underlying() throws(Failure) -> UnderlyingLink? {
        do { return try kernel.underlyingLink() } catch { throw Failure(error) }
    }

    private func link(_ found: UnderlyingLink, _ problems: inout [String])
        -> NetworkSnapshot.Link
    {
        let kind = NetworkSnapshot.Link.Kind(rawValue: UnderlyingKind(of: found.link).rawValue)
        var link = NetworkSnapshot.Link(
            interface: found.link.name, index: Int(found.link.index), kind: kind ?? .other,
            gateways: found.gateways)
        do throws(Failure) { link.ssid = try names.name(of: found.link) } catch {
            problems.append(error.text)
        }
        // What reaches a radio by way of another namespace looks like a cable.
        if case .file = names, link.ssid != nil { link.kind = .wifi }
        return link
    }
}
