package import LinuxSystem

/// Why the resolver of a tunnel is not set.
package enum ResolverProblem: Error, Equatable, Sendable {
    /// A key of `dns` asks for what this host has nobody to do for.
    case unavailable(key: String, problem: String)
    /// What would have to be written or run is not as it has to be.
    case unusable(path: String, problem: String)
    /// Another tunnel has the file.
    case taken(path: String, by: String)
    case system(SystemError)

    /// The problem on one line.
    package var text: String {
        switch self {
        case .unavailable(let key, let problem): "dns.\(key): \(problem)"
        case .unusable(let path, let problem): "\(path): \(problem)"
        case .taken(let path, let name): "the tunnel \(name) has \(path) already"
        case .system(let error): error.text
        }
    }
}
