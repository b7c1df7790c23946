internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let exec = Verb(
        syntax: VerbSyntax(
            "exec",
            summary: "run a command in the network namespace of a tunnel",
            operands: Operands("NAME -- COMMAND [ARGUMENT…]", minimum: 2, maximum: nil),
            description: [
                "The command sees the interfaces of that namespace alone, and the files of"
                    + " /etc/netns/NAMESPACE in the place of those of /etc, as with ip netns exec:"
                    + " resolv.conf above all. Its exit status is that of the command.",
                "Only for a tunnel with interface.networkNamespace. Where the tunnel does not run"
                    + " the command has no way out by it, and is run all the same, with a note.",
            ],
            examples: [
                Example("utunctl exec office -- curl https://example.org", "by the tunnel alone")
            ]),
        run: { context throws(Failure) in try ExecCommand(context: context).run() })
}

private struct ExecCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let operands = context.invocation.operands
        let configuration = try context.configuration(operands.first ?? "")
        guard let name = configuration.interface.networkNamespace else {
            throw Failure(
                .refused, "networkNamespaceNotConfigured",
                "the tunnel has no network namespace of its own",
                hint: "utunctl save NAME --set interface.networkNamespace=NETNS")
        }
        let isRunning = (try? context.directory(of: configuration.identifier).lockIsHeld()) ?? true
        if !isRunning { context.output.note("exec \(configuration.name): the tunnel does not run") }
        let isTunnels: Bool
        do throws(SystemError) {
            let namespace = try NetworkNamespace(at: context.layout.networkNamespace(name))
            let record = context.directory(of: configuration.identifier).record()
            isTunnels = !isRunning || record?.networkNamespace == namespace.identity
            if isTunnels {
                try namespace.enter()
                try Execution.replaceFiles(files(of: name))
            }
        } catch {
            throw Failure(namespace: name, error)
        }
        guard isTunnels else {
            throw Failure(
                .conflict, "networkNamespaceReplaced",
                "another network namespace has the name \(name) since the tunnel was started",
                hint: "utunctl restart \(configuration.name)")
        }
        let error = Execution.become(
            Array(operands.dropFirst()), mask: context.callersMask)
        throw Failure(
            .notPossible, error.errno == ENOENT ? "commandMissing" : "commandUnusable",
            "\(error.subject) cannot be run: \(error.reason)")
    }

    /// What stands in /etc for programs there, as far as there is something in its place.
    private func files(of name: String) -> [(source: String, target: String)] {
        let directory = context.layout.namespaceFiles(name)
        return ((try? Directory.names(directory)) ?? []).compactMap { file in
            let target = "/etc/\(file)"
            guard access(target, F_OK) == 0 else { return nil }
            return ("\(directory)/\(file)", target)
        }
    }
}
