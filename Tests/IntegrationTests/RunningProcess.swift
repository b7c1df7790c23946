import Glibc
import LinuxSystem
import TestSupport

/// A process as /proc shows it.
struct RunningProcess {
    let pid: Int32

    /// The processes that run a program with `text` in their command line.
    static func all(with text: String) -> [RunningProcess] {
        ((try? Directory.names("/proc")) ?? []).compactMap { name in
            guard let pid = Int32(name), pid != getpid() else { return nil }
            let process = RunningProcess(pid: pid)
            return process.file("cmdline").contains(text) ? process : nil
        }
    }

    /// The process behind a provider's number in `status`.
    init(providerOf site: Installation, _ name: String) throws {
        guard let pid = try site.status(name).value("provider.pid")?.integer else {
            throw Unexpected("\(name) has no provider")
        }
        self.pid = Int32(pid)
    }

    init(pid: Int32) {
        self.pid = pid
    }

    var isAlive: Bool { kill(pid, 0) == 0 && field("State")?.hasPrefix("Z") == false }

    /// A file of the process, zeros shown as spaces.
    func file(_ name: String) -> String {
        guard let file = try? FileDescriptor.open("/proc/\(pid)/\(name)", O_RDONLY),
            let bytes = try? file.readAll(limit: 1 << 20)
        else { return "" }
        return String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }

    /// A field of its status file.
    func field(_ name: String) -> String? {
        for line in file("status").split(separator: "\n") where line.hasPrefix("\(name):") {
            return line.dropFirst(name.count + 1).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
        }
        return nil
    }

    /// One of its namespaces.
    func namespace(_ kind: String) -> String? {
        Directory.linkTarget("/proc/\(pid)/ns/\(kind)")
    }

    /// Its open descriptors: what each number leads to.
    var descriptors: [Int: String] {
        var found: [Int: String] = [:]
        for name in (try? Directory.names("/proc/\(pid)/fd")) ?? [] {
            if let number = Int(name) {
                found[number] = Directory.linkTarget("/proc/\(pid)/fd/\(name)") ?? "?"
            }
        }
        return found
    }

    /// How often it has gone to sleep by itself.
    var sleeps: Int? { field("voluntary_ctxt_switches").flatMap { Int($0) } }

    /// The process that started it.
    var parent: RunningProcess? {
        field("PPid").flatMap { Int32($0) }.map { RunningProcess(pid: $0) }
    }
}

extension Installation {
    /// The session hosts of this root, and the helpers that run below it.
    var processes: [RunningProcess] {
        RunningProcess.all(with: "--root=\(root) ") + RunningProcess.all(with: "\(root)/usr/")
    }
}
