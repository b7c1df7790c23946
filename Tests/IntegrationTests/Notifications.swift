import Glibc
import TestSupport

/// What a service manager hears.
final class Notifications {
    let path: String
    private let listener: Command

    init(_ site: Installation) throws {
        path = "\(site.root)/notify"
        let script = """
            import socket, sys
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            listener.bind(sys.argv[1])
            print("listening", flush=True)
            while True:
                print(listener.recv(4096).decode().replace("\\n", " & "), flush=True)
            """
        listener = try Command(["/usr/bin/python3", "-c", script, path])
        guard try listener.output(until: "listening").contains("listening") else {
            throw Unexpected("nobody listens for notifications")
        }
    }

    deinit {
        listener.signal(SIGKILL)
        _ = try? listener.finish()
    }

    /// The datagrams so far, once one of them holds the text.
    func heard(until text: String, seconds: Int64 = 10) throws -> [String] {
        try listener.output(until: text, seconds: seconds).split(separator: "\n").dropFirst()
            .map(String.init)
    }
}
