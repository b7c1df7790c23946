internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// Reads a secret from standard input, which may be a terminal.
enum SecretInput {
    /// No secret of ours comes near this.
    private static let largest = 65_536

    /// The secret without the line end behind it; `prompt` is for a person.
    static func read(prompt: String) throws(Failure) -> Secret {
        var bytes = Terminal.isStandardInput ? try ask(prompt) : try readAll()
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        if bytes.isEmpty {
            throw Failure(
                .refused, "secretEmpty", "standard input holds no secret",
                hint: "give it on standard input: wg genkey | utunctl credential set NAME")
        }
        return Secret(bytes)
    }

    private static func readAll() throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            return try readStandardInput(limit: largest)
        } catch {
            guard error.errno == EFBIG else { throw Failure(error) }
            throw Failure(.refused, "secretTooLarge", "a secret of more than 64 KiB")
        }
    }

    private static func ask(_ prompt: String) throws(Failure) -> [UInt8] {
        let interruption: CInt?
        let line: [UInt8]
        do throws(SystemError) {
            // Before what is typed is hidden: whatever ends this has to show it again.
            let signals = try SignalDescriptor([SIGINT, SIGTERM, SIGQUIT, SIGTSTP])
            (line, interruption) = try readLine(prompt, signals)
            try writeToStandard(STDERR_FILENO, [UInt8(ascii: "\n")])
        } catch {
            throw Failure(error)
        }
        guard let interruption else { return line }
        throw Failure(
            interruption == SIGTERM ? .terminated : .interrupted, "interrupted",
            "interrupted; nothing was written")
    }

    private static func readLine(_ prompt: String, _ signals: borrowing SignalDescriptor)
        throws(SystemError) -> (line: [UInt8], interruption: CInt?)
    {
        let raw = signals.descriptor.raw
        let terminal = try Terminal()
        try writeToStandard(STDERR_FILENO, Array("\(prompt): ".utf8))
        while true {
            let ready = try LineClient.wait(
                for: [(STDIN_FILENO, .readable), (raw, .readable)], until: .never)
            if ready.contains(raw), let signal = try signals.next(), signal != SIGTSTP {
                return ([], signal)
            }
            if ready.contains(STDIN_FILENO) { return (try terminal.readLine(), nil) }
        }
    }
}
