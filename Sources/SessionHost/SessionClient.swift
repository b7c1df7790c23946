internal import Glibc
internal import JSON
package import LinuxSystem
internal import Preferences
package import TunnelModel

/// The asking end of a session host's control socket.
package final class SessionClient {
    /// Why a host cannot be asked.
    package enum Failure: Error, Equatable, Sendable {
        /// There is no socket.
        case none
        /// There is a socket that leads nowhere.
        case unreachable
        /// This user may not ask.
        case forbidden
        /// It takes no more questions.
        case silent
    }

    /// What became of waiting for a reply.
    package enum Reply: Equatable, Sendable {
        case reply(ControlReply)
        /// The host has gone, or talks nonsense.
        case closed
        case timedOut
    }

    private let client: LineClient

    /// Connects to the host of a configuration.
    package init(_ directory: SessionDirectory) throws(Failure) {
        do throws(SystemError) {
            let place = try FileDescriptor.openDirectory(directory.layout.runtimeDirectory)
            client = LineClient(try UnixSocket.connect(to: directory.socketName, in: place))
        } catch {
            switch error.errno {
            case ENOENT, ENOTDIR: throw .none
            case EACCES, EPERM: throw .forbidden
            case EAGAIN: throw .silent
            default: throw .unreachable
            }
        }
    }

    /// The descriptor, to wait for several hosts at once.
    package var raw: CInt { client.raw }

    /// The process of the host.
    package func hostPID() throws(SystemError) -> Int32 { try client.peer().pid }

    /// Asks; a host that takes nothing more is silent.
    package func send(_ request: ControlRequest) throws(Failure) {
        do { try client.send(JSONWriter.line(request)) } catch {
            throw error.errno == EAGAIN ? .silent : .unreachable
        }
    }

    /// Waits for the next reply.
    package func receive(until deadline: Deadline) -> Reply {
        do throws(SystemError) { return decode(try client.receive(until: deadline)) } catch {
            return .closed
        }
    }

    /// The next reply if it is there already.
    package func receiveIfReady() -> Reply? {
        do throws(SystemError) { return try client.receiveIfReady().map(decode) } catch {
            return .closed
        }
    }

    private func decode(_ answer: LineClient.Answer) -> Reply {
        switch answer {
        case .line(let line): (try? ControlReply(line: line)).map { .reply($0) } ?? .closed
        case .closed: .closed
        case .timedOut: .timedOut
        }
    }
}
