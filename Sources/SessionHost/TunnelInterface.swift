internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

/// The TUN interface of a session with everything that was set on it.
///
/// What is set is compared with the kernel as a whole: one function, `converge`, puts back
/// whatever others deleted, whichever event told of it.
final class TunnelInterface {
    let index: UInt32
    private(set) var name: String
    private(set) var mtu: UInt32
    private(set) var addresses: [IPPrefix] = []
    private(set) var routes: [Route] = []
    private(set) var restored = SessionReport.Restored()

    private let mark: String
    let kernel: RouteSocket
    private var device: TunDevice?
    private var furtherQueues: [FileDescriptorBox] = []

    /// Makes the interface and marks it; it is not up yet.
    ///
    /// An interface that exists is never taken over, whoever made it.
    init(_ settings: InterfaceSettings, tun: ProviderManifest.TUN, mark: String)
        throws(SessionError)
    {
        let kernel = try Self.openKernel(lookingFor: settings.name)
        let device = try Self.makeDevice(settings.name, tun)
        let index: UInt32
        let mtu: UInt32
        do throws(NetlinkError) {
            guard let link = try kernel.link(name: device.name) else {
                throw NetlinkError(
                    operation: "reading the link", subject: device.name, errno: ENODEV)
            }
            // The mark comes first: from here on anybody can tell whose it is.
            try kernel.setLink(
                index: link.index, alias: mark, mtu: settings.mtu,
                withoutIPv6AddressGeneration: true)
            index = link.index
            mtu = settings.mtu ?? link.mtu
        } catch {
            throw .kernel(error)
        }
        for _ in 1..<tun.queues {
            do { furtherQueues.append(FileDescriptorBox(try device.openQueue())) } catch {
                throw .device(error)
            }
        }
        self.index = index
        self.mtu = mtu
        self.mark = mark
        name = device.name
        self.kernel = kernel
        self.device = consume device
    }

    /// The descriptors of the queues, for the provider to inherit.
    var queues: [CInt] {
        [device?.queue.raw].compactMap { $0 } + furtherQueues.compactMap(\.raw)
    }

    /// Whether the kernel does IPv6 on the interface: not where it was booted without, nor
    /// where a sysctl switches it off, as containers do.
    var hasIPv6: Bool {
        let path = "/proc/sys/net/ipv6/conf/\(name)/disable_ipv6"
        guard let file = try? FileDescriptor.open(path, O_RDONLY) else { return false }
        return (try? file.read(atMost: 1)) == Array("0".utf8)
    }

    /// Sets MTU, addresses and routes; either all of it or what was there before.
    func apply(_ settings: EffectiveSettings) throws(NetlinkError) {
        let connected = Set(settings.addresses.map(\.masked))
        // The kernel makes the route of an address's own prefix; a second one is EEXIST.
        let newRoutes = settings.includedRoutes.filter { !connected.contains($0) }.map { prefix in
            Route(
                destination: prefix, interfaceIndex: index,
                protocolNumber: KernelReader.routeProtocol)
        }
        let former = (mtu: mtu, addresses: addresses, routes: routes)
        do throws(NetlinkError) {
            try kernel.setLink(index: index, mtu: settings.mtu, up: true)
            try change(addresses: settings.addresses, routes: newRoutes)
        } catch {
            try? kernel.setLink(index: index, mtu: former.mtu)
            try? change(addresses: former.addresses, routes: former.routes)
            throw error
        }
        mtu = settings.mtu
        addresses = settings.addresses
        routes = newRoutes
    }

    /// What the kernel shows otherwise than it was set; `nil` when nothing is.
    func difference() -> String? {
        do throws(NetlinkError) {
            guard let link = try kernel.link(index: index), link.alias == mark else {
                return "the interface is gone"
            }
            guard link.isUp else { return "\(link.name) is not up" }
            guard link.mtu == mtu else { return "\(link.name) has MTU \(link.mtu), not \(mtu)" }
            let present = try kernel.addresses(ofLink: index)
            for address in addresses {
                guard let found = present.first(where: { $0.prefix == address }) else {
                    return "\(link.name) lacks the address \(address)"
                }
                if found.isTentative { return "\(address) is not usable yet" }
            }
            if let missing = try missingRoutes().first {
                return "the route to \(missing.destination) is missing"
            }
            return nil
        } catch {
            return error.description
        }
    }

