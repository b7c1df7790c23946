package import KernelNetwork
package import LinuxSystem

/// Why a firewall is not written, or not known.
package enum FirewallError: Error, Equatable, Sendable {
    /// There is no nft(8) at any of these places.
    case programMissing([String])
    /// There is one that is not to be run.
    case programUnusable(path: String, problem: String)
    case system(SystemError)
    /// nft or the kernel did not take the rules.
    case refused(String)
    case timedOut(seconds: Int64)
    /// The kernel has no such firewall, or does not tell of it.
    case kernel(NetlinkError)
    /// What is in the kernel is not what was written.
    case changedMeanwhile

    /// What is wrong, on one line.
    package var text: String {
        switch self {
        case .programMissing(let paths):
            "nft is not installed (looked for at \(paths.joined(separator: ", ")))"
        case .programUnusable(let path, let problem): "\(path): \(problem)"
        case .system(let error): error.text
        case .refused(let text): "the rules were not taken: \(text)"
        case .timedOut(let seconds): "nft did not come to its end within \(seconds) s"
        case .kernel(let error): error.description
        case .changedMeanwhile: "another program changed the table while it was written"
        }
    }
}
