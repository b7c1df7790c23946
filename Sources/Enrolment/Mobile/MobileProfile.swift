package import PropertyLists
internal import TunnelModel

/// A configuration profile of Apple, which becomes a profile with the configurations in it.
package struct MobileProfile {
    /// What is said beside the file.
    package struct Options: Sendable {
        /// The name of the profile, in the place of one that is made of those in the file.
        package var name: String?
        /// The provider of its tunnels, in the place of one that is known for an application.
        package var provider: String?
        /// Whether On Demand is taken as the file has it, or only its rules.
        package var arm = false

        package init(name: String? = nil, provider: String? = nil, arm: Bool = false) {
            self.name = name
            self.provider = provider
            self.arm = arm
        }
    }

    private let options: Options
    private var report = MobileReport()
    private var certificates: [MobileCertificatePayload] = []
    private var tunnels: [MobileTunnel] = []

    /// What enrolling a property list comes to, or what keeps it from being enrolled.
    package static func proposal(of root: PropertyListNode, _ options: Options = Options())
        throws(MobileProfileError) -> EnrolmentProposal
    {
        var profile = MobileProfile(options: options)
        return try profile.read(root)
    }

    private init(options: Options) {
        self.options = options
    }

    private mutating func read(_ root: PropertyListNode) throws(MobileProfileError)
        -> EnrolmentProposal
    {
        let place = MobilePlace(path: "", line: root.line)
        guard case .dictionary = root.value else {
            throw .value(place, problem: "not a configuration profile, but \(root.kind)")
        }
        var top = try MobileDictionary(root, at: place)
        if top.contains("EncryptedPayloadContent") {
            throw .refused(
                top.place(of: "EncryptedPayloadContent"), what: "an encrypted profile",
                hint: "it is for one device alone: ask for one that is not encrypted")
        }
        guard let type = try top.string("PayloadType") else {
            throw .value(place, problem: "a property list, but not a configuration profile")
        }
        guard type == "Configuration" else {
            throw .value(
                top.place(of: "PayloadType"),
                problem: "not Configuration, so not that of a configuration profile")
        }
        var profile = try header(of: &top)
        for payload in try top.dictionaries("PayloadContent") { try take(payload) }
        guard top.contains("PayloadContent") else {
            throw .missing(top.place(of: "PayloadContent"))
        }
        if tunnels.isEmpty, certificates.isEmpty { throw .empty }
        guard tunnels.count <= EnrolledMaterial.mostTunnels else {
            throw .value(
                top.place(of: "PayloadContent"),
                problem: "more than \(EnrolledMaterial.mostTunnels) VPN payloads")
        }
        report.dropUnknown(of: top)
        return try assemble(&profile)
    }

    // MARK: The profile as a whole

    private mutating func header(of top: inout MobileDictionary) throws(MobileProfileError)
        -> EnrolledProfile
    {
        report.tellIdentity(of: &top)
        let title = try top.string("PayloadDisplayName")
        let identifier = try top.string("PayloadIdentifier")
        var profile = EnrolledProfile(identifier: options.name ?? "", title: title ?? "")
        if options.name == nil {
            profile.identifier =
                [title, identifier].lazy
                .compactMap { $0.flatMap(MobileNames.name(like:)) }.first ?? ""
        }
        report.tell(.kept, "PayloadDisplayName", of: top, "title of the profile")
        profile.organisation = try top.string("PayloadOrganization") ?? ""
        report.tell(.kept, "PayloadOrganization", of: top, "organisation of the profile")
        try readEnd(of: &top, &profile)
        try readRemoval(of: &top)
        return profile
    }

    /// The first of the two moments at which the profile ends.
    private mutating func readEnd(of top: inout MobileDictionary, _ profile: inout EnrolledProfile)
        throws(MobileProfileError)
    {
        let expiration = try top.date("PayloadExpirationDate")
        let removal = try top.date("RemovalDate")
        profile.notAfter = [expiration, removal].compactMap(\.self).min()
        let text = "notAfter of the profile, at which its anchors stop to count"
        report.tell(.kept, "PayloadExpirationDate", of: top, text)
        report.tell(.changed, "RemovalDate", of: top, "\(text): nothing is removed by itself")
    }

    private mutating func readRemoval(of top: inout MobileDictionary) throws(MobileProfileError) {
        let mayStay = "whoever is root may remove it"
        for key in ["PayloadRemovalDisallowed", "HasRemovalPasscode"] {
            let isSet = try top.flag(key) ?? false
            report.tell(isSet ? .dropped : .kept, key, of: top, mayStay)
        }
        let isSystem = try top.string("PayloadScope") != "User"
        report.tell(
            isSystem ? .kept : .dropped, "PayloadScope", of: top, "a tunnel is the whole system's")
        report.tell(
            .dropped, each: ["DurationUntilRemoval"], of: &top, "nothing is removed by itself")
        report.tell(.dropped, each: ["ConsentText"], of: &top, "nobody is asked here")
        report.tell(
            .noted, each: ["TargetDeviceType"], of: &top, "the kind of device is not looked at")
    }

    // MARK: Payloads

    private mutating func take(_ payload: MobileDictionary) throws(MobileProfileError) {
        var payload = payload
        let type = try payload.requiredString("PayloadType")
        let place = payload.place(of: "PayloadType")
        switch MobilePayloadType(type) {
        case .certificate:
            var taken = MobileCertificatePayload()
            try taken.read(&payload, &report)
            certificates.append(taken)
        case .vpn:
            var tunnel = MobileTunnel(options)
            try tunnel.read(&payload, &report)
            tunnels.append(tunnel)
        case .identity(let what):
            throw .refused(
                place, what: what,
                hint: "a private key comes as a credential: see `utunctl help credential`")
        case .perApplicationVPN:
            throw .refused(
                place, what: "a VPN of single applications",
                hint: "a tunnel here is the whole system's, or that of a network namespace: "
                    + "interface.networkNamespace")
        case .other:
            report.tell(.dropped, at: payload.place, "a payload that is no matter of a VPN")
        }
    }

    // MARK: The whole

    private mutating func assemble(_ profile: inout EnrolledProfile) throws(MobileProfileError)
        -> EnrolmentProposal
    {
        // The name that people see is the tunnel's, where there is one alone.
        if options.name == nil, tunnels.count == 1, let title = tunnels.first?.title,
            let name = MobileNames.name(like: title)
        {
            profile.identifier = name
        }
        guard !profile.identifier.isEmpty else { throw .noName }
        let name = profile.identifier
        var names = MobileNames()
        for index in tunnels.indices {
            tunnels[index].name =
                tunnels.count == 1
                ? name
                : names.take(
                    [tunnels[index].title], else: "vpn", behind: "\(name)-")
        }
        let anchors = certificateAnchors(of: name)
        profile.anchors = anchors
        var material = EnrolledMaterial(profile)
        let trust = anchors.map { $0.named(in: name).name }
        for tunnel in tunnels { tunnel.add(to: &material, trust: trust, &report) }
        return EnrolmentProposal(material: material, items: sorted(report.items))
    }

    /// Names beside those of the peers, whose numbers are theirs alone.
    private mutating func certificateAnchors(of profile: String) -> [TrustAnchor] {
        var names = MobileNames(taken: Set(tunnels.flatMap { $0.anchorNames(in: profile) }))
        var anchors: [TrustAnchor] = []
        var known: [String: String] = [:]
        for payload in certificates {
            for (index, pem) in payload.pems.enumerated() {
                if let name = known[pem] {
                    report.tell(
                        .noted, at: payload.place,
                        "certificate \(index + 1) is that of \(profile)/\(name) again")
                    continue
                }
                let name = names.take(payload.names, else: "certificate")
                known[pem] = name
                anchors.append(TrustAnchor(name: name, kind: .x509, value: pem))
                report.tell(.kept, at: payload.place, "anchor \(profile)/\(name)")
            }
        }
        return anchors
    }

    private func sorted(_ items: [EnrolmentItem]) -> [EnrolmentItem] {
        items.enumerated().sorted {
            ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset)
        }.map(\.element)
    }
}
