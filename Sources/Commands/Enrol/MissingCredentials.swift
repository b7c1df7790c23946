internal import Enrolment
internal import Preferences
internal import TunnelModel

/// The secrets to which enrolled configurations refer, and that are still to be given.
struct MissingCredentials {
    private struct Missing {
        let index: Int
        let configuration: String
        let key: String
        let file: String
    }

    private let missing: [Missing]

    /// Looks which of the secrets below /etc/utunctl/credentials are neither there nor came along.
    init(_ configurations: [Configuration], _ material: EnrolledMaterial, _ layout: FileLayout) {
        let store = CredentialStore(layout)
        missing = configurations.enumerated().flatMap { index, configuration in
            configuration.credentials.sorted { $0.key < $1.key }.compactMap { key, reference in
                guard case .file(let file)? = CredentialReference(reference),
                    Naming.problem(ofCredential: file) == nil, material.secrets[file] == nil,
                    !store.contains(file)
                else { return nil }
                return Missing(
                    index: index, configuration: configuration.name, key: key, file: file)
            }
        }
    }

    /// What is told of them, with the way to give each.
    var items: [EnrolmentItem] {
        missing.map { missing in
            EnrolmentItem(
                key: "configurations[\(missing.index)].credentials.\(missing.key)",
                outcome: .noted,
                text: "not there yet: \(CredentialError.writing(missing.file, for: missing.key))")
        }
    }

    /// Whether a warning says no more than what is told here.
    func tells(of warning: SaveWarning) -> Bool {
        missing.contains {
            $0.configuration == warning.name && warning.path == "credentials.\($0.key)"
        }
    }
}
