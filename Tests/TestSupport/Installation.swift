import Glibc
package import JSON
import LinuxSystem

/// The built programs, installed below a private root of one test.
///
/// Everything that runs below the root is stopped, and the root removed, when the test ends.
package final class Installation {
    package let root: String
    private let place: Place

    /// Makes a root with the loopback provider and empty preferences; the program runs at `place`.
    package init(at place: Place = .here) throws {
        self.place = place
        let digits = Random.bytes(6).map { String($0, radix: 16) }.joined()
        root = "/tmp/utunctl-test-\(digits)"
        for path in ["etc/utunctl/credentials", "run", "usr/lib/utunctl/providers.d"] {
            try Directory.create("\(root)/\(path)", mode: 0o755)
        }
        chmod("\(root)/etc/utunctl/credentials", 0o700)
        chmod(root, 0o755)
        for program in ["utunctl-loopback", "utunctl-resolver"] {
            try install(Self.built(program), as: "usr/libexec/utunctl/\(program)", mode: 0o711)
        }
        try writeManifest(
            """
            {"formatVersion": 1, "identifier": "org.utunctl.loopback", "title": "Loopback",
             "executable": "/usr/libexec/utunctl/utunctl-loopback", "protocolVersion": 1}
            """, identifier: "org.utunctl.loopback")
    }

    deinit {
        _ = try? utunctl("stop", "--all", "--timeout=3")
        _ = try? Command.run(["rm", "-rf", root])
    }

    /// The path of a built program: beside the test binary.
    package static func built(_ program: String) -> String {
        let own = Directory.linkTarget("/proc/self/exe") ?? ""
        // The test bundle lies beside the programs; benchmarks are one of them.
        return "\(AtomicFile.split(own).directory)/\(program)"
    }

    /// The directory of the sources.
    package static let source = #filePath.split(separator: "/").dropLast(3)
        .map { "/\($0)" }.joined()

    /// Runs the program below the root.
    package func utunctl(
        _ arguments: String...,
        input: String? = nil,
        environment: [String: String] = [:]
    ) throws -> Command.Result {
        try Command.run(command(arguments), environment: environment, input: input)
    }

    /// Starts the program below the root without waiting for its end.
    package func start(_ arguments: String..., environment: [String: String] = [:]) throws
        -> Command
    {
        try Command(command(arguments), environment: environment)
    }

    /// The command line of the program below the root.
    package func command(_ arguments: [String]) -> [String] {
        place.command([Self.built("utunctl"), "--root", root] + arguments)
    }

    /// Saves a configuration of the loopback provider; `settings` are `PATH=VALUE`.
    @discardableResult
    package func save(_ name: String, _ settings: String...) throws -> String {
        let edits = settings.flatMap { ["--set", $0] }
        let result = try Command.run(command(["save", name] + edits))
        guard result.status == 0 else { throw Unexpected("save \(name): \(result)") }
        return try identifier(of: name)
    }

    /// The identifier of a saved configuration.
    package func identifier(of name: String) throws -> String {
        let document = try json("load", name)
        guard case .object(let configuration)? = document["configurations"]?.array?.first,
            let identifier = configuration["identifier"]?.string
        else { throw Unexpected("no identifier of \(name)") }
        return identifier
    }

    /// The standard output of a verb, as JSON.
    package func json(_ arguments: String...) throws -> JSONObject {
        try Self.parse(try Command.run(command(["--json"] + arguments)).output)
    }

    /// The entry of one tunnel in `status --json`.
    package func status(_ name: String) throws -> JSONObject {
        let answer = try json("status", name)
        guard case .object(let tunnel)? = answer["tunnels"]?.array?.first else {
            throw Unexpected("no status of \(name): \(answer)")
        }
        return tunnel
    }

    /// Reads a JSON object.
    package static func parse(_ text: String) throws -> JSONObject {
        let value = try JSONDocument(parsing: text.utf8).withRoot { $0.value }
        guard case .object(let object) = value else { throw Unexpected("not an object: \(text)") }
        return object
    }

    /// Writes a file below the root.
    package func write(_ text: String, to path: String, mode: UInt32 = 0o644) throws {
        let full = "\(root)/\(path)"
        try Directory.create(AtomicFile.split(full).directory, mode: 0o755)
        let file = try FileDescriptor.open(full, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.write(Array(text.utf8))
        chmod(full, mode)
    }

    /// The content of a file below the root; `nil` where there is none.
    package func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open("\(root)/\(path)", O_RDONLY),
            let bytes = try? file.readAll(limit: 16 << 20)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Installs a provider that is a Python script; it runs as `org.example.NAME`.
    ///
    /// `members` are further ones of its manifest.
    package func installPythonProvider(_ name: String, _ script: String, _ members: String...)
        throws
    {
        try write("#!/usr/bin/python3\n\(script)", to: "usr/libexec/utunctl/\(name)", mode: 0o755)
        try writeManifest(
            """
            {"formatVersion": 1, "identifier": "org.example.\(name)",
             "executable": "/usr/libexec/utunctl/\(name)", "protocolVersion": 1\(
                members.map { ", \($0)" }.joined())}
            """, identifier: "org.example.\(name)")
    }

    /// Writes the manifest of a provider.
    package func writeManifest(_ text: String, identifier: String) throws {
        try write(text, to: "usr/lib/utunctl/providers.d/\(identifier).json")
    }

    /// Puts a copy of a file below the root.
    func install(_ source: String, as path: String, mode: UInt32) throws {
        let bytes = try FileDescriptor.open(source, O_RDONLY).readAll(limit: 1 << 30)
        let full = "\(root)/\(path)"
        try Directory.create(AtomicFile.split(full).directory, mode: 0o755)
        try FileDescriptor.open(full, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600).write(bytes)
        chmod(full, mode)
    }
}

/// Something that a test relied on and that was not so.
package struct Unexpected: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// Waits until something is so; `false` when it is still not after `seconds`.
package func eventually(seconds: Double = 5, _ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = Deadline.after(milliseconds: Int64(seconds * 1000))
    while true {
        if try condition() { return true }
        if deadline.hasPassed { return false }
        usleep(5000)
    }
}
