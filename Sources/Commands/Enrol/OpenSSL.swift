internal import Glibc
internal import SessionHost

/// Runs openssl(1), which parses certificates and verifies signatures.
///
/// What goes to it and comes from it stays in memory: the content of what is signed may be secret.
enum OpenSSL {
    /// How a run failed that came to its end.
    struct Refusal: Error, Equatable {
        /// The lines that it said.
        let said: [String]

        /// Whether it gave a reason, which stands between colons in one of its lines.
        func gives(_ reason: String) -> Bool {
            said.contains { line in
                line.split(separator: ":").contains { $0.trimmedStart == reason[...] }
            }
        }

        /// Why a certificate was not believed; `nil` where that is not what failed.
        var verification: String? {
            for line in said {
                let parts = line.split(separator: ":").map { String($0.trimmedStart) }
                guard let index = parts.firstIndex(of: "Verify error"), index + 1 < parts.count
                else { continue }
                return parts[index + 1]
            }
            return nil
        }
    }

    /// Where it is looked for; nobody's PATH counts.
    private static let places = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
    private static let milliseconds: Int64 = 30_000
    /// As long as what it is given may be.
    private static let limit = 32 << 20

    /// What a run printed: the first of the inputs is on its standard input, others are files
    /// `/dev/fd/3` and so on.
    static func run(_ arguments: [String], inputs: [[UInt8]]) throws(Failure)
        -> Result<[UInt8], Refusal>
    {
        guard let path = places.first(where: { access($0, F_OK) == 0 }) else {
            throw unusable("there is no \(places.joined(separator: " and no "))")
        }
        do throws(HelperRun.Failure) {
            return .success(
                try HelperRun.finish(
                    path, arguments, inputs: inputs, limit: limit, milliseconds: milliseconds))
        } catch .failed(_, _, let said) {
            return .failure(Refusal(said: said))
        } catch {
            throw unusable(error.text)
        }
    }

    private static func unusable(_ problem: String) -> Failure {
        Failure(
            .refused, "helperUnusable",
            "certificates and signatures cannot be checked: \(problem)",
            hint: "install openssl")
    }
}

extension Substring {
    fileprivate var trimmedStart: Substring { drop { $0 == " " } }
}
