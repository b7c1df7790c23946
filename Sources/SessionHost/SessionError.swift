package import KernelNetwork
package import LinuxSystem
package import Preferences
package import TunnelModel

/// Why a session is refused, or why something about one cannot be done.
package enum SessionError: Error, Equatable, Sendable {
    /// The configuration was removed while it was being started.
    case removed
    case preferences(PreferencesError)
    /// The configuration is saved as disabled.
    case disabled
    /// It has values for keys that this version does not put into force.
    case notEnforced(keys: [String])
    /// It holds what is to come by enrolment or as a credential.
    case misplaced(MisplacedMaterial)
    /// The saved generation is not the one that was asked for.
    case stale(given: UInt64, saved: UInt64)
    case provider(ProviderError)
    /// The provider's own keys in the configuration are wrong.
    case providerConfiguration(String)
    /// The configuration names trust anchors, which the provider takes none of.
    case trustNotTaken(provider: String)
    /// The configuration trusts the system's store, and the provider takes no certificates.
    case systemTrustNotTaken(provider: String)
    /// The configuration trusts the system's store, and this host has none.
    case systemTrustMissing(places: [String])
    case profile(ProfileError)
    /// The provider needs a credential that the configuration does not name.
    case credentialNotConfigured(String)
    case credential(CredentialError)
    /// Server names cannot be looked up, as the program for it cannot be run.
    case resolver(path: String, problem: String)
    /// The TUN device cannot be used.
    case device(SystemError)
    /// This process lacks what a session host needs.
    case capabilityMissing(Capability)
    /// An interface has the name, and it is not ours.
    case interfaceTaken(name: String)
    /// Another interface has an address of the configuration, or its network.
    case addressTaken(address: IPPrefix, by: LinkHolder)
    /// What the configuration asks for takes a firewall, and there is none.
    case firewall(FirewallError)
    /// The kill switch of a former session stands, which the configuration no longer asks for.
    case stillBlocked
    /// The provider's packets carry no mark, so that what a key promises cannot be kept.
    case providerOnHostNetwork(key: String)
    /// Another tunnel, nil where it is not known by name, blocks everything beside it.
    case blockedByOther(name: String?)
    /// On Demand may not start it: a person has stopped it, or has paused On Demand.
    case onDemandHeld(Hold, isOfAll: Bool)
    /// A session of the configuration holds the lock.
    case alreadyRunning
    /// A marked interface has a living holder that cannot be reached.
    case unreachableSession(interface: String)
    /// There is no network namespace of the name, or it cannot be entered.
    case networkNamespace(name: String, SystemError)
    /// The resolver that the tunnel brings cannot be set.
    case dns(ResolverProblem)
    /// What a session had changed on the host could not be put back.
    case notTakenBack(SystemError)
    case runtimeDirectory(path: String, problem: String)
    case system(SystemError)
    case kernel(NetlinkError)
}

extension SessionError {
    /// The refusal of a configuration whose trust the provider has no use for, which must not
    /// be ignored in silence, or that this host has no store for; nil for any other.
    package static func trustRefusal(
        by manifest: ProviderManifest,
        _ configuration: Configuration,
        _ layout: FileLayout
    ) -> SessionError? {
        guard let trust = manifest.trust else {
            return configuration.trust.isEmpty ? nil : .trustNotTaken(provider: manifest.identifier)
        }
        guard configuration.trustsSystem else { return nil }
        switch trust {
        case .wireguard: return .systemTrustNotTaken(provider: manifest.identifier)
        case .x509:
            return SystemTrust(layout).path == nil
                ? .systemTrustMissing(places: SystemTrust.places) : nil
        }
    }

    /// The refusal of a configuration that a provider on the network of the host cannot keep the
    /// promises of; nil for any other.
    package static func hostNetworkNotTaken(
        by manifest: ProviderManifest,
        _ configuration: Configuration
    ) -> SessionError? {
        guard manifest.network == .host else { return nil }
        switch configuration.routing.mode {
        case .plain: return nil
        case .enforced: return .providerOnHostNetwork(key: "routing.enforceRoutes")
        case .all: return .providerOnHostNetwork(key: "routing.includeAllNetworks")
        }
    }
}
