import Glibc

/// The asking end of a line protocol: waits for answers up to a deadline, without a loop.
package final class LineClient {
    /// What became of waiting for a line.
    package enum Answer: Equatable, Sendable {
        case line([UInt8])
        case closed
        case timedOut
    }

    private let socket: FileDescriptor
    private var lines = LineBuffer(longest: 4 << 20)
    private var isClosed = false

    /// Takes over a connected socket, which no longer blocks.
    package init(_ socket: consuming FileDescriptor) {
        self.socket = socket
        // Of a socket pair the ends block, and no deadline would be kept.
        _ = fcntl(self.socket.raw, F_SETFL, O_NONBLOCK)
    }

    /// The socket, to wait for it together with others.
    package var raw: CInt { socket.raw }

    /// Who is at the other end.
    package func peer() throws(SystemError) -> UnixSocket.Peer {
        try UnixSocket.peer(of: socket)
    }

    /// Says to the other end that nothing more comes from here.
    package func close() {
        shutdown(socket.raw, CInt(SHUT_RDWR))
    }

    /// Sends a line, which has its end.
    package func send(_ line: [UInt8], until deadline: Deadline = .after(milliseconds: 500))
        throws(SystemError)
    {
        var rest = line[...]
        while !rest.isEmpty {
            do throws(SystemError) {
                rest = rest.dropFirst(try UnixSocket.send(rest, descriptors: [], on: socket.raw))
            } catch {
                guard error.errno == EAGAIN, !deadline.hasPassed else { throw error }
                _ = try Self.wait(for: [(socket.raw, .writable)], until: deadline)
            }
        }
    }

    /// The next line.
    package func receive(until deadline: Deadline) throws(SystemError) -> Answer {
        while true {
            if let answer = try receiveIfReady() { return answer }
            guard try !Self.wait(for: [(socket.raw, .readable)], until: deadline).isEmpty else {
                return .timedOut
            }
        }
    }

    /// The next line if it is there already, without waiting.
    package func receiveIfReady() throws(SystemError) -> Answer? {
        while true {
            do { if let line = try lines.next() { return .line(line) } } catch { return .closed }
            if isClosed { return .closed }
            do throws(SystemError) {
                let bytes = try UnixSocket.receive(atMost: 65_536, on: socket.raw).bytes
                if bytes.isEmpty { isClosed = true }
                lines.append(bytes)
            } catch {
                if error.errno == EAGAIN { return nil }
                guard error.errno == ECONNRESET else { throw error }
                isClosed = true
            }
        }
    }

    /// Waits until one of the descriptors is ready and answers those that are; none when
    /// the deadline has passed.
    ///
    /// Corresponds to `poll(2)`.
    package static func wait(
        for descriptors: [(CInt, EventLoop.Interest)],
        until deadline: Deadline
    ) throws(SystemError) -> [CInt] {
        var polled = descriptors.map { descriptor, interest in
            pollfd(
                fd: descriptor,
                events: Int16(interest.contains(.writable) ? POLLOUT : POLLIN), revents: 0)
        }
        _ = try check("poll") {
            poll(&polled, nfds_t(polled.count), deadline.remainingMilliseconds)
        }
        return polled.filter { $0.revents != 0 }.map(\.fd)
    }
}
