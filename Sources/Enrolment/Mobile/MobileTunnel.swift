internal import JSON
internal import PropertyLists
internal import TunnelModel

/// A VPN payload, which becomes a configuration.
struct MobileTunnel {
    /// What the provider of the tunnel takes.
    private enum Settings {
        /// With the place of the file of wg-quick.
        case wireGuard(QuickFile, MobilePlace)
        case other(provider: String, JSONObject)
    }

    private let options: MobileProfile.Options
    private var settings: Settings?
    private var server = MobileServer()
    private var dns = MobileDNS()
    private var onDemand: MobileOnDemand
    private var routing = MobileRouting()
    /// The name that people see.
    private(set) var title: String?
    /// The name of the configuration.
    var name = ""

    init(_ options: MobileProfile.Options) {
        self.options = options
        onDemand = MobileOnDemand(isArmed: options.arm)
    }

    // MARK: Reading

    /// Reads the payload.
    mutating func read(_ payload: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError)
    {
        report.tellIdentity(ofInner: &payload)
        try Self.checkType(of: &payload, &report)
        title = try payload.string("UserDefinedName")
        let display = try payload.string("PayloadDisplayName")
        if title == nil { title = display }
        report.tell(.kept, "UserDefinedName", of: payload, "name and title")
        report.tell(
            .kept, "PayloadDisplayName", of: payload,
            payload.contains("UserDefinedName") ? "what the payload is" : "name and title")
        var vpn = try payload.dictionary("VPN")
        settings = try readSettings(of: &payload, vpn != nil, &report)
        if var inner = vpn {
            try server.read(&inner, isWireGuard: isWireGuard, &report)
            try routing.read(&inner, &report)
            try onDemand.read(&inner, &report)
            report.dropUnknown(of: inner)
            vpn = inner
        }
        try dns.read(&payload, hasOwn: !(quick?.dnsServers.isEmpty ?? true), &report)
        report.tell(
            .dropped, each: ["Proxies"], of: &payload,
            "a proxy is a matter of programs: set it where they look for it")
        report.tell(
            .dropped, each: ["IPv4"], of: &payload,
            "the routes of the tunnel say what goes through it")
        report.dropUnknown(of: payload)
    }

    private static func checkType(of payload: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError)
    {
        let type = try payload.requiredString("VPNType")
        let place = payload.place(of: "VPNType")
        func refuse(_ what: String, _ hint: String) -> MobileProfileError {
            .refused(place, what: what, hint: hint)
        }
        let other = "it takes another program, or a profile for a VPN by a provider"
        switch type {
        case "VPN": report.tell(.kept, at: place, "a tunnel by a provider")
        case "IKEv2", "IPSec": throw refuse("\(type), which no provider here speaks", other)
        case "L2TP", "PPTP": throw refuse("\(type), which no provider here speaks", other)
        case "AlwaysOn":
            throw refuse(
                "AlwaysOn, which is IKEv2",
                "for a kill switch with another VPN: routing.includeAllNetworks and lockdown")
        case "TransparentProxy":
            throw refuse("TransparentProxy, which is a proxy and no tunnel", other)
        default: throw refuse("a type of VPN that is not known", "only VPN is taken")
        }
    }

    private mutating func readSettings(
        of payload: inout MobileDictionary,
        _ hasVPN: Bool,
        _ report: inout MobileReport
    ) throws(MobileProfileError) -> Settings {
        let subtype = try payload.string("VPNSubType")
        let place = payload.place(of: "VPNSubType")
        var vendor = try payload.dictionary("VendorConfig")
        let provider = try MobileProvider.provider(
            for: subtype, at: place, option: options.provider,
            hasQuickFile: vendor?.contains("WgQuickConfig") ?? false, &report)
        guard provider == WireGuardConfiguration.provider else {
            let members = vendor?.takeAll() ?? []
            report.tell(.kept, "VendorConfig", of: payload, "providerConfiguration")
            return .other(provider: provider, JSONObject(members))
        }
        guard var inner = vendor else { throw .missing(payload.place(of: "VendorConfig")) }
        let quickPlace = inner.place(of: "WgQuickConfig")
        let text = try inner.requiredString("WgQuickConfig")
        report.dropUnknown(of: inner)
        vendor = inner
        do throws(QuickFileError) {
            return .wireGuard(try QuickFile(parsing: Array(text.utf8)), quickPlace)
        } catch {
            throw .quick(quickPlace, error)
        }
    }

    private var isWireGuard: Bool { quick != nil }

    private var quick: QuickFile? {
        if case .wireGuard(let file, _)? = settings { file } else { nil }
    }

    // MARK: What it comes to

    /// The names of the anchors that it makes.
    func anchorNames(in profile: String) -> [String] {
        quick?.tunnel(named: name, of: profile).anchors.map(\.name) ?? []
    }

    /// Adds configuration, anchors and secrets; `trust` are the certificates of the profile.
    func add(
        to material: inout EnrolledMaterial,
        trust: [String],
        _ report: inout MobileReport
    ) {
        let further = changes
        switch settings {
        case .wireGuard(let file, let place):
            report.tell(file, named: name, at: place)
            server.compare(with: file, &report)
            let tunnel = file.tunnel(named: name, of: material.profile.identifier)
            material.add(tunnel, then: further)
        case .other(let provider, let own):
            var credentials: [String: String] = [:]
            if let password = server.password {
                material.add(password, as: "\(name).password")
                credentials["password"] = "file:\(name).password"
            }
            let (address, username) = (server.address?.text, server.username)
            let given = credentials
            let hasDomains = dns.hasSearchDomains
            material.add(
                EnrolledTunnel(name: name) { configuration in
                    configuration.provider = provider
                    configuration.serverAddress = address
                    configuration.username = username
                    configuration.trust = trust
                    configuration.credentials = given
                    configuration.providerConfiguration = own
                    if hasDomains { configuration.dns.searchDomains = [] }
                    further(&configuration)
                })
        case nil: break
        }
    }

    /// What every provider has in common.
    private var changes: @Sendable (inout Configuration) -> Void {
        let (title, dns, onDemand, routing) = (title, dns, onDemand, routing)
        return { configuration in
            if let title { configuration.title = title }
            routing.put(into: &configuration)
            dns.put(into: &configuration)
            onDemand.put(into: &configuration)
        }
    }
}

extension MobileReport {
    /// Tells of the lines of a file of wg-quick that stands in a value.
    fileprivate mutating func tell(_ file: QuickFile, named name: String, at place: MobilePlace) {
        tell(.kept, at: place, "the tunnel \(name)")
        for item in file.report(named: name) where item.outcome != .kept {
            let line = item.line.map { "its line \($0): " } ?? ""
            tell(
                item.outcome,
                at: MobilePlace(path: "\(place.path).\(item.key)", line: place.line),
                line + item.text)
        }
    }
}
