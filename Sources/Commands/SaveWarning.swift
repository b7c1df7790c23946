internal import JSON
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Something about what was saved that is no reason not to save it.
struct SaveWarning: Equatable {
    /// The name of the configuration.
    let name: String
    let code: String
    /// The key that it is about.
    let path: String
    let text: String

    /// The warning for people, of whatever verb saved.
    func line(_ verb: String) -> String { "\(verb) \(name): \(path): \(text)" }

    /// What would stand against starting the configurations here and now.
    static func warnings(for configurations: [Configuration], _ layout: FileLayout)
        -> [SaveWarning]
    {
        let registry = ProviderRegistry(layout)
        let credentials = CredentialStore(layout)
        return configurations.flatMap { configuration -> [SaveWarning] in
            let name = configuration.name
            var warnings = configuration.unenforcedKeys.map { key in
                SaveWarning(
                    name: name, code: "keyNotEnforced", path: key,
                    text: "this version cannot put it into force: start will refuse")
            }
            warnings += provider(of: configuration, registry)
            warnings += trust(of: configuration, registry, layout)
            for (key, reference) in configuration.credentials.sorted(by: { $0.key < $1.key }) {
                guard case .file = CredentialReference(reference) else { continue }
                do throws(CredentialError) { _ = try credentials.open(key, reference) } catch {
                    warnings.append(
                        SaveWarning(
                            name, Failure(SessionError.credential(error)), "credentials.\(key)"))
                }
            }
            return warnings
        }
    }

    private static func trust(
        of configuration: Configuration,
        _ registry: ProviderRegistry,
        _ layout: FileLayout
    ) -> [SaveWarning] {
        let name = configuration.name
        let manifest = try? registry.manifest(of: configuration.provider)
        if let manifest,
            let refusal = SessionError.trustRefusal(by: manifest, configuration, layout)
        {
            return [SaveWarning(name, Failure(refusal), "trust")]
        }
        let problems = ProfileStore(layout).problems(
            of: configuration.enrolledTrust, for: manifest?.trust)
        let refusals = problems.map { problem in
            let place = configuration.trust.firstIndex(
                of: configuration.enrolledTrust[problem.index])
            return SaveWarning(name, Failure(problem.error), "trust[\(place ?? problem.index)]")
        }
        // What start refuses already is among those.
        let expiring = TrustReadings(layout, [configuration]).warnings(for: configuration)
            .filter { $0.code == .trustExpiring }
        return refusals
            + expiring.map {
                SaveWarning(name: name, code: $0.code.rawValue, path: "trust", text: $0.text)
            }
    }

    private static func provider(of configuration: Configuration, _ registry: ProviderRegistry)
        -> [SaveWarning]
    {
        let name = configuration.name
        do throws(ProviderError) {
            let manifest = try registry.manifest(of: configuration.provider)
            _ = try registry.openExecutable(of: manifest)
            return manifest.credentials.filter { configuration.credentials[$0] == nil }.map { key in
                SaveWarning(
                    name, Failure(SessionError.credentialNotConfigured(key)), "credentials.\(key)")
            }
        } catch {
            return [SaveWarning(name, Failure(error), "provider")]
        }
    }
}

extension SaveWarning {
    /// The warning of what `start` would refuse.
    private init(_ name: String, _ failure: Failure, _ path: String) {
        let hint = failure.hint.map { "; \($0.replacingName(with: name))" } ?? ""
        self.init(name: name, code: failure.code, path: path, text: failure.text + hint)
    }
}

extension SaveWarning: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("code", code)
            writer.member("path", path)
            writer.member("text", text)
        }
    }
}
