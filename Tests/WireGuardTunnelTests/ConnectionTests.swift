import Testing

@testable import WireGuardTunnel

struct ConnectionTests {
    @Test(arguments: [
        (Connection.waiting, false, Connection.waiting, Connection.Change.none),
        (.waiting, true, .connected, .connected),
        (.connected, true, .connected, .none),
        (.connected, false, .reasserting, .reasserting),
        (.reasserting, false, .reasserting, .none),
        (.reasserting, true, .connected, .connected),
    ])
    func eachChangeIsToldOnce(
        before: Connection, isProven: Bool, after: Connection, change: Connection.Change
    ) {
        var connection = before
        #expect(connection.update(isProven: isProven) == change)
        #expect(connection == after)
    }
}
