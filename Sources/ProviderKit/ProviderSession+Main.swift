internal import LinuxSystem

extension ProviderSession {
    /// The whole of a provider's `main`: answers the exit status.
    ///
    /// Nothing is ever written to standard output. By hand, without a channel, it says who
    /// starts it and answers 2.
    package static func main(
        _ program: String,
        _ makeProvider: (ProviderSession) -> any PacketTunnelProvider
    ) -> CInt {
        guard let channel = UnixSocket.inherited(at: channelNumber) else {
            complain(program, "started by utunctl for a tunnel, not by hand")
            return 2
        }
        SignalDescriptor.ignoreBrokenPipes()
        do throws(SystemError) {
            try Privilege.protectProcess()
            let session = try ProviderSession(channel: channel, on: EventLoop())
            return try session.run(makeProvider(session))
        } catch {
            complain(program, error.text)
            return 1
        }
    }

    private static func complain(_ program: String, _ text: String) {
        // Without a standard error there is nobody to tell.
        try? writeToStandard(2, Array("\(program): \(text)\n".utf8))
    }
}
