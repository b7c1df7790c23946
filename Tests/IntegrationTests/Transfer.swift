import TestSupport

/// A stream of TCP whose content is compared at its two ends.
final class Transfer {
    /// What came of it.
    struct Outcome {
        fileprivate let sent: String
        fileprivate let received: String

        var isWhole: Bool { !sent.isEmpty && sent == received }
    }

    private let server: Command
    private let client: Command

    /// Begins to send so many bytes from one place to an address at another.
    init(
        from sender: Place = .here,
        to address: String,
        at receiver: Place,
        bytes: Int
    ) throws {
        server = try receiver.daemon(["/usr/bin/python3", "-u", "-c", Self.receive, address])
        guard try server.output(until: "listening").contains("listening") else {
            throw Unexpected("nobody listens: \(try server.finish(seconds: 1))")
        }
        client = try sender.daemon(["/usr/bin/python3", "-u", "-c", Self.send, address, "\(bytes)"])
    }

    deinit {
        client.signal(9)
        server.signal(9)
    }

    /// Sends so many bytes, to the end.
    static func run(
        from sender: Place = .here,
        to address: String,
        at receiver: Place,
        bytes: Int,
        within seconds: Int64 = 60
    ) throws -> Outcome {
        try Transfer(from: sender, to: address, at: receiver, bytes: bytes)
            .finish(within: seconds)
    }

    /// Whether all has arrived.
    var isDone: Bool {
        get throws { try client.output(until: "\n", seconds: 0).contains("\n") }
    }

    /// Waits for the end; what takes longer did not arrive.
    func finish(within seconds: Int64 = 60) throws -> Outcome {
        let result = try client.finish(seconds: seconds)
        let answer = try server.finish(seconds: result.status == 0 ? 10 : 0)
        return Outcome(
            sent: String(result.output.split(separator: "\n").first ?? ""),
            received: String(answer.output.split(separator: "\n").last ?? ""))
    }

    private static let receive = """
        import hashlib, socket, sys
        family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
        server = socket.create_server((sys.argv[1], 7000), family=family)
        print("listening")
        stream, _ = server.accept()
        digest = hashlib.sha256()
        while data := stream.recv(1 << 20):
            digest.update(data)
        print(digest.hexdigest())
        stream.sendall(b"done")
        """

    // The other end's word is awaited, so that all of it has arrived when this ends.
    private static let send = """
        import hashlib, random, socket, sys
        stream = socket.create_connection((sys.argv[1], 7000))
        chance = random.Random(1)
        digest = hashlib.sha256()
        left = int(sys.argv[2])
        while left:
            data = chance.randbytes(min(left, 1 << 18))
            digest.update(data)
            stream.sendall(data)
            left -= len(data)
        stream.shutdown(socket.SHUT_WR)
        if stream.recv(16) == b"done":
            print(digest.hexdigest())
        """
}
