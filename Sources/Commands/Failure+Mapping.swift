internal import Glibc
internal import JSON
package import KernelNetwork
package import LinuxSystem
package import Preferences
internal import SessionHost
package import TunnelModel

// The one map from the errors of the modules to what the user meets: each initializer is
// exhaustive over its enum, so that a new case does not compile until it has its words.

extension Failure {
    static let asRoot = "run as root or with CAP_NET_ADMIN"
    private static let toLook = "run as root, or as a member of the group utunctl"

    /// The failure as a verb has it that changes something: the group may only look.
    var ofChange: Failure {
        hint == Self.toLook ? Failure(exitStatus, code, text, hint: "run as root") : self
    }

    package init(_ error: UsageError) {
        self.init(.usage, "usage", error.message, hint: error.hint)
    }

    package init(_ error: SystemError) {
        self.init(
            Self.isRefusal(error.errno) ? .notPossible : .failure, "systemError", error.text,
            hint: error.errno == EACCES || error.errno == EPERM ? "run as root" : nil)
    }

    package init(_ error: NetlinkError) {
        let isForbidden = error.errno == EPERM || error.errno == EACCES
        self.init(
            isForbidden ? .notPossible : .failure,
            isForbidden ? "capabilityMissing" : "kernelError", error.description,
            hint: isForbidden ? Self.asRoot : nil)
    }

    package init(_ error: PreferencesError) {
        switch error {
        case .unreadable(.system(let error)):
            let isForbidden = error.errno == EACCES || error.errno == EPERM
            self.init(
                .notPossible, "preferencesUnreadable", error.text,
                hint: isForbidden ? Self.toLook : nil)
        case .unreadable(.unsafe(let path, let problem)):
            self.init(
                .notPossible, "preferencesUnsafe", "\(path): \(problem)",
                hint: "chown root and chmod go-w what should be yours alone")
        case .corrupt(_, .newerFormat(let version)):
            self.init(
                .preferencesCorrupt, "preferencesNewer",
                "formatVersion \(version) of the preferences was written by a newer utunctl",
                hint: "upgrade utunctl")
        case .corrupt(let path, let problem):
            self.init(
                .preferencesCorrupt, "preferencesCorrupt", "\(path): \(problem.text)",
                hint: Self.nearestKey(problem)
                    ?? "mend the file or move it away; nothing was written to it")
        case .unwritable(_, let error):
            self.init(
                Self.isRefusal(error.errno) ? .notPossible : .failure, "preferencesUnwritable",
                "\(error.text); the saved preferences stand as they were",
                hint: [EACCES, EPERM].contains(error.errno) ? "run as root" : nil)
        case .busy(let path):
            self.init(
                .conflict, "preferencesBusy", "\(path): another save holds the lock",
                hint: "try again")
        case .invalidDocument(let problem):
            self.init(
                .refused, "documentInvalid", problem.text, hint: Self.nearestKey(problem))
        case .misplaced(let material): self.init(material)
        case .stale(let name, let given, let saved):
            self.init(
                .stale, "stale",
                "\(name) was read at generation \(given), saved is generation \(saved)",
                hint: "load it again, and save your change on that")
        case .nameTaken(let name):
            self.init(
                .refused, "nameTaken", "another configuration has the name \(name)",
                hint: "choose another name")
        }
    }

    package init(_ error: ProviderError) {
        switch error {
        case .notInstalled(let identifier, let installed, let nearest):
            let list = installed.isEmpty ? "none" : installed.joined(separator: ", ")
            self.init(
                .refused, "providerNotInstalled",
                "no provider \(identifier) is installed; installed: \(list)",
                hint: nearest.map { "did you mean \($0)?" }
                    ?? "install it, or utunctl save NAME --provider ID")
        case .badManifest(let identifier, let path, let problem):
            self.init(
                .refused, "providerManifestInvalid",
                "the manifest of \(identifier) cannot be used: \(path): \(problem)",
                hint: "mend it as utunctl-provider(7) says, or install the provider again")
        case .badExecutable(let identifier, let path, let problem):
            self.init(
                .refused, "providerExecutableUnusable",
                "the executable of \(identifier) cannot be run: \(path): \(problem)",
                hint: "install the provider again, or chown root and chmod 0755 what is there")
        case .unknownProtocol(let identifier, let version):
            self.init(
                .refused, "providerProtocolUnknown",
                "\(identifier) speaks version \(version) of the provider protocol, not 1",
                hint: "install the version of it that fits this utunctl")
        }
    }

    /// The failure of a tunnel that somebody waited for; `floor` is a moment that has
    /// certainly been.
    package init(_ reason: DisconnectReason, clockFloor floor: Timestamp? = nil) {
        self.init(
            .tunnelFailed, reason.code.rawValue,
            "the tunnel \(reason.code.wasAskedFor ? "was ended" : "failed"): \(reason.summary)",
            hint: reason.code.remedy(at: .now, floor: floor))
    }

    private static func isRefusal(_ errno: CInt) -> Bool {
        [EACCES, EPERM, EROFS].contains(errno)
    }

    /// What an unknown key was probably meant to be: a similar one beside it, or one further
    /// down; or all that would do in its place.
    static func nearestKey(_ error: JSONError) -> String? {
        guard case .unknownKey(_, let key, let known) = error else { return nil }
        // Of a path only the last key is unknown: what it stands in is no remedy.
        let place = key.lastIndex(of: ".").map { String(key[...$0]) } ?? ""
        let last = String(key.dropFirst(place.count))
        let beside = known.filter {
            $0.hasPrefix(place) && !$0.dropFirst(place.count).contains(".")
        }
        let similar = nearestWord(to: last, in: beside.map { String($0.dropFirst(place.count)) })
        let nearest = similar.map { place + $0 } ?? known.first { $0.hasSuffix(".\(last)") }
        if let nearest { return "did you mean \(nearest)?" }
        guard !beside.isEmpty else {
            return nearestWord(to: key, in: known).map { "did you mean \($0)?" }
        }
        return "known here: \(beside.joined(separator: ", "))"
    }
}
