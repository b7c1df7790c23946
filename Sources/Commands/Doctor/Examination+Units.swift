internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    private static let template = "utunctl@.service"
    /// What the unit of this version says, and what no other unit says.
    private static let essentials = [
        "Type=notify", "ExecStop=-/usr/bin/utunctl stop --origin systemd %i",
    ]

    /// The units by which systemd starts tunnels.
    func units() -> [DoctorFinding] {
        let own = layout.path("/etc/systemd/system")
        let packaged = ["/usr/local/lib/systemd/system", "/usr/lib/systemd/system"]
            .map { layout.path($0) }
        let places = ([own] + packaged).map { "\($0)/\(Self.template)" }
        let files = places.filter { access($0, F_OK) == 0 }
        return template(files) + enabled(hasTemplate: !files.isEmpty)
    }

    private func template(_ files: [String]) -> [DoctorFinding] {
        guard let first = files.first else { return [] }
        guard files.count == 1 else {
            return [
                DoctorFinding(
                    .advice, "unitOverridden",
                    "\(first) hides \(files[1]), which this version brings",
                    fix: "put what differs into \(Self.template).d/, and remove \(first);"
                        + " systemctl daemon-reload")
            ]
        }
        guard let bytes = try? FileDescriptor.open(first, O_RDONLY).readAll(limit: 1 << 16) else {
            return []
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard !Self.essentials.allSatisfy({ lines.contains(Substring($0)) }) else { return [] }
        return [
            DoctorFinding(
                .advice, "unitOld",
                "\(first) is not that of this version: systemd may not know what a tunnel does",
                fix: "install utunctl again; systemctl daemon-reload")
        ]
    }

    /// The tunnels that systemd is to start.
    private func enabled(hasTemplate: Bool) -> [DoctorFinding] {
        guard targets.problem == nil else { return [] }
        return EnabledUnits(layout).all.compactMap { unit in
            let name = ServiceManager.name(ofUnit: unit)
            let fix = "systemctl disable \(unit)"
            guard hasTemplate else {
                return DoctorFinding(
                    .problem, "unitMissing",
                    "\(unit) is to start with the system, and there is no \(Self.template)",
                    fix: "install utunctl again, or \(fix)")
            }
            guard let configuration = targets.document?.configuration(name) else {
                return DoctorFinding(
                    .problem, "unitWithoutConfiguration",
                    "\(unit) is to start with the system, and no configuration is called \(name)",
                    fix: fix)
            }
            guard !configuration.enabled else { return nil }
            return DoctorFinding(
                .advice, "unitOfDisabled",
                "\(unit) is to start with the system, and \(name) is disabled",
                fix: "utunctl save \(name) --set enabled=true, or \(fix)")
        }
    }
}
