internal import JSON
internal import LinuxSystem
internal import TunnelModel

/// The whole life of a resolver: one request, its replies, the end.
package enum ResolverProcess {
    /// Serves the request on descriptor 3 and answers the exit status; 2 by hand, without it.
    package static func main(_ program: String) -> CInt {
        guard let socket = UnixSocket.inherited(at: 3) else {
            complain(program, "started by utunctl to find a server, not by hand")
            return 2
        }
        SignalDescriptor.ignoreBrokenPipes()
        do {
            try Privilege.protectProcess()
            let host = LineClient(socket)
            guard case .line(let line) = try host.receive(until: .never) else { return 0 }
            let request = try ResolverRequest(line: line)
            try NameResolution(request, host: host, on: EventLoop()).run()
            return 0
        } catch let error as SystemError {
            complain(program, error.text)
        } catch let error as JSONError {
            complain(program, "request: \(error.text)")
        } catch {
            complain(program, "\(error)")
        }
        return 1
    }

    private static func complain(_ program: String, _ text: String) {
        // Without a standard error there is nobody to tell.
        try? writeToStandard(2, Array("\(program): \(text)\n".utf8))
    }
}
