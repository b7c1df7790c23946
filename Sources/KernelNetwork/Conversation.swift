import CNetlink
import Glibc

/// Requests to the kernel over one netlink socket, with their answers.
///
/// It belongs to the network namespace that it was opened in.
struct Conversation: ~Copyable {
    private let socket: NetlinkSocket
    private let callbacks: Callbacks<Exchange>

    /// Opens a socket of a family.
    init(_ family: NetlinkSocket.Family) throws(NetlinkError) {
        // Stored last, because a struct that is half initialised can't be given up.
        let socket = try NetlinkSocket(
            family, groups: 0, receiveBuffer: 1 << 20, blocking: true)
        let callbacks = try Callbacks(writingTo: Exchange())
        Exchange.listen(callbacks)
        self.socket = socket
        self.callbacks = callbacks
    }

    private var exchange: UnsafeMutablePointer<Exchange> { callbacks.state }

    /// Sends one request and takes its answers until it is acknowledged.
    func perform(
        _ message: borrowing Message,
        _ operation: String,
        _ subject: @autoclosure () -> String,
        receive: ((OpaquePointer) -> Void)? = nil
    ) throws(NetlinkError) {
        message.setSequence(exchange.pointee.begin(requests: 1, receive: receive))
        try converse(message.bytes, operation)
        try checkRefusal(operation, subject())
    }

    /// Asks for many objects, again from the start when they changed meanwhile.
    func dump<Value>(
        _ message: borrowing Message,
        _ operation: String,
        _ subject: @autoclosure () -> String,
        parse: @escaping (OpaquePointer) -> [Value]
    ) throws(NetlinkError) -> [Value] {
        var values: [Value] = []
        for _ in 0..<100 {
            values.removeAll(keepingCapacity: true)
            try perform(message, operation, subject()) { values += parse($0) }
            if !exchange.pointee.isInterrupted { return values }
        }
        throw NetlinkError(operation: operation, subject: subject(), errno: EAGAIN)
    }

    /// Sends many requests at once, of which only the last asks to be acknowledged.
    ///
    /// The kernel works through them in order and answers each refusal at once, so that the last
    /// acknowledgement says that all refusals are in.
    ///
    /// - Returns: The refusals, each with the number of its request.
    func perform(
        _ requests: Int,
        _ operation: String,
        build: (_ request: Int, _ flags: CInt, borrowing Message) -> Void
    ) throws(NetlinkError) -> [(request: Int, refusal: Exchange.Refusal)] {
        let message = try Message()
        let first = exchange.pointee.begin(requests: requests, receive: nil)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(requests * 96)
        for request in 0..<requests {
            build(request, request == requests - 1 ? NLM_F_ACK : 0, message)
            message.setSequence(first &+ UInt32(request))
            bytes += message.bytes
        }
        try bytes.span.withUnsafeBytes { (bytes) throws(NetlinkError) in
            try converse(bytes, operation)
        }
        return exchange.pointee.refusals.map { (Int($0.sequence &- first), $0) }
    }

    /// Sends bytes that answer as one request, of the sequence number that `build` is given.
    func perform(
        _ operation: String,
        _ subject: String,
        build: (_ sequence: UInt32) throws(NetlinkError) -> [UInt8]
    ) throws(NetlinkError) {
        let bytes = try build(exchange.pointee.begin(requests: 1, receive: nil))
        try bytes.span.withUnsafeBytes { (bytes) throws(NetlinkError) in
            try converse(bytes, operation)
        }
        try checkRefusal(operation, subject)
    }

    private func checkRefusal(
        _ operation: String,
        _ subject: @autoclosure () -> String
    ) throws(NetlinkError) {
        guard let refusal = exchange.pointee.refusals.first else { return }
        throw NetlinkError(
            operation: operation, subject: subject(), errno: refusal.errno,
            kernelText: refusal.text)
    }

    private func converse(
        _ bytes: UnsafeRawBufferPointer,
        _ operation: String
    ) throws(NetlinkError) {
        defer { exchange.pointee.end() }
        let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        let sent = nl_sendto(socket.raw, start, bytes.count)
        let code = errno
        guard sent >= 0 else {
            throw NetlinkError(operation: operation, subject: "", errno: code)
        }
        while !exchange.pointee.isFinished {
            let result = nl_recvmsgs(socket.raw, callbacks.raw)
            guard result < 0 else { continue }
            let code = NetlinkSocket.errorNumber(ofReceiving: result)
            throw NetlinkError(
                operation: operation,
                subject: "",
                errno: code == EAGAIN ? ETIMEDOUT : code
            )
        }
    }
}
