import JSON
import TestSupport

/// Providers that are a few lines of Python: they look around, connect and report.
enum ProbeProvider {
    static let identifier = "org.example.probe"

    /// Lines in both directions.
    ///
    /// Whatever is received is received byte by byte, so that it
    /// shows with which byte of its line a descriptor comes.
    static let channel = """
        import json, os, socket, sys
        channel = socket.socket(fileno=3)
        passed = []
        def say(kind, **members):
            channel.sendall((json.dumps({"type": kind, **members}) + "\\n").encode())
        def hear():
            line = b""
            while not line.endswith(b"\\n"):
                byte, descriptors, _, _ = socket.recv_fds(channel, 1, 4)
                if not byte:
                    os._exit(0)
                passed.extend((len(line), descriptor) for descriptor in descriptors)
                line += byte
            return json.loads(line)
        def ask(kind, **members):
            say(kind, id=100, **members)
            while True:
                message = hear()
                if message.get("id") == 100:
                    return message
        """

    private static let session = """
        start = hear()
        own = start["configuration"]["providerConfiguration"]
        say("settings", id=1, addresses=own.get("addresses", ["10.98.0.1/30"]),
            dns=own.get("dns"))
        while (kind := hear()["type"]) != "settingsApplied":
            if kind == "stop":
                say("stopped")
                sys.exit()
        found = look(start)
        say("connected")
        while True:
            message = hear()
            if message["type"] == "query":
                say("report", id=message["id"], lastVerified=None, **found)
            elif message["type"] == "stop":
                say("stopped")
                break
        """

    /// Lines as they come, without the sockets that may come with them: a long start is read at
    /// once.
    private static let quickHearing = """
        lines = channel.makefile("rb")
        def hear():
            line = lines.readline()
            return json.loads(line) if line else os._exit(0)
        """

    /// A provider that reports what the body `look` of a function of `start` returns.
    static func script(_ look: String, hearsQuickly: Bool = false) -> String {
        let body = look.split(separator: "\n", omittingEmptySubsequences: false)
            .map { "    \($0)" }.joined(separator: "\n")
        let hearing = hearsQuickly ? "\(quickHearing)\n" : ""
        return "\(channel)\n\(hearing)def look(start):\n\(body)\n\(session)\n"
    }
}

extension Installation {
    /// Installs the provider `org.example.probe`; `member` is a further one of its manifest.
    func installProbe(_ look: String, _ member: String? = nil) throws {
        let script = ProbeProvider.script(look)
        guard let member else { return try installPythonProvider("probe", script) }
        try installPythonProvider("probe", script, member)
    }

    /// Saves a tunnel of the probe with routes of its own.
    func saveProbe(
        _ name: String,
        server: String,
        routes: [String],
        addresses: [String] = ["10.98.0.1/30", "fd98::1/64"]
    ) throws {
        func list(_ texts: [String]) -> String {
            "[\(texts.map { "\"\($0)\"" }.joined(separator: ","))]"
        }
        try save(
            name, "provider=\(ProbeProvider.identifier)", "serverAddress=\(server)",
            "providerConfiguration.addresses=\(list(addresses))",
            "routing.includedRoutes=\(list(routes))")
    }

    /// Starts a tunnel and answers what its provider reports once it is connected.
    func report(ofStarted name: String) throws -> JSONObject {
        let start = try utunctl("start", "--wait", name)
        guard start.status == 0 else {
            throw Unexpected("start \(name): \(start)\n\(log(of: name))")
        }
        guard let report = try status(name).value("provider.report")?.object else {
            throw Unexpected("no report of \(name)")
        }
        return report
    }

    /// What the session host of a configuration wrote.
    func log(of name: String) -> String {
        (try? identifier(of: name)).flatMap { read("run/utunctl/\($0).log") } ?? ""
    }
}
