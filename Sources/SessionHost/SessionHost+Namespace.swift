internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// A tunnel whose interface lives in another network namespace: the session host lives there with
// it, and goes back for what leaves the host underneath the tunnel.

extension SessionHost {
    /// Enters the namespace of the interface; answers the one that was left, `nil` where it is the
    /// same.
    static func enterNamespace(of configuration: Configuration, _ layout: FileLayout)
        throws(SessionError) -> Outside?
    {
        guard let name = configuration.interface.networkNamespace else { return nil }
        do throws(SystemError) {
            let former = try NetworkNamespace()
            let inner = try NetworkNamespace(at: layout.networkNamespace(name))
            guard inner.identity != former.identity else { return nil }
            let outside = try Outside(former)
            try inner.enter()
            return outside
        } catch {
            throw .networkNamespace(name: name, error)
        }
    }

    /// Looks what the kernel tells of the network that was left.
    func readOutsideEvents() {
        guard let outside else { return }
        do throws(NetlinkError) {
            noteSurroundings(try outside.events.read(), isOutside: true)
        } catch {
            log.note(error.description)
        }
    }

    /// Does something where the tunnel's own packets leave the host.
    func outsideTunnel<Value, Failure: Error>(_ body: () throws(Failure) -> Value)
        throws(Failure) -> Value
    {
        guard let outside else { return try body() }
        return try outside.namespace.run(body)
    }
}

/// The network namespace that a session came from, where its tunnel lives in another.
final class Outside {
    let namespace: NetworkNamespace
    let kernel: RouteSocket
    let events: NetworkEventSocket

    init(_ namespace: NetworkNamespace) throws(SystemError) {
        self.namespace = namespace
        do throws(NetlinkError) {
            events = try NetworkEventSocket()
            kernel = try RouteSocket()
        } catch {
            throw SystemError(error.operation, error.subject, errno: error.errno)
        }
    }
}
