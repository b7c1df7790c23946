internal import Glibc
internal import KernelNetwork
internal import Preferences
internal import TunnelModel

// What a session does with routes beyond its settings.

extension SessionHost {
    /// What is known of the places of routes before there is anything else.
    static func surroundings(of configuration: Configuration, _ manifest: ProviderManifest)
        -> RouteSurroundings
    {
        RouteSurroundings(
            configuration.routing,
            sendsUnmarked: manifest.network == .host
                && configuration.interface.networkNamespace == nil,
            hasIPv6: access("/proc/sys/net/ipv6", F_OK) == 0)
    }

    /// Refuses to block the host beside another tunnel that does.
    static func refuseOtherBlock(_ configuration: Configuration, _ layout: FileLayout)
        throws(SessionError)
    {
        try refuseBlock(configuration, layout) { _ in true }
    }

    /// Blocks the host, if that is the promise.
    static func block(
        _ interface: TunnelInterface,
        _ configuration: Configuration,
        _ layout: FileLayout
    ) throws(SessionError) {
        do throws(NetlinkError) {
            var surroundings = interface.surroundings
            surroundings.linkNetworks = try interface.linkNetworks()
            try interface.adapt(to: surroundings)
        } catch {
            throw .kernel(error)
        }
        // Of two at the same moment the older one stays.
        try refuseBlock(configuration, layout) { $0.interfaceIndex < interface.index }
    }

    /// Lifts what former sessions of the configuration left standing, once this one stands in.
    func liftFormerBlock() {
        do throws(NetlinkError) {
            _ = try KernelReader(layout)
                .liftBlock(of: configuration.identifier, except: interface.index)
        } catch {
            log.note(error.description)
        }
    }

    private static func refuseBlock(
        _ configuration: Configuration,
        _ layout: FileLayout,
        where counts: (StandingBlock) -> Bool
    ) throws(SessionError) {
        guard configuration.routing.mode == .all else { return }
        let reader: KernelReader
        let other: StandingBlock?
        do throws(NetlinkError) {
            reader = try KernelReader(layout)
            let own = reader.owner(configuration.identifier)
            other = try reader.standingBlocks().first { $0.owner != own && counts($0) }
        } catch {
            throw .kernel(error)
        }
        guard let other else { return }
        let saved = (try? PreferencesStore(layout).read())?.configurations ?? []
        let name = saved.first { reader.owner($0.identifier) == other.owner }?.name
        throw .blockedByOther(name: name)
    }

    /// Whether the session holds a block that outlives it.
    var hasBlock: Bool { interface.inForce.plan.blockStands }

    /// Moves routes to where they belong in other surroundings.
    func adapt(to surroundings: RouteSurroundings) {
        do throws(NetlinkError) { try interface.adapt(to: surroundings) } catch {
            log.note(error.description)
        }
    }
}
