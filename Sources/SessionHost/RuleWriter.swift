internal import Glibc
internal import LinuxSystem

/// Has nft(8) carry out one transaction: all of it or nothing.
package enum RuleWriter {
    /// Where nft is looked for; nobody's PATH counts.
    package static let places = [
        "/usr/sbin/nft", "/sbin/nft", "/usr/local/sbin/nft", "/usr/bin/nft",
    ]

    fileprivate static let seconds: Int64 = 10
    private static let arguments = ["-f", "-"]

    /// Begins a transaction; `completion` is called once, on the loop, with what stood against
    /// it, unless the run goes before.
    static func start(
        _ text: String,
        on loop: EventLoop,
        completion: @escaping (FirewallError?) -> Void
    ) throws(FirewallError) -> HelperRun {
        let program = try program()
        do {
            return try HelperRun(
                program, arguments, inputs: [Array(text.utf8)], milliseconds: seconds * 1000,
                on: loop
            ) { outcome in
                if case .failure(let failure) = outcome {
                    completion(FirewallError(failure))
                } else {
                    completion(nil)
                }
            }
        } catch {
            throw FirewallError(error)
        }
    }

    /// Carries out a transaction and waits for its end, where no loop runs yet or any more.
    static func write(_ text: String) throws(FirewallError) {
        let program = try program()
        do {
            try HelperRun.finish(
                program, arguments, inputs: [Array(text.utf8)], milliseconds: seconds * 1000)
        } catch {
            throw FirewallError(error)
        }
    }

    /// Why there is no nft to be run; `nil` where there is one.
    package static func problem() -> FirewallError? {
        let path: String
        do { path = try program() } catch { return error }
        do { _ = try TrustedFile.openExecutable(path) } catch {
            return .programUnusable(path: path, problem: error.problem)
        }
        return nil
    }

    static func program() throws(FirewallError) -> String {
        guard let path = places.first(where: { access($0, F_OK) == 0 }) else {
            throw .programMissing(places)
        }
        return path
    }
}

extension FirewallError {
    init(_ failure: HelperRun.Failure) {
        switch failure {
        case .unusable(let path, let problem):
            self = .programUnusable(path: path, problem: problem)
        case .system(let error): self = .system(error)
        case .silent: self = .timedOut(seconds: RuleWriter.seconds)
        case .excessive: self = .refused(failure.text)
        case .failed(_, let ending, let said):
            // The first line says what is wrong; those behind it show where.
            self = .refused(said.first ?? "nft \(ending)")
        }
    }
}
