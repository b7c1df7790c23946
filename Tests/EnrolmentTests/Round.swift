import Enrolment
import JSON
import TunnelModel

/// What enrolling a file comes to, and the file that an export makes of that.
struct Round {
    let file: QuickFile
    let material: EnrolledMaterial
    let configuration: Configuration
    let export: QuickExport

    init(
        _ bytes: [UInt8],
        _ change: @Sendable (inout Configuration) -> Void = { _ in }
    ) throws {
        file = try QuickFile(parsing: bytes)
        material = file.material(named: "office")
        var configuration = Configuration(identifier: "", name: "office")
        for tunnel in material.tunnels { tunnel.configure(&configuration) }
        change(&configuration)
        self.configuration = configuration
        var publicKeys: [String: String] = [:]
        for anchor in material.profile.anchors {
            publicKeys[anchor.named(in: material.profile.identifier).name] = anchor.value
        }
        let files = material.secrets
        let secrets = configuration.credentials.compactMapValues {
            files[String($0.dropFirst("file:".count))]
        }
        export = QuickExport(
            configuration, try WireGuardConfiguration(configuration.providerConfiguration),
            publicKeys: publicKeys, secrets: secrets)
    }

    /// The exported file.
    var text: String { String(decoding: export.file.bytes, as: UTF8.self) }

    /// The round of the exported file.
    var next: Round { get throws { try Round(export.file.bytes) } }

    /// What is not whole of what would be enrolled; `nil` where nothing is.
    var gap: String? {
        let references = Set(configuration.credentials.values)
        if references != Set(material.secrets.keys.map { "file:\($0)" }) { return "credentials" }
        if material.profile.credentials != material.secrets.keys.sorted() { return "profile" }
        let anchors = material.profile.anchors.map { $0.named(in: "office").name }
        if configuration.trust != anchors { return "trust" }
        if anchors.count != file.peers.count { return "peers" }
        if let problem = configuration.providerConfigurationProblem { return problem }
        if configuration.normalized().configuration != configuration { return "prefixes" }
        // A configuration that was saved can be read again.
        let line = JSONWriter.line(configuration)
        let read = try? JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            try Configuration(node)
        }
        return read == configuration ? nil : "the document"
    }

    /// Whether both are the same tunnel with the same keys.
    func isSame(as other: Round) -> Bool {
        configuration == other.configuration && material.profile == other.material.profile
            && material.secrets.mapValues(\.bytes) == other.material.secrets.mapValues(\.bytes)
            && export.file.bytes == other.export.file.bytes
    }
}
