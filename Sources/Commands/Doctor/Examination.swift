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

    /// Everything that was found: what is as it should be is not told.
    func findings() -> [DoctorFinding] {
        host() + kernel() + fileSystems() + files() + profiles() + providers() + starts()
            + sessions() + runtimeFiles() + firewall() + rules() + names() + units() + journal()
            + onDemand()
    }

    /// The device, the privileges and the accounts.
    private func host() -> [DoctorFinding] {
        [device(), capability(), providerUser(), group()].compactMap(\.self)
    }

    private func device() -> DoctorFinding? {
        do throws(SystemError) {
            _ = try TunDevice.open()
            return nil
        } catch {
            return DoctorFinding(Failure(SessionError.device(error)))
        }
    }

    private func capability() -> DoctorFinding? {
        Capability.networkAdministration.isEffective
            ? nil : DoctorFinding(Failure(Capability.networkAdministration))
    }

    private func providerUser() -> DoctorFinding? {
        let name = "utunctl-provider"
        guard Account.user(named: name) == nil else { return nil }
        return DoctorFinding(
            .advice, "providerUserMissing",
            "there is no user \(name): providers run as uid and gid 61117",
            fix: Self.makesAccounts
                ? "systemd-sysusers"
                : "useradd --system --user-group --no-create-home"
                    + " --shell /usr/sbin/nologin \(name)")
    }

    private func group() -> DoctorFinding? {
        guard Account.group(named: "utunctl") == nil else { return nil }
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
}
