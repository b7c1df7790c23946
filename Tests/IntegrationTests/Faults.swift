import Glibc
import JSON
import LinuxSystem
import TestSupport

// What the tests of faults have in common: finding the processes of a tunnel, ending them, and
// looking at what is left.

extension Installation {
    /// The process of the session host of a tunnel; `nil` where none lives.
    func host(of name: String) throws -> Int32? {
        let identifier = try identifier(of: name)
        return try Processes.all { command in
            command.contains("--root=\(root)") && command.contains("--foreground")
                && command.last == identifier
        }.first
    }

    /// The process of the session host of a tunnel that runs.
    func livingHost(of name: String) throws -> Int32 {
        guard let pid = try host(of: name) else { throw Unexpected("no session host of \(name)") }
        return pid
    }

    /// The process of the provider of a tunnel that runs.
    func livingProvider(of name: String) throws -> Int32 {
        let status = try status(name)
        guard case .integer(let pid)? = status["provider"]?.object?["pid"] else {
            throw Unexpected("no provider of \(name): \(status)")
        }
        return Int32(pid)
    }

    /// The word for the status of a tunnel.
    func word(_ name: String) throws -> String {
        try status(name)["status"]?.string ?? ""
    }

    /// The codes of the warnings about a tunnel.
    func warnings(_ name: String) throws -> [String] {
        try status(name)["warnings"]?.array?.compactMap { $0.object?["code"]?.string } ?? []
    }

    /// Why a tunnel disconnected last.
    func lastDisconnect(_ name: String) throws -> (code: String, text: String) {
        let last = try status(name)["lastDisconnect"]?.object
        return (last?["code"]?.string ?? "", last?["text"]?.string ?? "")
    }

    /// The index of the interface of a tunnel.
    func interfaceIndex(_ name: String) throws -> Int64? {
        guard case .integer(let index)? = try status(name)["interface"]?.object?["index"] else {
            return nil
        }
        return index
    }

    /// Whether no process of this installation is left.
    func hasNoProcess() throws -> Bool {
        try Processes.all { command in
            command.contains("--root=\(root)")
                || command.contains { $0.hasPrefix("\(root)/usr/libexec") }
        }.isEmpty
    }
}

/// The processes of the system.
enum Processes {
    /// The numbers of all whose command line is the one wanted, zombies left out.
    static func all(_ isWanted: ([String]) -> Bool) throws -> [Int32] {
        try Directory.names("/proc").compactMap(Int32.init).filter { pid in
            isWanted(commandLine(pid)) && isAlive(pid)
        }
    }

    /// Whether a process lives, and is more than a number waiting to be reaped.
    static func isAlive(_ pid: Int32) -> Bool {
        guard let state = state(pid) else { return false }
        return state != "Z" && state != "X"
    }

    /// The resident memory of a process, in KiB.
    static func residentMemory(_ pid: Int32) -> Int? {
        read("/proc/\(pid)/status")?.split(separator: "\n")
            .first { $0.hasPrefix("VmRSS:") }
            .flatMap { Int($0.split(separator: " ", omittingEmptySubsequences: true)[1]) }
    }

    /// The processor time that a process has used, in hundredths of a second.
    static func processorTime(_ pid: Int32) -> Int? {
        guard let fields = fields(pid), fields.count > 12 else { return nil }
        return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
    }

    private static func state(_ pid: Int32) -> String? {
        fields(pid)?.first
    }

    // The name stands in parentheses and may hold anything: what follows is counted.
    private static func fields(_ pid: Int32) -> [String]? {
        guard let text = read("/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else {
            return nil
        }
        return text[text.index(after: end)...].split(separator: " ").map(String.init)
    }

    private static func commandLine(_ pid: Int32) -> [String] {
        (read("/proc/\(pid)/cmdline") ?? "").split(separator: "\0").map(String.init)
    }

    private static func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(path, O_RDONLY),
            let bytes = try? file.readAll(limit: 1 << 20)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What something came to, and how many seconds it took.
func timed<Result>(_ body: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
    let before = Clock.monotonicNanoseconds
    let result = try body()
    return (result, Double(Clock.monotonicNanoseconds - before) / 1e9)
}

/// The contract's second within which the truth is told, and what a busy machine adds to it.
let aSecond = 1.5
