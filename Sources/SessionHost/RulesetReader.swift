internal import Glibc
internal import JSON
internal import LinuxSystem
package import TunnelModel

/// Asks nft(8) what it and the kernel have; it changes nothing.
package enum RulesetReader {
    private static let milliseconds: Int64 = 5000
    private static let largest = 32 << 20

    /// The whole ruleset of this network namespace, without the elements of sets that have names.
    package static func ruleset() throws(FirewallError) -> Ruleset {
        let printed = try run(["--json", "--terse", "list", "ruleset"])
        do throws(JSONError) {
            return try JSONDocument(parsing: printed).withRoot { root throws(JSONError) in
                try Ruleset(root)
            }
        } catch {
            throw .refused("nft list ruleset: \(error.text)")
        }
    }

    /// The whole ruleset as people read it.
    package static func text() throws(FirewallError) -> String {
        String(decoding: try run(["--stateless", "list", "ruleset"]), as: UTF8.self)
    }

    /// What nft says of itself.
    package static func version() throws(FirewallError) -> String {
        let text = String(decoding: try run(["--version"]), as: UTF8.self)
        return String(text.prefix { !$0.isNewline })
    }

    /// Whether nft and the kernel would take a transaction, none of which they carry out.
    package static func takes(_ transaction: String) throws(FirewallError) -> Bool {
        do throws(FirewallError) {
            _ = try run(["--check", "-f", "-"], input: transaction)
            return true
        } catch .refused {
            return false
        }
    }

    private static func run(_ arguments: [String], input: String? = nil) throws(FirewallError)
        -> [UInt8]
    {
        let program = try RuleWriter.program()
        do {
            return try HelperRun.finish(
                program, arguments, inputs: input.map { [Array($0.utf8)] } ?? [], limit: largest,
                milliseconds: milliseconds)
        } catch {
            throw FirewallError(error)
        }
    }
}
