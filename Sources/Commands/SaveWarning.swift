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
    func line(_ verb: String) -> String {
        // Where the text says itself what it is about, once is enough.
        let place = text.hasPrefix("\(path): ") ? "" : "\(path): "
        return "\(verb) \(name): \(place)\(text)"
    }

    /// What would stand against starting the configurations here and now.
    static func warnings(for configurations: [Configuration], _ layout: FileLayout)
        -> [SaveWarning]
    {
        configurations.flatMap { configuration -> [SaveWarning] in
            let name = configuration.name
            var warnings = configuration.unenforcedKeys.map { key in
                SaveWarning(
                    name: name, code: "keyNotEnforced", path: key,
                    text: "this version cannot put it into force: start will refuse")
            }
            for refusal in StartRefusal.all(of: configuration, layout) {
                // Told key by key.
                if case .notEnforced = refusal.error { continue }
                warnings.append(SaveWarning(name, Failure(refusal.error), refusal.key))
            }
            // What start refuses already is among those.
            let trust = TrustReadings(layout, [configuration]).warnings(for: configuration)
            warnings += trust.filter { $0.code == .trustExpiring }.map {
                SaveWarning(name: name, code: $0.code.rawValue, path: "trust", text: $0.text)
            }
            if configuration.sendsAnswersBack {
                warnings.append(
                    SaveWarning(
                        name: name, code: "answersGoBack", path: "routing.excludeLocalNetworks",
                        text: "answers to hosts behind this one go back into the tunnel, so that"
                            + " forwarding for them does nothing; utunctl save \(name) --set"
                            + " routing.excludeLocalNetworks=true"))
            }
            return warnings
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
