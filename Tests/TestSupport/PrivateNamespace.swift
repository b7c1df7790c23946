import Glibc

/// Whether the test process may change the network: only in a namespace of its own.
///
/// `make test` runs the test binary by `unshare` and names the namespace it came from in the
/// environment. This target can't import Testing, which release builds lack, so a suite takes it as
/// `.enabled(PrivateNamespace.requirement) { try PrivateNamespace.isPresent }`: without the variable
/// the suite is skipped, with the variable but without the namespace it fails.
package enum PrivateNamespace {
    /// The promise of a private namespace was not kept.
    package struct Missing: Error, CustomStringConvertible {
        /// What is wrong.
        package let description: String
    }

    /// The variable that names the outer network namespace.
    package static let variable = "UTUNCTL_TEST_OUTER_NAMESPACE"

    /// Why a suite is skipped.
    package static let requirement: String =
        "needs a private network namespace; run `make test`"

    /// Whether this is a private namespace; throws where one was promised and is not there.
    package static var isPresent: Bool {
        get throws(Missing) {
            guard let outer = getenv(variable) else { return false }
            let inner = try current()
            guard inner != String(cString: outer) else {
                throw Missing(
                    description: "\(variable) is set, but \(inner) is that very namespace")
            }
            return true
        }
    }

    private static func current() throws(Missing) -> String {
        let path = "/proc/self/ns/net"
        var link = [CChar](repeating: 0, count: 64)
        let count = readlink(path, &link, link.count)
        guard count > 0 else { throw Missing(description: "can't read \(path)") }
        return String(decoding: link.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
