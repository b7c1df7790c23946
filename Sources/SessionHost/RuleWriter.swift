internal import Glibc
internal import LinuxSystem

/// Has nft(8) carry out one transaction: all of it or nothing.
package final class RuleWriter {
    /// Where nft is looked for; nobody's PATH counts.
    package static let places = [
        "/usr/sbin/nft", "/sbin/nft", "/usr/local/sbin/nft", "/usr/bin/nft",
    ]

    private static let seconds: Int64 = 10
    private static let longestAnswer = 4096

    private let loop: EventLoop
    private let watched: CInt
    private var child: ChildProcess?
    private let errors: FileDescriptor
    private var answer: [UInt8] = []
    private var limit: EventLoop.Timer?
    private let completion: (FirewallError?) -> Void

    /// Begins; `completion` is called once, on the loop, with what stood against it.
    init(
        _ text: String,
        on loop: EventLoop,
        completion: @escaping (FirewallError?) -> Void
    ) throws(FirewallError) {
        let path = try Self.path()
        let executable = try Self.openProgram(path)
        do throws(SystemError) {
            let rules = try FileDescriptor.inMemory("rules", Array(text.utf8))
            let pipe = try Pipe(nonblockingEnd: true)
            let child: ChildProcess
            do {
                child = try ChildProcess.launch(
                    executable: executable, name: path, arguments: [path, "-f", "-"],
                    environment: Sandbox.environment,
                    descriptors: [rules.raw, pipe.writing.raw, pipe.writing.raw],
                    isScript: Script(at: path) != nil)
            } catch {
                throw error.error
            }
            errors = pipe.keepReading()
            watched = child.descriptor.raw
            self.child = consume child
        } catch {
            throw .system(error)
        }
        self.loop = loop
        self.completion = completion
        do throws(SystemError) {
            try loop.add(watched) { [weak self] _ in self?.reap() }
        } catch {
            throw .system(error)
        }
        limit = loop.schedule(milliseconds: Self.seconds * 1000) { [weak self] in
            self?.complete(.timedOut(seconds: Self.seconds))
        }
    }

    deinit {
        loop.cancel(limit)
        guard let child = child.take() else { return }
        loop.remove(watched)
        loop.end(child)
    }

    /// Carries out a transaction and waits for its end, where no loop runs yet or any more.
    static func write(_ text: String) throws(FirewallError) {
        let loop: EventLoop
        do { loop = try EventLoop() } catch { throw .system(error) }
        var failure: FirewallError?
        let writer = try RuleWriter(text, on: loop) { problem in
            failure = problem
            loop.stop()
        }
        do { try loop.run() } catch { throw .system(error) }
        withExtendedLifetime(writer) {}
        if let failure { throw failure }
    }

    /// Why there is no nft to be run; `nil` where there is one.
    static func problem() -> FirewallError? {
        do throws(FirewallError) { _ = try openProgram(try path()) } catch { return error }
        return nil
    }

    private static func path() throws(FirewallError) -> String {
        guard let path = places.first(where: { access($0, F_OK) == 0 }) else {
            throw .programMissing(places)
        }
        return path
    }

    private static func openProgram(_ path: String) throws(FirewallError) -> FileDescriptor {
        do { return try TrustedFile.openExecutable(path) } catch {
            throw .programUnusable(path: path, problem: error.problem)
        }
    }

    private func reap() {
        // What it wrote is all there; more than a few lines nobody reads.
        while answer.count < Self.longestAnswer, let bytes = try? errors.read(atMost: 4096),
            !bytes.isEmpty
        {
            answer += bytes
        }
        guard let exit = try? child?.reap() else { return }
        child = nil
        loop.remove(watched)
        guard exit != .status(0) else { return complete(nil) }
        // The first line says what is wrong; those behind it show where.
        let lines = String(decoding: answer, as: UTF8.self).split(separator: "\n")
        let first = lines.first.map { $0.madePrintableLine } ?? ""
        complete(.refused(first.isEmpty ? "nft \(exit.text)" : first))
    }

    private func complete(_ failure: FirewallError?) {
        loop.cancel(limit)
        limit = nil
        completion(failure)
    }
}

extension Substring {
    fileprivate var madePrintableLine: String { String(self).madePrintable(limit: 512) }
}
