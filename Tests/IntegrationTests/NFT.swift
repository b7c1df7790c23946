import Glibc
import LinuxSystem
import TestSupport

/// Other programs in the place of nft, for everybody in the namespace of the test.
enum NFT {
    private static let path = "/usr/sbin/nft"

    /// Runs `body` while the program under test has a script of the shell for nft; tests go on
    /// with the real one, as they use it otherwise.
    static func withReplacement(_ script: String, _ body: () throws -> Void) throws {
        let real = "/tmp/utunctl-nft-\(getpid())"
        let place = "\(real).sh"
        try Place.here.run("cp", path, real)
        defer { unlink(real) }
        try write(
            """
            #!/bin/sh
            [ "$1" = -f ] || exec \(real) "$@"
            \(script)
            """, to: place)
        defer { unlink(place) }
        try Place.here.run("mount", "--bind", place, path)
        defer { _ = try? Place.here.run("umount", path) }
        try body()
    }

    /// Runs `body` while there is no nft that could be run.
    static func without(_ body: () throws -> Void) throws {
        try Place.here.run("mount", "--bind", "/dev/null", path)
        defer { _ = try? Place.here.run("umount", path) }
        try body()
    }

    private static func write(_ text: String, to path: String) throws {
        let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o755)
        try file.write(Array(text.utf8))
        chmod(path, 0o755)
    }
}
