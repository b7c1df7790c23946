import JSON
import TestSupport

/// Streams of iperf3 from this host to another, and what came of them.
struct Iperf {
    /// What ends a stream.
    enum Extent {
        case seconds(Int)
        case mebibytes(Int)

        fileprivate var words: [String] {
            switch self {
            case .seconds(let seconds): ["-t", "\(seconds)"]
            case .mebibytes(let mebibytes): ["-n", "\(mebibytes)M"]
            }
        }
    }

    /// What the receiver says of one stream.
    struct Stream {
        let bitsPerSecond: Double
        let bytes: Double
    }

    /// What became of datagrams.
    struct Datagrams {
        let offeredPerSecond: Double
        let lostPercent: Double
    }

    private let server: Command
    private let client: [String]

    /// Begins a stream of TCP to a server on the far host.
    static func stream(
        to address: String,
        at place: Place,
        _ extent: Extent,
        port: Int = 5201
    ) throws -> Iperf {
        try Iperf(to: address, at: place, port: port, extent.words)
    }

    /// Begins to send datagrams of one length at one rate.
    static func datagrams(
        to address: String,
        at place: Place,
        length: Int,
        perSecond rate: Int,
        seconds: Int
    ) throws -> Iperf {
        try Iperf(
            to: address, at: place, port: 5201,
            ["-u", "-l", "\(length)", "-b", "\(rate * length * 8)", "-t", "\(seconds)"])
    }

    private init(to address: String, at place: Place, port: Int, _ words: [String]) throws {
        let port = "\(port)"
        server = try place.daemon(["iperf3", "-s", "-1", "-p", port, "--forceflush"])
        guard try server.output(until: "listening").contains("listening") else {
            throw Unexpected("no iperf3 listens at port \(port)")
        }
        client = ["/usr/bin/iperf3", "-c", address, "-p", port, "-J"] + words
    }

    /// Runs the client to its end.
    func streamed() throws -> Stream {
        let sum = try Self.sum(try Command.run(client, seconds: 600), "sum_received")
        _ = try server.finish(seconds: 5)
        return Stream(bitsPerSecond: try sum("bits_per_second"), bytes: try sum("bytes"))
    }

    /// Runs the client of datagrams to its end.
    func sent() throws -> Datagrams {
        let result = try Command.run(client, seconds: 600)
        _ = try server.finish(seconds: 5)
        let sent = try Self.sum(result, "sum")
        let seconds = try sent("seconds")
        return Datagrams(
            offeredPerSecond: try sent("packets") / seconds, lostPercent: try sent("lost_percent"))
    }

    /// Runs several streams at the same time.
    static func together(_ streams: [Iperf]) throws -> [Stream] {
        let clients = try streams.map { try Command($0.client) }
        return try zip(streams, clients).map { stream, client in
            let sum = try sum(try client.finish(seconds: 600), "sum_received")
            _ = try stream.server.finish(seconds: 5)
            return Stream(bitsPerSecond: try sum("bits_per_second"), bytes: try sum("bytes"))
        }
    }

    private static func sum(_ result: Command.Result, _ name: String) throws
        -> (String) throws -> Double
    {
        guard result.status == 0,
            let sum = try Installation.parse(result.output).value("end.\(name)")?.object
        else { throw Unexpected("iperf3: \(result)") }
        return { key in
            guard let number = sum.value(key)?.number else { throw Unexpected("no \(key): \(sum)") }
            return number
        }
    }
}
