import Glibc
import Preferences
import TestSupport
import Testing

@Suite struct SystemTrustTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
    }

    private var path: String? { SystemTrust(FileLayout(root: root.path)).path }

    @Test(arguments: SystemTrust.places)
    func theStoreOfTheRootGoesBeforeTheSystems(place: String) throws {
        try root.write(place, "")
        #expect(path == root.path(place))
    }

    @Test func theFirstOfSeveralIsTaken() throws {
        for place in SystemTrust.places { try root.write(place, "") }
        #expect(path == root.path(SystemTrust.places[0]))
    }

    @Test func itMayBeALinkButNothingThatAnybodyMayWrite() throws {
        try root.write("/store.pem", "", mode: 0o644)
        try root.makeDirectory("/etc/ssl")
        #expect(symlink(root.path("/store.pem"), root.path("/etc/ssl/cert.pem")) == 0)
        #expect(path == root.path("/etc/ssl/cert.pem"))
        chmod(root.path("/store.pem"), 0o666)
        #expect(path?.hasPrefix(root.path) != true)
    }
}
