internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// Computes public keys in a program of its own.
struct PublicKeyHelper: ~Copyable {
    private static let milliseconds: Int64 = 10_000

    private let path: String
    private let executable: FileDescriptor

    /// Finds the program, before anything is done that needs it.
    init(_ layout: FileLayout) throws(Failure) {
        path = layout.helper("utunctl-keys")
        do { executable = try TrustedFile.openExecutable(path) } catch {
            throw Failure(
                .refused, "helperUnusable",
                "public keys cannot be computed: \(path): \(error.problem)", hint: "install it")
        }
    }

    /// The public key of a private key, both in base64.
    func publicKey(of privateKey: Secret) throws(Failure) -> String {
        let answer: [UInt8]
        do throws(SystemError) { answer = try run(privateKey) } catch { throw Failure(error) }
        let text = String(decoding: answer.dropLast(), as: UTF8.self)
        guard WireGuardKey.problem(of: text) == nil else {
            throw Failure(.failure, "helperFailed", "\(path) did not compute the public key")
        }
        return text
    }

    private func run(_ privateKey: Secret) throws(SystemError) -> [UInt8] {
        let input = try Pipe()
        let output = try Pipe()
        // A pipe takes a key whole before anybody reads it.
        try input.writing.write(privateKey.bytes)
        let child: ChildProcess
        do {
            child = try ChildProcess.launch(
                executable: executable, name: path, arguments: [path], environment: [],
                descriptors: [input.reading.raw, output.writing.raw, STDERR_FILENO],
                isScript: Script(at: path) != nil)
        } catch {
            throw error.error
        }
        _ = input.keepReading()
        let reading = output.keepReading()
        let deadline = Deadline.after(milliseconds: Self.milliseconds)
        var answer: [UInt8] = []
        while try !LineClient.wait(for: [(reading.raw, .readable)], until: deadline).isEmpty {
            let part = try reading.read(atMost: 256)
            if part.isEmpty { break }
            answer += part
        }
        if deadline.hasPassed { child.signal(SIGKILL) }
        _ = try LineClient.wait(for: [(child.descriptor.raw, .readable)], until: .never)
        guard try child.reap() == .status(0) else { return [] }
        return answer
    }
}