    /// Puts back addresses and routes that others deleted, and counts them; answers whether
    /// the interface is still there.
    func converge() -> Bool {
        do throws(NetlinkError) {
            guard let link = try kernel.link(index: index), link.alias == mark else { return false }
            name = link.name
            // Whoever set it down wants it down; its routes come back with it.
            guard link.isUp else { return true }
            let present = Set(try kernel.addresses(ofLink: index).map(\.prefix))
            for address in addresses where !present.contains(address) {
                try kernel.addAddress(address, toLink: index)
                restored.addresses += 1
            }
            let missing = try missingRoutes()
            restored.routes += UInt64(missing.count - (try kernel.add(missing).count))
        } catch {
            // Whatever is still missing is missing in `status` too, which reads the kernel.
            return !error.isMissingDevice
        }
        return true
    }

    /// What the kernel says of the interface.
    func reading() throws(NetlinkError) -> KernelReading {
        var reading = KernelReading()
        guard let link = try kernel.link(index: index) else { return reading }
        reading.link = KernelReading.Link(link)
        reading.addresses = try kernel.addresses(ofLink: index).map(\.prefix)
        reading.routes = try kernel.routes(ofLink: index, protocol: KernelReader.routeProtocol)
            .map(\.destination)
        return reading
    }

    /// Deletes the interface, with its addresses and routes, and closes the device.
    ///
    /// Closing alone would not do: whoever held the TUN may have made it persistent.
    func tearDown() throws(NetlinkError) {
        defer {
            device = nil
            furtherQueues = []
        }
        guard let link = try kernel.link(index: index), link.alias == mark else { return }
        _ = try kernel.deleteLink(index: index)
    }

    private static func openKernel(lookingFor name: String) throws(SessionError) -> RouteSocket {
        do throws(NetlinkError) {
            let kernel = try RouteSocket()
            if name.contains("%d") { return kernel }
            if try kernel.link(name: name) == nil { return kernel }
        } catch {
            throw .kernel(error)
        }
        throw .interfaceTaken(name: name)
    }

    private static func makeDevice(_ name: String, _ tun: ProviderManifest.TUN)
        throws(SessionError) -> TunDevice
    {
        do {
            return try TunDevice(name: name, queues: tun.queues, vnetHeader: tun.vnetHeader)
        } catch {
            switch (error.call, error.errno) {
            case ("TUNSETIFF", EBUSY): throw .interfaceTaken(name: name)
            case ("TUNSETIFF", EPERM): throw .capabilityMissing
            default: throw .device(error)
            }
        }
    }

    private func change(addresses wanted: [IPPrefix], routes wantedRoutes: [Route])
        throws(NetlinkError)
    {
        let present = try kernel.addresses(ofLink: index).map(\.prefix)
        for address in wanted where !present.contains(address) {
            try kernel.addAddress(address, toLink: index)
        }
        let presentRoutes = Set(try ourRoutes())
        let wantedSet = Set(wantedRoutes)
        if let failure = try kernel.add(wantedRoutes.filter { !presentRoutes.contains($0) }).first {
            throw failure.error
        }
        // What goes is removed last, so that a failure before leaves the old ones in force.
        _ = try kernel.remove(presentRoutes.filter { !wantedSet.contains($0) })
        for address in present where !wanted.contains(address) {
            try kernel.removeAddress(address, fromLink: index)
        }
    }

    private func ourRoutes() throws(NetlinkError) -> [Route] {
        try kernel.routes(ofLink: index, protocol: KernelReader.routeProtocol)
    }

    private func missingRoutes() throws(NetlinkError) -> [Route] {
        guard !routes.isEmpty else { return [] }
        let present = Set(try ourRoutes())
        return routes.filter { !present.contains($0) }
    }
}

extension NetlinkError {
    /// Whether the interface that it is about is gone.
    var isMissingDevice: Bool { errno == ENODEV || errno == ENXIO }
}
