/// The sense of a key that says whether the peer is verified.
///
/// Names are taken apart into words that mean something here; one with any other word in it is
/// no such key, so that `verifyInterval` and `noDelay` are none.
enum VerificationSwitch {
    /// `insecure`, `skipVerify`, `acceptInvalidCertificates`
    case offWhenSet
    /// `verify`, `checkCertificate`
    case offWhenClear

    /// Reads a name in lower case without separators; `nil` for the name of anything else.
    init?(_ name: String) {
        switch name {
        case "trustall", "trustonfirstuse", "tofu":
            self = .offWhenSet
            return
        case "rejectunauthorized":
            self = .offWhenClear
            return
        default: break
        }
        guard let words = Self.words(of: name) else { return nil }
        let checks =
            words.contains(.verify) || words.contains(.check) && words.contains(.subject)
        if words.contains(.insecure) {
            self = .offWhenSet
        } else if words.contains(.negation) {
            guard checks || words.contains(.subject) && words.contains(.errors) else { return nil }
            self = .offWhenSet
        } else if words.contains(.permission) {
            let admits =
                words.contains(.untrusted)
                || words.contains(.bad) && words.contains(.subject)
            guard admits else { return nil }
            self = .offWhenSet
        } else if checks {
            self = .offWhenClear
        } else {
            return nil
        }
    }

    private enum Word {
        case verify, check, subject, role, errors
        case negation, permission, insecure, untrusted, bad
    }

    private static let vocabulary: [(word: [UInt8], meaning: Word)] = [
        (["verify", "verifying", "verification", "verified"], Word.verify),
        (["check", "checks", "checking", "validate", "validation", "validated"], .check),
        (
            [
                "certificate", "certificates", "cert", "certs", "hostname", "hostkey", "peer",
                "tls", "ssl", "x509", "chain", "identity", "ca",
            ], .subject
        ),
        (["server", "host", "remote", "gateway", "proxy", "name", "strict", "mode", "the"], .role),
        (["error", "errors", "failure", "failures", "warnings"], .errors),
        (
            [
                "skip", "skips", "no", "not", "dont", "disable", "disabled", "ignore", "ignores",
                "bypass", "without", "omit",
            ], .negation
        ),
        (["allow", "allows", "accept", "accepts", "permit", "trust"], .permission),
        (["insecure", "insecurely"], .insecure),
        (["untrusted", "unverified", "selfsigned"], .untrusted),
        (["invalid", "expired", "any", "all", "every", "wrong", "bad"], .bad),
    ]
    .flatMap { words, meaning in words.map { (Array($0.utf8), meaning) } }
    .sorted { $0.0.count > $1.0.count }

    /// The meanings of the words that make up a name to its end; the longest ones first.
    private static func words(of name: String) -> Set<Word>? {
        let bytes = Array(name.utf8)
        // No key of anything is longer, and what is not a name need not be taken apart.
        guard bytes.count <= 64 else { return nil }
        var blind: Set<Int> = []
        func read(from start: Int) -> Set<Word>? {
            guard start < bytes.count else { return [] }
            guard !blind.contains(start) else { return nil }
            for (word, meaning) in vocabulary where bytes[start...].starts(with: word) {
                if let rest = read(from: start + word.count) { return rest.union([meaning]) }
            }
            blind.insert(start)
            return nil
        }
        return bytes.isEmpty ? nil : read(from: 0)
    }
}
