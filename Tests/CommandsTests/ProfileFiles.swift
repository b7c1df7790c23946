import JSON
import TestSupport

/// Profiles in JSON to enrol.
enum ProfileFiles {
    /// The anchor `gateway` of a WireGuard peer.
    static let gateway =
        #"{"name": "gateway", "kind": "wireguard", "publicKey": "\#(EnrolledRoot.publicKey)"}"#

    /// A profile `office` with members beside its anchors.
    static func profile(anchors: [String] = [gateway], _ members: String...) -> String {
        let members =
            [
                #""formatVersion": 1, "identifier": "office""#,
                #""anchors": [\#(anchors.joined(separator: ", "))]"#,
            ] + members
        return "{\(members.joined(separator: ", "))}\n"
    }

    /// The member `configurations`.
    static func configurations(_ configurations: String...) -> String {
        #""configurations": [\#(configurations.joined(separator: ", "))]"#
    }

    /// A WireGuard tunnel to the gateway.
    static func tunnel(
        _ name: String = "office", trust: String = "office/gateway", _ more: String...
    )
        -> String
    {
        let members =
            [
                #""name": "\#(name)", "provider": "org.utunctl.wireguard", "trust": ["\#(trust)"]"#,
                #""credentials": {"privateKey": "file:\#(name).key"}"#,
                #""providerConfiguration": {"addresses": ["10.9.0.2/24"], "peers": [{"trust": "\#(trust)", "endpoint": "192.0.2.1:51820", "allowedIPs": ["10.9.0.0/16"]}]}"#,
            ] + more
        return "{\(members.joined(separator: ", "))}"
    }

    /// An anchor that is a certificate.
    static func certificate(_ name: String, _ pem: String) -> String {
        let text = String(decoding: JSONWriter.line(pem).dropLast(), as: UTF8.self)
        return #"{"name": "\#(name)", "kind": "x509", "pem": \#(text)}"#
    }
}

extension EnrolledRoot {
    /// Writes a profile and enrols it.
    @discardableResult
    func enrollProfile(_ text: String, _ options: String...) throws -> Command.Result {
        try root.write("/profile.json", text)
        return try root.run(["enroll", root.path("/profile.json")] + options)
    }

    /// What went wrong, by its code.
    static func code(_ run: Command.Result) -> String? {
        run.json?["error"]?.object?["code"]?.string
    }
}
