internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Looks at one part of the host after another; it changes nothing.
struct Examination {
    let layout: FileLayout
    let targets: TunnelTargets

    init(_ context: Context) {
        layout = context.layout
        targets = TunnelTargets(context)
    }

    /// The saved configurations, as far as they can be read.
    var configurations: [Configuration] { targets.document?.configurations ?? [] }

    /// The device, the privileges, the accounts and the firewall.
    func host() -> [DoctorFinding] {
        [device(), capability(), providerUser(), group(), firewall()]
    }

    private func device() -> DoctorFinding {
        do throws(SystemError) {
            _ = try TunDevice.open()
            return DoctorFinding(.ok, "device", "\(TunDevice.path) can be opened")
        } catch {
            return DoctorFinding(Failure(SessionError.device(error)))
        }
    }

    private func capability() -> DoctorFinding {
        Privilege.isEffective(Privilege.networkAdministration)
            ? DoctorFinding(.ok, "capability", "administering the network is permitted")
            : DoctorFinding(Failure(SessionError.capabilityMissing))
    }

    private func providerUser() -> DoctorFinding {
        let name = "utunctl-provider"
        if Account.user(named: name) != nil {
            return DoctorFinding(.ok, "providerUser", "providers run as the user \(name)")
        }
        return DoctorFinding(
            .advice, "providerUserMissing",
            "there is no user \(name): providers run as uid and gid 61117",
            fix: Self.makesAccounts
                ? "systemd-sysusers"
                : "useradd --system --user-group --no-create-home"
                    + " --shell /usr/sbin/nologin \(name)")
    }

    private func group() -> DoctorFinding {
        if Account.group(named: "utunctl") != nil {
            return DoctorFinding(.ok, "group", "members of the group utunctl may ask and read")
        }
        return DoctorFinding(
            .advice, "groupMissing",
            "there is no group utunctl: only root may ask sessions and read the preferences",
            fix: Self.makesAccounts ? "systemd-sysusers" : "groupadd --system utunctl")
    }

    /// Whether systemd makes the accounts from the file that is installed for it.
    private static var makesAccounts: Bool {
        ["/usr/bin", "/bin"].contains { access("\($0)/systemd-sysusers", X_OK) == 0 }
            && ["/etc", "/run", "/usr/local/lib", "/usr/lib"].contains {
                access("\($0)/sysusers.d/utunctl.conf", R_OK) == 0
            }
    }

    private func firewall() -> DoctorFinding {
        let consequence = "tunnels work, but what would need the firewall is refused"
        switch RuleWriter.problem() {
        case nil: return DoctorFinding(.ok, "nftables", "nft is there")
        case .programMissing?:
            return DoctorFinding(
                .advice, "nftablesMissing", "nft is not installed: \(consequence)",
                fix: "install the package nftables")
        case let problem?:
            return DoctorFinding(
                .advice, "nftablesUnusable", "\(problem.text): \(consequence)",
                fix: "install the package nftables again; utunctl-firewall(7) says what it needs")
        }
    }
}
