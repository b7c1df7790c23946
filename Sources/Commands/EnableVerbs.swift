internal import JSON
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
        guard let manager = ServiceManager.find(context.layout) else {
            throw Failure(
                .notPossible, "serviceManagerMissing",
                "no systemd runs here that has the unit utunctl@.service",
                hint: "make install installs it; with --root, start tunnels by other means")
        }
        var names: [String] = []
        for operand in context.invocation.operands {
            // A unit may outlive its configuration, and is to be disabled all the same.
            let name = try action == "enable" ? context.configuration(operand).name : operand
            guard Naming.problem(ofConfiguration: name) == nil else {
                throw Context.noSuchConfiguration(name, names: [])
            }
            names.append(name)
        }
        try manager.run([action] + names.map { ServiceManager.unit(of: $0) })
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
}
