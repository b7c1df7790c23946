/// Where something stands in a configuration profile.
package struct MobilePlace: Equatable, Sendable {
    /// The way to it: `PayloadContent[0].VPN.RemoteAddress`.
    package let path: String
    /// `nil` in a binary file.
    package let line: Int?

    package init(path: String, line: Int? = nil) {
        self.path = path
        self.line = line
    }

    /// As a message names it.
    package var text: String {
        if path.isEmpty { return line.map { "line \($0)" } ?? "the file" }
        return line.map { "line \($0): \(path)" } ?? path
    }
}

/// Why a configuration profile is not enrolled.
///
/// No case holds a value of the file, which may be a secret.
package enum MobileProfileError: Error, Equatable, Sendable {
    /// A value is not what its key asks for.
    case value(MobilePlace, problem: String)
    case missing(MobilePlace)
    /// A part that means something on other systems and has no counterpart here; `hint` says
    /// what to do instead.
    case refused(MobilePlace, what: String, hint: String)
    /// The file of wg-quick inside it is none.
    case quick(MobilePlace, QuickFileError)
    /// No provider is known for the application that the profile is for; `name` is shown where
    /// it has the form of one.
    case unknownProvider(MobilePlace, name: String?)
    /// There is neither a tunnel nor a certificate in it.
    case empty
    /// No valid name can be made of those in the file.
    case noName

    /// What is wrong, on one line, with its place.
    package var text: String {
        switch self {
        case .value(let place, let problem): "\(place.text): \(problem)"
        case .missing(let place): "\(place.text) is missing"
        case .refused(let place, let what, _): "\(place.text): \(what)"
        case .quick(let place, let error): "\(place.text): its \(error.text)"
        case .unknownProvider(let place, let name):
            "\(place.text): no provider is known for \(name ?? "this application")"
        case .empty: "neither a VPN nor a certificate is in the configuration profile"
        case .noName: "no name can be made of those in the configuration profile"
        }
    }

    /// What to do about it.
    package var hint: String? {
        switch self {
        case .refused(_, _, let hint): hint
        case .quick(_, let error): error.hint
        case .unknownProvider: "name one that is installed: --provider ID (see `utunctl providers`)"
        case .noName: "give one: --name NAME"
        case .value, .missing, .empty: nil
        }
    }
}
