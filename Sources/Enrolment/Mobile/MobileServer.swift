internal import PropertyLists
internal import TunnelModel

/// Whom a VPN payload leads to, and as whom.
struct MobileServer {
    private(set) var address: ServerAddress?
    private(set) var username: String?
    private(set) var password: Secret?
    private var addressPlace: MobilePlace?
    private var addressText = ""

    /// Reads the keys of the dictionary VPN that are about it.
    mutating func read(
        _ vpn: inout MobileDictionary,
        isWireGuard: Bool,
        _ report: inout MobileReport
    ) throws(MobileProfileError) {
        try readType(of: &vpn, &report)
        if let text = try vpn.string("RemoteAddress") {
            let place = vpn.place(of: "RemoteAddress")
            addressPlace = place
            addressText = text
            if !isWireGuard {
                guard let found = ServerAddress(text) else {
                    throw .value(place, problem: "not HOST, HOST:PORT or [IPv6]:PORT")
                }
                address = found
                report.tell(.kept, at: place, "serverAddress")
            }
        }
        try readMethod(of: &vpn, isWireGuard, &report)
        let name = try vpn.string("AuthName")
        let word = try vpn.string("AuthPassword")
        guard !isWireGuard else {
            let text = "WireGuard knows keys alone"
            report.tell(.dropped, "AuthName", of: vpn, text)
            report.tell(.dropped, "AuthPassword", of: vpn, text)
            return
        }
        username = name
        report.tell(.kept, "AuthName", of: vpn, "username")
        if let word, !word.isEmpty {
            password = Secret(Array(word.utf8))
            report.tell(.kept, "AuthPassword", of: vpn, "credential password")
        } else {
            report.tell(.noted, "AuthPassword", of: vpn, "empty, so none")
        }
    }

    private func readType(of vpn: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError)
    {
        if let type = try vpn.string("ProviderType") {
            let place = vpn.place(of: "ProviderType")
            guard type == "packet-tunnel" else {
                throw .refused(
                    place,
                    what: type == "app-proxy"
                        ? "app-proxy, a proxy of single applications"
                        : "neither packet-tunnel nor app-proxy",
                    hint: "only packet-tunnel is taken")
            }
            report.tell(.kept, at: place, "a tunnel of packets")
        }
        report.tell(
            .noted, each: ["ProviderBundleIdentifier"], of: &vpn,
            "the provider follows from VPNSubType or --provider")
        report.tell(
            .dropped, each: ["ProviderDesignatedRequirement"], of: &vpn,
            "providers are found by their manifests, which are root's")
    }

    private func readMethod(
        of vpn: inout MobileDictionary,
        _ isWireGuard: Bool,
        _ report: inout MobileReport
    ) throws(MobileProfileError) {
        let method = try vpn.string("AuthenticationMethod")
        let place = vpn.place(of: "AuthenticationMethod")
        let identity = "a certificate of one's own, whose private key is not enrolled"
        let hint = "set the private key as a credential, and enrol the profile without this"
        switch (method, isWireGuard) {
        case (nil, _): break
        case (_, true): report.tell(.kept, at: place, "keys are what WireGuard goes by")
        case ("Password", _): report.tell(.kept, at: place, "username and credential password")
        case ("Certificate", _), ("Password+Certificate", _):
            throw .refused(place, what: identity, hint: hint)
        default: report.tell(.dropped, at: place, "not known here")
        }
        guard vpn.node("PayloadCertificateUUID") != nil else { return }
        guard isWireGuard else {
            throw .refused(vpn.place(of: "PayloadCertificateUUID"), what: identity, hint: hint)
        }
        report.tell(
            .dropped, "PayloadCertificateUUID", of: vpn, "WireGuard knows keys alone")
    }

    /// Tells what the address means beside the endpoints of a file of wg-quick.
    func compare(with file: QuickFile, _ report: inout MobileReport) {
        guard let addressPlace else { return }
        let endpoints = file.peers.compactMap { $0.endpoint?.value }
        let given = ServerAddress(addressText)
        let isKnown = endpoints.contains { endpoint in
            endpoint == given
                || given?.port == nil && endpoint.host.lowercased() == given?.host.lowercased()
        }
        report.tell(
            isKnown ? .kept : .noted, at: addressPlace,
            isKnown
                ? "the endpoint of a peer"
                : "no peer has this endpoint: those in WgQuickConfig count")
    }
}
