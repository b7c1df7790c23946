import JSON
import TestSupport

/// Providers in Python that keep to the protocol only as far as a test wants.
enum HostileProvider {
    /// What every script begins with: the channel, and the polite way to do each thing.
    static let prelude = """
        import array, fcntl, json, os, signal, socket, struct, sys, threading, time

        channel = socket.socket(fileno=3)
        lines = channel.makefile("rb")
        lock = threading.Lock()

        def say(data):
            with lock:
                channel.sendall(data)

        def send(**message):
            say(json.dumps(message).encode() + b"\\n")

        def receive():
            line = lines.readline()
            if not line:
                os._exit(0)
            return json.loads(line)

        def settle(addresses=("10.98.0.1/30",), routes=(), **more):
            send(type="settings", id=1, addresses=list(addresses), includedRoutes=list(routes), **more)
            answer = receive()
            if answer["type"] == "stop":
                send(type="stopped")
                os._exit(0)
            return answer

        def connect(*arguments, **more):
            settle(*arguments, **more)
            send(type="connected")

        def serve(answers=True, stops=True):
            while True:
                message = receive()
                if message["type"] == "query" and answers:
                    send(type="report", id=message["id"])
                if message["type"] == "stop" and stops:
                    send(type="stopped")
                    os._exit(0)

        def serve_aside(**how):
            threading.Thread(target=serve, kwargs=how, daemon=True).start()

        start = receive()

        """
}

extension Installation {
    /// Saves a configuration whose provider is a script after the common beginning.
    @discardableResult
    func save(_ name: String, hostile script: String, _ settings: String...) throws -> String {
        try installPythonProvider(name, HostileProvider.prelude + script)
        let edits = ["provider=org.example.\(name)"] + settings
        let result = try Command.run(
            command(["save", name] + edits.flatMap { ["--set", $0] }))
        guard result.status == 0 else { throw Unexpected("save \(name): \(result)") }
        return try identifier(of: name)
    }
}
