internal import TunnelModel

/// What a VPN payload says of the routes.
struct MobileRouting {
    private var includeAllNetworks: Bool?
    private var enforceRoutes: Bool?
    private var excludeLocalNetworks: Bool?

    /// Reads the keys of the dictionary VPN that are about them.
    mutating func read(_ vpn: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError)
    {
        includeAllNetworks = try vpn.flag("IncludeAllNetworks")
        enforceRoutes = try vpn.flag("EnforceRoutes")
        excludeLocalNetworks = try vpn.flag("ExcludeLocalNetworks")
        report.tell(.kept, "IncludeAllNetworks", of: vpn, "routing.includeAllNetworks")
        report.tell(.kept, "EnforceRoutes", of: vpn, "routing.enforceRoutes")
        let matters =
            includeAllNetworks == true || enforceRoutes == true || excludeLocalNetworks == false
        report.tell(
            matters ? .kept : .noted, "ExcludeLocalNetworks", of: vpn,
            matters
                ? "routing.excludeLocalNetworks"
                : "local networks are nearer than a tunnel that does not enforce its routes")
        for key in ["ExcludeCellularServices", "ExcludeAPNs", "ExcludeDeviceCommunication"] {
            let isSet = try vpn.flag(key) ?? false
            report.tell(
                isSet ? .dropped : .kept, key, of: vpn, "there are no such services here")
        }
    }

    /// Puts what was said into a configuration, and leaves alone what was not.
    func put(into configuration: inout Configuration) {
        if let includeAllNetworks {
            configuration.routing.includeAllNetworks = includeAllNetworks
        }
        if let enforceRoutes { configuration.routing.enforceRoutes = enforceRoutes }
        if let excludeLocalNetworks {
            configuration.routing.excludeLocalNetworks = excludeLocalNetworks
        }
        // Without enforced routes it is true of itself, and refused as a setting.
        if configuration.routing.mode == .plain {
            configuration.routing.excludeLocalNetworks = false
        }
    }
}
