package import Enrolment
internal import Glibc
internal import JSON
package import KernelNetwork
package import LinuxSystem
package import Preferences
package import SessionHost
package import TunnelModel

// The one map from the errors of the modules to what the user meets: each initializer is
// exhaustive over its enum, so that a new case does not compile until it has its words.

extension Failure {
    private static let asRoot = "run as root or with CAP_NET_ADMIN"
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
                "\(error.text); the saved preferences stand as they were")
        case .busy(let path):
            self.init(
                .conflict, "preferencesBusy", "\(path): another save holds the lock",
                hint: "try again")
        case .invalidDocument(let problem):
            self.init(
                .refused, "documentInvalid", problem.text, hint: Self.nearestKey(problem))
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

    package init(_ error: QuickFileError) {
        self.init(.refused, "fileInvalid", error.text, hint: error.hint)
    }

    package init(_ error: EnrolmentError) {
        switch error {
        case .configurationExists(let name):
            self.init(
                .refused, "nameTaken", "there is a configuration \(name) already",
                hint: "--replace puts this one in its place, and keeps its identifier")
        case .fileExists(let path):
            self.init(
                .refused, "fileExists", "\(path) is there already, though no configuration is",
                hint: "--replace puts a new one in its place")
        case .invalid(let problem): self.init(PreferencesError.invalidDocument(problem))
        case .preferences(let error): self.init(error)
        }
    }

    package init(_ error: ProfileError) {
        switch error {
        case .notAnAnchor(let name):
            self.init(
                .refused, "trustAnchorMissing", "\(name) is not the name of an anchor",
                hint: "the names of anchors have the form PROFILE/ANCHOR")
        case .notEnrolled(let name, let profile, let enrolled):
            self.init(
                .refused, "trustAnchorMissing", "\(name): no profile \(profile) is enrolled",
                hint: nearestWord(to: profile, in: enrolled).map { "did you mean \($0)?" }
                    ?? "enrol it: utunctl enroll FILE --name \(profile)")
        case .noSuchAnchor(let name, let anchors):
            let anchor = AnchorReference(name)?.anchor ?? name
            self.init(
                .refused, "trustAnchorMissing", "\(name): the profile has no anchor \(anchor)",
                hint: nearestWord(to: anchor, in: anchors).map { "did you mean \($0)?" }
                    ?? "enrol the profile again")
        case .wrongKind(let name, let kind, let wanted):
            self.init(
                .refused, "trustAnchorUnusable",
                "\(name) is of kind \(kind.rawValue), and the provider takes \(wanted.rawValue)")
        case .sameKey(let name, let other):
            self.init(
                .refused, "trustAnchorUnusable", "\(name) and \(other) are the same key",
                hint: "name one of them alone")
        case .expired(let profile, let notAfter):
            self.init(
                .refused, "profileExpired", "the profile \(profile) ended at \(notAfter.text)",
                hint: "enrol a new one")
        case .unusable(let profile, let path, let problem):
            self.init(
                .refused, "profileUnusable",
                "the profile \(profile) cannot be used: \(path): \(problem)",
                hint: "mend the file, or enrol the profile again")
        }
    }

    package init(_ error: SessionError) {
        switch error {
        case .removed:
            self.init(
                .noSuchConfiguration, "noSuchConfiguration",
                "the configuration was removed meanwhile")
        case .preferences(let error): self.init(error)
        case .disabled:
            self.init(
                .refused, "configurationDisabled", "the configuration is disabled",
                hint: "utunctl save NAME --set enabled=true")
        case .notEnforced(let keys):
            self.init(
                .refused, "keyNotEnforced",
                "this version cannot put into force: \(keys.joined(separator: ", "))",
                hint: "utunctl save NAME --unset \(keys.first ?? "KEY")")
        case .stale(let given, let saved):
            self.init(
                .stale, "stale", "generation \(given) was asked for, saved is \(saved)",
                hint: "load it again")
        case .provider(let error): self.init(error)
        case .providerConfiguration(let problem):
            self.init(.refused, "providerConfigurationInvalid", problem)
        case .trustNotTaken(let provider):
            self.init(
                .refused, "keyNotEnforced", "trust: the provider \(provider) takes no anchors",
                hint: "utunctl save NAME --unset trust")
        case .profile(let error): self.init(error)
        case .credentialNotConfigured(let name):
            self.init(
                .refused, "credentialMissing", "the provider needs the credential \(name)",
                hint: "utunctl save NAME --set credentials.\(name)=file:PATH")
        case .credential(let error):
            self.init(
                .refused, "credentialUnusable",
                "the credential \(error.name) cannot be used: \(error.path): \(error.problem)")
        case .resolver(let path, let problem):
            self.init(
                .refused, "resolverUnusable",
                "server names cannot be looked up: \(path): \(problem)",
                hint: "install it, or write the server as an address")
        case .device(let error): self.init(device: error)
        case .capabilityMissing:
            self.init(
                .notPossible, "capabilityMissing",
                "administering the network is not permitted: CAP_NET_ADMIN is missing",
                hint: "\(Self.asRoot); in a container: --cap-add NET_ADMIN")
        case .interfaceTaken(let name):
            self.init(
                .conflict, "interfaceTaken",
                "an interface \(name) exists already and is not ours; it was left alone",
                hint: "utunctl save NAME --set interface.name=utun%d")
        case .addressTaken(let address, let interface):
            self.init(
                .conflict, "addressTaken",
                "\(interface) has \(address) or its network already; it was left alone")
        case .firewall(let error): self.init(error)
        case .stillBlocked:
            self.init(
                .conflict, "stillBlocked",
                "the kill switch of its earlier session stands, and what is saved asks for none",
                hint: "utunctl stop NAME, or utunctl unblock NAME, then start it")
        case .providerOnHostNetwork(let key):
            self.init(
                .refused, "providerOnHostNetwork",
                "\(key): the provider runs on the network of the host, and its packets carry"
                    + " no mark to be told by",
                hint: "utunctl save NAME --unset \(key)")
        case .blockedByOther(let name):
            self.init(
                .conflict, "includeAllNetworksTaken",
                "\(name ?? "a tunnel of another installation") takes all networks already, or"
                    + " has left this host blocked",
                hint: "utunctl stop \(name ?? "that tunnel, with its own --root")")
        case .alreadyRunning:
            self.init(.conflict, "alreadyRunning", "a session of this configuration runs already")
        case .unreachableSession(let interface):
            self.init(
                .conflict, "sessionHostUnreachable",
                "a session that cannot be reached holds \(interface)", hint: "utunctl stop NAME")
        case .networkNamespace(let name, let error):
            self.init(namespace: name, error)
        case .dns(let problem): self.init(problem)
        case .notTakenBack(let error):
            self.init(
                .failure, "partlyCleaned",
                "what the tunnel had changed was not all put back: \(error.text)",
                hint: "see to that, then utunctl repair")
        case .runtimeDirectory(let path, let problem):
            self.init(.notPossible, "runtimeDirectoryUnusable", "\(path): \(problem)")
        case .system(let error): self.init(error)
        case .kernel(let error): self.init(error)
        }
    }

    /// The failure of what takes a firewall.
    package init(_ error: FirewallError) {
        switch error {
        case .programMissing:
            self.init(
                .notPossible, "firewallUnavailable",
                "what the configuration asks for takes a firewall: \(error.text)",
                hint: "install nftables, or unset routing.includeAllNetworks, masquerade and"
                    + " mssClamp")
        case .kernel(let error) where error.errno == EPERM: self.init(error)
        case .programUnusable, .system, .refused, .timedOut, .kernel, .changedMeanwhile:
            self.init(
                .notPossible, "firewallUnavailable",
                "what the configuration asks for takes a firewall: \(error.text)",
                hint: "utunctl-preferences(5) says what the kernel has to have for it")
        }
    }

    init(namespace name: String, _ error: SystemError) {
        switch error.errno {
        case ENOENT:
            self.init(
                .notPossible, "networkNamespaceMissing", "there is no network namespace \(name)",
                hint: "ip netns add \(name)")
        case EPERM, EACCES:
            self.init(
                .notPossible, "capabilityMissing",
                "entering the network namespace \(name) is not permitted: CAP_SYS_ADMIN is missing",
                hint: "run as root; in a unit: systemctl edit utunctl@NAME.service, and write"
                    + " [Service] CapabilityBoundingSet=CAP_SYS_ADMIN")
        default:
            self.init(
                .notPossible, "networkNamespaceUnusable",
                "the network namespace \(name) cannot be used: \(error.text)",
                hint: "ip netns delete \(name), and add it anew")
        }
    }

    private init(_ problem: ResolverProblem) {
        switch problem {
        case .unavailable(let key, _):
            self.init(
                .refused, "dnsUnavailable", problem.text,
                hint: "utunctl save NAME --unset dns.\(key)")
        case .unusable:
            self.init(.notPossible, "dnsUnusable", "no resolver can be set: \(problem.text)")
        case .taken(_, let name):
            self.init(
                .conflict, "resolverFileTaken", problem.text, hint: "utunctl stop \(name)")
        case .system(let error): self.init(error)
        }
    }

    /// The failure of a tunnel that somebody waited for.
    package init(_ reason: DisconnectReason) {
        self.init(
            .tunnelFailed, reason.code.rawValue, "the tunnel failed: \(reason.summary)")
    }

    private init(device error: SystemError) {
        let path = TunDevice.path
        switch error.errno {
        case ENOENT:
            self.init(
                .notPossible, "deviceMissing", "\(path) does not exist",
                hint: "modprobe tun; in a container: --device \(path)")
        case ENODEV, ENXIO:
            self.init(
                .notPossible, "deviceWithoutDriver", "\(path) has no driver in this kernel",
                hint: "modprobe tun")
        case EACCES:
            self.init(
                .notPossible, "deviceForbidden", "\(path) may not be opened by this user",
                hint: "run as root, or chmod 0666 \(path)")
        case EPERM:
            // The device control group of a container says EPERM where a mode says EACCES.
            self.init(
                .notPossible, "deviceForbidden", "\(path) may not be opened here",
                hint: "in a container: --device \(path)")
        default:
            self.init(.notPossible, "deviceUnusable", error.text)
        }
    }

    private static func isRefusal(_ errno: CInt) -> Bool {
        [EACCES, EPERM, EROFS].contains(errno)
    }

    /// What an unknown key was probably meant to be: a similar one, or one further down; or
    /// all that would do, where these are few.
    static func nearestKey(_ error: JSONError) -> String? {
        guard case .unknownKey(_, let key, let known) = error else { return nil }
        let nearest = nearestWord(to: key, in: known) ?? known.first { $0.hasSuffix(".\(key)") }
        if let nearest { return "did you mean \(nearest)?" }
        guard (1...4).contains(known.count) else { return nil }
        return "known here: \(known.joined(separator: ", "))"
    }
}
