internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
package import SessionHost

/// What this host lacks: a firewall, a namespace, a resolver, a TUN device.
extension Failure {
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
                hint: "utunctl-firewall(7) says what nft and the kernel have to have for it")
        }
    }

    init(_ missing: Capability) {
        let purpose =
            switch missing {
            case .networkAdministration: "administering the network"
            case .systemAdministration: "keeping a provider in namespaces"
            case .setUser, .setGroup: "running a provider as a user of its own"
            case .setCapabilities: "taking capabilities from a provider"
            case .kill: "ending a provider that is a user of its own"
            }
        self.init(
            .notPossible, "capabilityMissing",
            "\(purpose) is not permitted: CAP_\(missing.name) is missing",
            hint: "\(Self.asRoot); in a container: --cap-add \(missing.name)")
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

    init(_ problem: ResolverProblem) {
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

    init(device error: SystemError) {
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
}
