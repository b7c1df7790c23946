internal import TunnelModel

extension TunnelWarning.Code {
    /// Whether a tunnel with this warning is less than connected.
    var degrades: Bool { TunnelWarning(self, "").degrades }

    /// What the code tells, on one line.
    var meaning: String {
        switch self {
        case .leftovers: "something is left of a session that is gone; repair clears it"
        case .sessionHostSilent: "the session host does not answer"
        case .sessionHostUnreachable: "the session host is not found, though it lives"
        case .sessionHostForbidden: "this user may not ask the session host"
        case .providerSilent: "the provider does not answer its session host"
        case .linkMissing: "the kernel has no interface of it"
        case .linkDown: "the interface is down"
        case .addressMissing: "the kernel lacks an address that was set"
        case .routeMissing: "the kernel lacks a route that was set"
        case .ruleMissing: "the kernel lacks a rule of routing policy that was set"
        case .configurationRemoved: "it runs, and is no longer saved"
        case .configurationDisabled: "it runs, and is disabled by now"
        case .preferencesUnreadable: "nobody knows what is saved"
        case .peerStale: "the far end has proved nothing for longer than livenessInterval allows"
        case .peerUnverified: "some of the peers that it is to reach prove nothing"
        case .ipv6Unavailable: "IPv6 is switched off here, and what needs it was left out"
        case .controlSocketTaken: "something else is where wg(8) looks for the provider"
        case .controlSocketMissing: "there is no socket at which wg(8) finds the provider"
        case .kernelUnreadable: "the kernel could not be asked"
        case .firewallMissing: "the kernel does not have its firewall as it was written"
        case .firewallUnavailable: "there is no nft, or the kernel does not take its rules"
        case .routeShadowed: "a route of others takes packets that are the tunnel's"
        case .ruleShadowed: "a rule of others takes packets that are the tunnel's"
        case .routesOverlap: "another tunnel's route goes before one of this"
        case .endpointRouteLeaks:
            "a server of a provider whose packets carry no mark is left out of the tunnel"
        case .noUnderlyingNetwork: "no network leads to a server of the tunnel"
        case .hostBlocked: "it has ended, and this host stays blocked; unblock lifts that"
        case .paused: "somebody has lifted the block of its kill switch for a while"
        case .dnsChanged: "the resolver that it brings is not in force"
        case .dnsReduced: "some of its resolvers are asked by nobody"
        case .trustExpiring: "what it trusts ends within 30 days"
        case .trustExpired: "what it trusts has ended: the next start is refused"
        case .trustNotYetValid: "what it trusts is not valid yet: the next start is refused"
        case .trustMissing: "what it trusts is not enrolled: the next start is refused"
        case .olderHost: "its session host is of another version of the program"
        }
    }
}
