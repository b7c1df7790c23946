internal import SessionHost
internal import TunnelModel

extension Verb {
    static let restart = Verb(
        syntax: VerbSyntax(
            "restart",
            summary: "stop a tunnel and start what is saved, without letting anything out between",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            options: StartCommand.commonOptions,
            description: [
                "What would be refused is refused before the tunnel is stopped. The kill switch of"
                    + " a tunnel with routing.includeAllNetworks stays up all the time.",
                "A tunnel that does not run is started.",
            ],
            examples: [
                Example("utunctl restart --wait office", "put into force what was saved")
            ]),
        run: { context throws(Failure) in try RestartCommand(context: context).run() })
}

private struct RestartCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let start = StartCommand(context)
        let configuration = try start.check()
        // What would be refused is refused while the tunnel still runs.
        do throws(SessionError) {
            _ = try SessionPlan(
                configuration, context.layout, opensHandedOver: start.serviceManager == nil)
        } catch {
            throw Failure(error)
        }
        _ = try Stopping(context).stop(
            configuration.identifier, name: configuration.name,
            reason: DisconnectReason(.superseded, "restarted"))
        return try start.run()
    }
}
