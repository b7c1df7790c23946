internal import KernelNetwork
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// Tells whether programs can bind to the addresses of a session's interface.
final class AddressWatch {
    private let wanted: [IPPrefix]
    private let index: UInt32
    private let kernel: RouteSocket
    private let events: NetworkEventSocket

    /// Watches them where the session lives.
    static func of(_ report: SessionReport) throws(Failure) -> AddressWatch {
        guard report.networkNamespace != currentNetworkNamespace else {
            return try AddressWatch(report)
        }
        let namespace: NetworkNamespace
        do throws(SystemError) {
            namespace = try NetworkNamespace(at: "/proc/\(report.hostPID)/ns/net")
        } catch {
            throw Failure(error)
        }
        return try namespace.run { () throws(Failure) in try AddressWatch(report) }
    }

    private init(_ report: SessionReport) throws(Failure) {
        wanted = report.addresses
        index = UInt32(report.interface.index)
        do throws(NetlinkError) {
            // Before they are read, or a change in between would be lost.
            events = try NetworkEventSocket([.v4Addresses, .v6Addresses])
            kernel = try RouteSocket()
        } catch {
            throw Failure(error)
        }
    }

    /// Readable when addresses have changed.
    var descriptor: CInt { events.fileDescriptor }

    /// Whether the interface has all of them, and none is still being looked for elsewhere.
    func areUsable() throws(Failure) -> Bool {
        do throws(NetlinkError) {
            _ = try events.read()
            let found = try kernel.addresses(ofLink: index)
            return wanted.allSatisfy { address in
                found.contains { $0.prefix == address && !$0.isTentative && !$0.isDuplicate }
            }
        } catch {
            // It is gone, which its session tells as well.
            if error.isMissingDevice { return false }
            throw Failure(error)
        }
    }
}
