internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension Verb {
    static let enable = Verb(
        syntax: VerbSyntax(
            "enable",
            summary: "have systemd start tunnels with the system",
            operands: Operands("NAME…", minimum: 1, maximum: nil),
            description: ["Enables the units of the tunnels, and starts nothing now."],
            examples: [
                Example("utunctl enable office", "start it at each boot from now on")
            ]),
        run: { context throws(Failure) in
            try EnableCommand(context: context, action: "enable").run()
        })

    static let disable = Verb(
        syntax: VerbSyntax(
            "disable",
            summary: "have systemd no longer start tunnels with the system",
            operands: Operands("NAME…", minimum: 1, maximum: nil),
            description: ["Disables the units of the tunnels; one that runs goes on."],
            examples: [Example("utunctl disable office", "start it no longer at boot")]),
        run: { context throws(Failure) in
            try EnableCommand(context: context, action: "disable").run()
        })
}

/// A tunnel whose unit was enabled or disabled.
private struct EnabledTunnel: JSONEncodable {
    let name: String
    let unit: String
    let enabled: Bool

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("unit", unit)
            writer.member("enabled", enabled)
        }
    }
}

private struct EnableCommand {
    let context: Context
    /// As systemctl(1) calls it.
    let action: String

    func run() throws(Failure) -> ExitStatus {
        let manager = try manager()
        var names: [String] = []
        var disabled: [String] = []
        for operand in context.invocation.operands {
            // A unit may outlive its configuration, and is to be disabled all the same.
            let configuration = try action == "enable" ? context.configuration(operand) : nil
            let name = configuration?.name ?? operand
            guard Naming.problem(ofConfiguration: name) == nil else {
                throw Context.noSuchConfiguration(name, names: [])
            }
            names.append(name)
            if configuration?.enabled == false { disabled.append(name) }
        }
        try manager.run([action] + names.map { ServiceManager.unit(of: $0) })
        for name in disabled {
            context.output.note(
                "\(name) is saved as disabled, and its unit starts nothing:"
                    + " utunctl save \(name) --set enabled=true")
        }
        let tunnels = names.map {
            EnabledTunnel(
                name: $0, unit: ServiceManager.unit(of: $0), enabled: action == "enable")
        }
        try context.output.answer(
            ListAnswer(key: "units", elements: tunnels),
            text: tunnels.map { "\($0.name): \(action)d (\($0.unit))" }
                .joined(separator: "\n"))
        return .done
    }

    private func manager() throws(Failure) -> ServiceManager {
        let isOfSystem = context.layout.root.isEmpty
        // What systemd is can be seen by root alone.
        guard !isOfSystem || geteuid() == 0 else {
            throw Failure(
                .notPossible, "serviceManagerForbidden",
                "only root may \(action) units", hint: "run as root")
        }
        if let manager = ServiceManager.find(context.layout) { return manager }
        guard isOfSystem else {
            throw missing("what is below --root starts with no system", "start it by other means")
        }
        guard Directory.exists("/run/systemd/system") else {
            throw missing("no systemd runs here", "have utunctl start NAME run by other means")
        }
        throw missing(
            "systemd has no unit utunctl@.service here, or is in another network namespace",
            "install utunctl again, by its package or by make install")
    }

    private func missing(_ text: String, _ hint: String) -> Failure {
        Failure(.notPossible, "serviceManagerMissing", text, hint: hint)
    }
}
