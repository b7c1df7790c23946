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
    private(set) var inForce = InForce()
    var restored = SessionReport.Restored()
    /// Whether somebody has lifted the block for a while.
    var isPaused = false

    /// Whether its tables may have routes that lead nowhere: whoever has none does not ask.
    var mayHaveBarriers = false
    /// What the places of its routes depend on beside its settings.
    private(set) var surroundings: RouteSurroundings

    let mark: String
    let kernel: RouteSocket
    /// The network by which the tunnel's own packets leave, where that is another one.
    let outside: Outside?
    /// The addresses that these go to.
    var servers: Set<IPAddress> = []
    /// More tunnels than a host runs; beyond, the number of another's control socket is taken.
    private static let mostNumbers = 1024

    private var device: TunDevice?
    private var furtherQueues: [FileDescriptorBox] = []

    /// Makes the interface and marks it; it is not up yet.
    ///
    /// An interface that exists is never taken over, whoever made it.
    init(
        _ settings: InterfaceSettings,
        _ manifest: ProviderManifest,
        mark: String,
        _ surroundings: RouteSurroundings,
        outside: Outside? = nil
    ) throws(SessionError) {
        let kernel = try Self.openKernel(lookingFor: settings.name)
        let tun = manifest.tun
        let device = try Self.makeDevice(settings.name, manifest)
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
        self.outside = outside
        self.index = index
        self.mtu = mtu
        self.mark = mark
        self.surroundings = surroundings
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

    /// Sets MTU, addresses, routes and rules, each where `routing` wants it; either all of it or
    /// what was there before.
    func apply(_ settings: EffectiveSettings, _ routing: RoutingSettings) throws(NetlinkError) {
        let former = (mtu: mtu, inForce: inForce, routing: surroundings.routing)
        surroundings.routing = routing
        let new = inForce(of: settings)
        do throws(NetlinkError) {
            try refuseTaken(new.routes)
        } catch {
            surroundings.routing = former.routing
            throw error
        }
        do throws(NetlinkError) {
            try kernel.setLink(index: index, mtu: settings.mtu, up: true)
            try change(to: new)
        } catch {
            try? kernel.setLink(index: index, mtu: former.mtu)
            try? change(to: former.inForce)
            surroundings.routing = former.routing
            throw error
        }
        mtu = settings.mtu
        inForce = new
    }

    /// Has the kernel send nothing of its own through the interface.
    ///
    /// To be called before it is up. On a link without MULTICAST the kernel joins no group, so
    /// that it reports none (IGMP, MLD). Without a link-local address it solicits no router, and
    /// with NOARP, which a TUN has, it looks for no other holder of an address.
    func silence() throws(NetlinkError) {
        // A router has joined its group when the link was made. IPv6 leaves a link whose MTU is
        // too small for it with all that it had there, and comes back to one without MULTICAST.
        try kernel.setLink(
            index: index, mtu: EffectiveSettings.leastIPv6MTU - 1, multicast: false)
        try kernel.setLink(index: index, mtu: mtu)
        try kernel.setLink(index: index, withoutIPv6AddressGeneration: true)
    }

    /// How many packets have gone through the interface, in either direction.
    var packetCount: UInt64? {
        guard let link = try? kernel.link(index: index) else { return nil }
        return link.statistics.receivedPackets &+ link.statistics.sentPackets
    }

    /// Gives the interface another MTU.
    func setMTU(_ new: TunnelMTU) throws(NetlinkError) {
        if new.value != mtu { try kernel.setLink(index: index, mtu: new.value) }
        mtu = new.value
        inForce.settings?.mtu = new.value
        inForce.settings?.mtuOrigin = new.origin
    }

    /// Moves routes to where they belong in other surroundings.
    ///
    /// Before there are settings this sets what blocks the host, if anything does.
    func adapt(to surroundings: RouteSurroundings) throws(NetlinkError) {
        self.surroundings = surroundings
        let new = inForce(of: inForce.settings)
        guard new != inForce else { return }
        do throws(NetlinkError) { try change(to: new) } catch {
            try? change(to: inForce)
            throw error
        }
        inForce = new
    }

    private func inForce(of settings: EffectiveSettings?) -> InForce {
        // A tunnel that has no settings yet has nothing but, perhaps, its block.
        guard settings != nil || surroundings.routing.mode == .all else { return InForce() }
        return InForce(
            settings, surroundings, link: index, owner: TunnelTable.owner(mark: mark))
    }

    /// Notes the interface's name, which others may change.
    func follow(_ link: Link) { name = link.name }

    /// What the kernel says of the interface.
    func reading() throws(NetlinkError) -> KernelReading {
        var reading = KernelReading()
        guard let link = try kernel.link(index: index) else { return reading }
        reading.link = KernelReading.Link(link)
        reading.addresses = try kernel.addresses(ofLink: index).map(\.prefix)
        reading.routes = try kernel.routes(ofLink: index, protocol: KernelReader.routeProtocol)
            .map(\.destination)
        reading.rules = try ourRules().map(\.description)
        if mayHaveBarriers { reading.barriers = try ourBarriers().map(\.description) }
        return reading
    }

    /// Deletes rules and routes and the interface with its addresses, and closes the device;
    /// `keepsBlock` leaves what holds the host's packets back.
    ///
    /// Closing alone would not do: whoever held the TUN may have made it persistent.
    func tearDown(keepsBlock: Bool = false) throws(NetlinkError) {
        defer {
            device = nil
            furtherQueues = []
        }
        let left = keepsBlock ? inForce.standingBlock : InForce()
        var failure: NetlinkError?
        do throws(NetlinkError) {
            try changeRules(to: left.rules)
            let kept = Set(left.barriers)
            // All that are there, whatever was noted: a change may have failed half-way.
            if mayHaveBarriers {
                _ = try kernel.remove(try ourBarriers().filter { !kept.contains($0) })
            }
        } catch {
            failure = error
        }
        if let link = try kernel.link(index: index), link.alias == mark {
            _ = try kernel.deleteLink(index: index)
        }
        if let failure { throw failure }
    }

    private static func openKernel(lookingFor name: String) throws(SessionError) -> RouteSocket {
        do throws(NetlinkError) {
            let kernel = try RouteSocket()
            if Naming.isPattern(name) { return kernel }
            if try kernel.link(name: name) == nil { return kernel }
        } catch {
            throw .kernel(error)
        }
        throw .interfaceTaken(name: name)
    }

    /// A number is free where no interface has it, nor a control socket: two tunnels in different
    /// network namespaces would share its path.
    private static func makeDevice(_ name: String, _ manifest: ProviderManifest)
        throws(SessionError) -> TunDevice
    {
        let isPattern = Naming.isPattern(name)
        let device = try makeDevice(name, manifest.tun)
        guard isPattern, hasLivingSocket(device.name, manifest) else { return device }
        for number in 0..<mostNumbers {
            let candidate = Naming.replacingPattern(in: name, with: number)
            guard !hasLivingSocket(candidate, manifest) else { continue }
            do throws(SessionError) { return try makeDevice(candidate, manifest.tun) } catch {
                guard case .interfaceTaken = error else { throw error }
            }
        }
        return device
    }

    private static func hasLivingSocket(_ name: String, _ manifest: ProviderManifest) -> Bool {
        guard let path = manifest.controlSocketPath(interface: name) else { return false }
        if case .living = SocketFile.look(at: path) { return true }
        return false
    }

    private static func makeDevice(_ name: String, _ tun: ProviderManifest.TUN)
        throws(SessionError) -> TunDevice
    {
        do {
            return try TunDevice(name: name, queues: tun.queues, vnetHeader: tun.vnetHeader)
        } catch {
            switch (error.call, error.errno) {
            case ("TUNSETIFF", EBUSY): throw .interfaceTaken(name: name)
            case ("TUNSETIFF", EPERM): throw .capabilityMissing(.networkAdministration)
            default: throw .device(error)
            }
        }
    }
}

extension NetlinkError {
    /// Whether the interface that it is about is gone.
    package var isMissingDevice: Bool { errno == ENODEV || errno == ENXIO }
}
