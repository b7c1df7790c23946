internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
package import Preferences
package import TunnelModel

/// Everything that can be known to stand against a start before anything is started.
package struct Preflight: ~Copyable {
    let manifest: ProviderManifest
    let executable: FileDescriptor
    let isScript: Bool
    /// The opened credentials by name.
    let credentials: [(name: String, descriptor: FileDescriptorBox)]
    /// The anchors that the configuration names.
    let trust: [TrustAnchor]
    /// The system's store of certificates, where the configuration trusts it.
    let systemTrust: String?

    /// Looks at the configuration, the provider, its trust and credentials, and the device.
    ///
    /// What systemd hands to a unit is left to a process of the unit where `opensHandedOver` is
    /// false.
    package init(
        _ configuration: Configuration,
        _ layout: FileLayout,
        opensHandedOver: Bool = true
    ) throws(SessionError) {
        guard configuration.enabled else { throw .disabled }
        let unenforced = configuration.unenforcedKeys
        guard unenforced.isEmpty else { throw .notEnforced(keys: unenforced) }
        // A file that was edited by hand was not looked at by `save`.
        if let material = configuration.misplacedMaterial.first { throw .misplaced(material) }
        try Self.checkDNS(of: configuration, layout)
        try Self.checkNamespace(of: configuration, layout)
        let registry = ProviderRegistry(layout)
        let manifest = try Self.manifest(of: configuration, in: registry)
        if let problem = configuration.providerConfigurationProblem {
            throw .providerConfiguration(problem)
        }
        if let refusal = SessionError.hostNetworkNotTaken(by: manifest, configuration) {
            throw refusal
        }
        for name in manifest.credentials where configuration.credentials[name] == nil {
            throw .credentialNotConfigured(name)
        }
        let trust = try Self.anchors(of: configuration, manifest, layout)
        let credentials = try Self.openCredentials(
            of: configuration, layout, handedOver: opensHandedOver)
        if !configuration.serverNames.isEmpty { try Self.checkResolver(layout) }
        try Self.checkDevice()
        try Self.checkFirewall(for: configuration)
        // Another's start is refused by its host, which asks the kernel once for all.
        if configuration.routing.mode == .all {
            try Self.refuseBlocked(configuration, layout)
        }
        let executable = try Self.openExecutable(of: manifest, in: registry)
        isScript = Script(at: layout.path(manifest.executable)) != nil
        self.manifest = manifest
        self.executable = executable
        self.credentials = credentials
        self.trust = trust
        systemTrust = configuration.trustsSystem ? SystemTrust(layout).path : nil
    }

    /// Refuses a start that the kill switch of another tunnel would let nothing out of, or that
    /// would do away with the block of this one's own.
    package static func refuseBlocked(_ configuration: Configuration, _ layout: FileLayout)
        throws(SessionError)
    {
        let table = layout.firewallTable(of: configuration.identifier)
        let blocks: [(table: String, label: FirewallLabel)]
        do throws(NetlinkError) { blocks = try FirewallReader.blocks(FirewallSocket()) } catch {
            // Where none can be read, none is in force either.
            return
        }
        let isAll = configuration.routing.mode == .all
        if let other = blocks.first(where: { $0.table != table }), isAll {
            throw .blockedByOther(name: other.label.name)
        }
        if !isAll, blocks.contains(where: { $0.table == table }) { throw .stillBlocked }
    }

    private static func manifest(of configuration: Configuration, in registry: ProviderRegistry)
        throws(SessionError) -> ProviderManifest
    {
        do { return try registry.manifest(of: configuration.provider) } catch {
            throw .provider(error)
        }
    }

    private static func openExecutable(of manifest: ProviderManifest, in registry: ProviderRegistry)
        throws(SessionError) -> FileDescriptor
    {
        do { return try registry.openExecutable(of: manifest) } catch { throw .provider(error) }
    }

    static func anchors(
        of configuration: Configuration,
        _ manifest: ProviderManifest,
        _ layout: FileLayout
    ) throws(SessionError) -> [TrustAnchor] {
        if let refusal = SessionError.trustRefusal(by: manifest, configuration, layout) {
            throw refusal
        }
        do {
            return try ProfileStore(layout).anchors(
                named: configuration.enrolledTrust, for: manifest.trust)
        } catch {
            throw .profile(error)
        }
    }

    static func openCredentials(
        of configuration: Configuration,
        _ layout: FileLayout,
        handedOver: Bool,
        among names: Set<String>? = nil
    ) throws(SessionError) -> [(name: String, descriptor: FileDescriptorBox)] {
        // All are open at once; beside them there are a few dozen others.
        FileDescriptor.makeRoom(for: configuration.credentials.count + 256)
        let store = CredentialStore(layout)
        var opened: [(name: String, descriptor: FileDescriptorBox)] = []
        for (name, reference) in configuration.credentials.sorted(by: { $0.key < $1.key }) {
            if let names, !names.contains(name) { continue }
            if !handedOver, case .systemd? = CredentialReference(reference) { continue }
            do throws(CredentialError) {
                opened.append((name, FileDescriptorBox(try store.open(name, reference))))
            } catch {
                throw .credential(error)
            }
        }
        return opened
    }

    static func checkDNS(of configuration: Configuration, _ layout: FileLayout)
        throws(SessionError)
    {
        let dns = configuration.dns
        guard dns != DNSSettings() else { return }
        do throws(ResolverProblem) {
            if let key = dns.keyWithoutServers {
                throw .unavailable(key: key, problem: "it means nothing without dns.servers")
            }
            _ = try ResolverPlace.find(for: dns, of: configuration, layout)
        } catch {
            throw .dns(error)
        }
    }

    /// Goes to the network namespace of the interface and comes back.
    static func checkNamespace(of configuration: Configuration, _ layout: FileLayout)
        throws(SessionError)
    {
        guard let name = configuration.interface.networkNamespace else { return }
        do throws(SystemError) {
            let here = try NetworkNamespace()
            let inner = try NetworkNamespace(at: layout.networkNamespace(name))
            guard inner.identity != here.identity else { return }
            try inner.enter()
            try here.enter()
        } catch {
            throw .networkNamespace(name: name, error)
        }
    }

    static func checkFirewall(for configuration: Configuration) throws(SessionError) {
        guard configuration.needsFirewall, let problem = RuleWriter.problem() else { return }
        throw .firewall(problem)
    }

    static func checkResolver(_ layout: FileLayout) throws(SessionError) {
        let path = NameResolution.program(layout)
        do { _ = try TrustedFile.openExecutable(path) } catch {
            throw .resolver(path: path, problem: error.problem)
        }
    }

    private static func checkDevice() throws(SessionError) {
        do { _ = try TunDevice.open() } catch { throw .device(error) }
        // Better said now than by a provider that does not start.
        if let missing = Capability.allCases.first(where: { !$0.isEffective }) {
            throw .capabilityMissing(missing)
        }
    }
}
