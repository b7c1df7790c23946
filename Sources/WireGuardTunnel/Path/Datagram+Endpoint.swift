import CLinux
import WireGuard

extension ut_datagram {
    /// Says where a message goes.
    @inline(__always)
    mutating func setRemote(_ endpoint: borrowing Endpoint) {
        port = endpoint.port
        is_v6 = endpoint.isIPv6
        scope = endpoint.scope
        has_local = endpoint.hasLocal
        remote = unsafeBitCast(endpoint.remote, to: type(of: remote))
        local = unsafeBitCast(endpoint.local, to: type(of: local))
    }

    /// Where a message came from.
    @inline(__always)
    var endpoint: Endpoint {
        var endpoint = Endpoint()
        endpoint.port = port
        endpoint.isIPv6 = is_v6
        endpoint.scope = scope
        endpoint.hasLocal = has_local
        endpoint.remote = unsafeBitCast(remote, to: Endpoint.RawAddress.self)
        endpoint.local = unsafeBitCast(local, to: Endpoint.RawAddress.self)
        return endpoint
    }
}
