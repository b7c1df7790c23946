import Glibc
package import JSON
package import LinuxSystem

/// A directory of its own for one test, to be given as `--root`; it goes with its owner.
package final class TemporaryRoot: Sendable {
    /// The path of the directory.
    package let path: String

    /// Makes an empty one.
    package init() throws(SystemError) {
        var template = Array("/tmp/utunctl-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp", errno: errno) }
        path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// A path of the system, below the root.
    package func path(_ path: String) -> String { self.path + path }

    /// Writes a file, with the directories on the way.
    package func write(_ path: String, _ text: String, mode: UInt32 = 0o644) throws(SystemError) {
        let path = self.path(path)
        try Directory.create(AtomicFile.split(path).directory, mode: 0o755)
        let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
        try file.write(Array(text.utf8))
        chmod(path, mode)
    }

    /// Makes a directory.
    package func makeDirectory(_ path: String, mode: UInt32 = 0o755) throws(SystemError) {
        try Directory.create(self.path(path), mode: mode)
        chmod(self.path(path), mode)
    }

    /// The content of a file; `nil` where there is none.
    package func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(self.path(path), O_RDONLY),
            let bytes = try? file.readAll(limit: 1 << 28)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The permissions of what is there; `nil` where nothing is.
    package func mode(_ path: String) -> UInt32? {
        var status = stat()
        return stat(self.path(path), &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// All paths in the root, sorted.
    package var contents: [String] { Self.contents(path).map { String($0.dropFirst(path.count)) } }

    /// Puts a manifest and its executable there.
    package func installProvider(
        _ identifier: String = "org.utunctl.loopback",
        keys: String = "",
        in directory: String = "/usr/lib/utunctl/providers.d"
    ) throws(SystemError) {
        let executable = "/usr/libexec/utunctl/\(identifier)"
        try write(executable, "#!/bin/sh\n", mode: 0o755)
        try write(
            "\(directory)/\(identifier).json",
            """
            {"formatVersion": 1, "identifier": "\(identifier)", "executable": "\(executable)",
             "protocolVersion": 1\(keys)}
            """)
    }

    /// Runs `utunctl` below the root, to its end.
    package func run(_ arguments: [String], input: String? = nil) throws -> Command.Result {
        try Command.run(
            [Installation.built("utunctl"), "--root", path] + arguments, input: input)
    }

    private static func contents(_ path: String) -> [String] {
        let names = (try? Directory.names(path)) ?? []
        return names.flatMap { name -> [String] in
            let child = "\(path)/\(name)"
            return [child] + (isDirectory(child) ? contents(child) : [])
        }
    }

    private static func remove(_ path: String) {
        guard isDirectory(path) else {
            unlink(path)
            return
        }
        for name in (try? Directory.names(path)) ?? [] { remove("\(path)/\(name)") }
        rmdir(path)
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

extension Command.Result {
    /// The standard output as a JSON object; `nil` where it is none.
    package var json: JSONObject? { try? Installation.parse(output) }
}
