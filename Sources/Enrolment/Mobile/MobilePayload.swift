internal import PropertyLists
internal import TunnelModel

/// What a payload is, by its PayloadType.
enum MobilePayloadType {
    case certificate
    case vpn
    /// A certificate with its private key; with what it is.
    case identity(String)
    case perApplicationVPN
    /// Mail, restrictions and everything else that is no matter of a tunnel.
    case other

    init(_ type: String) {
        switch type {
        case "com.apple.security.root", "com.apple.security.pkcs1", "com.apple.security.pem":
            self = .certificate
        case "com.apple.vpn.managed": self = .vpn
        case "com.apple.security.pkcs12": self = .identity("a private key (PKCS #12)")
        case "com.apple.security.scep": self = .identity("a private key to be fetched by SCEP")
        case "com.apple.security.acme": self = .identity("a private key to be fetched by ACME")
        case "com.apple.ADCertificate.managed":
            self = .identity("a private key to be fetched from Active Directory")
        case "com.apple.vpn.managed.applayer", "com.apple.vpn.managed.appmapping":
            self = .perApplicationVPN
        default: self = .other
        }
    }
}

extension MobileReport {
    /// Tells of the keys that say what a payload is, and nothing more.
    mutating func tellIdentity(of payload: inout MobileDictionary) {
        tell(
            .kept,
            each: ["PayloadType", "PayloadVersion", "PayloadIdentifier", "PayloadUUID"],
            of: &payload, "what the payload is")
        tell(
            .noted, each: ["PayloadDescription"], of: &payload, "a text for people, not kept")
        tell(.noted, each: ["PayloadEnabled"], of: &payload, "Apple's systems ignore it as well")
    }

    /// The same of a payload within a profile.
    mutating func tellIdentity(ofInner payload: inout MobileDictionary) {
        tellIdentity(of: &payload)
        tell(
            .noted, each: ["PayloadOrganization"], of: &payload, "that of the whole profile counts")
    }
}

/// A payload with certificates.
struct MobileCertificatePayload {
    private(set) var place = MobilePlace(path: "")
    private(set) var pems: [String] = []
    /// The names that its anchors may be made of, the best one first.
    private(set) var names: [String?] = []

    /// Reads the payload.
    mutating func read(_ payload: inout MobileDictionary, _ report: inout MobileReport)
        throws(MobileProfileError)
    {
        report.tellIdentity(ofInner: &payload)
        place = payload.place(of: "PayloadContent")
        guard let data = try payload.data("PayloadContent") else { throw .missing(place) }
        let found = MobileCertificates.certificates(in: data)
        if let problem = found.problem { throw .value(place, problem: problem) }
        pems = found.pems
        let file = try payload.string("PayloadCertificateFileName")
        names = [try payload.string("PayloadDisplayName"), file.map(Self.stem)]
        let text = "a name of anchors"
        report.tell(.kept, "PayloadDisplayName", of: payload, text)
        report.tell(.kept, "PayloadCertificateFileName", of: payload, text)
        report.tell(
            .dropped, each: ["AllowAllAppsAccess"], of: &payload,
            "an anchor is for tunnels alone")
        report.dropUnknown(of: payload)
    }

    private static func stem(_ file: String) -> String {
        let suffixes = [".cer", ".crt", ".pem", ".der"]
        return suffixes.contains { file.hasSuffix($0) } ? String(file.dropLast(4)) : file
    }
}
