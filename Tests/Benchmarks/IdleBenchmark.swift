import Glibc
import JSON
import LinuxSystem
import TestSupport

/// What a tunnel costs when nothing happens.
struct IdleBenchmark {
    private static let seconds: UInt32 = 5

    private let site: Installation

    init(_ site: Installation) {
        self.site = site
    }

    func figures() throws -> [Figure] {
        _ = try Stopwatch.run(site.command(["start", "--wait", "bench"]))
        sleep(1)
        let tunnel = try processes()
        let before = try tunnel.map(Self.wakeUps)
        sleep(Self.seconds)
        let after = try tunnel.map(Self.wakeUps)
        let memory = try tunnel.map(Self.residentKibibytes)
        _ = try Stopwatch.run(site.command(["stop", "bench"]))
        let woken = zip(before, after).map { $1 - $0 }.reduce(0, +)
        let parts = memory.map { "\(Int($0)) KiB" }.joined(separator: " + ")
        return [
            Figure(
                name: "session host and loopback provider, resident",
                value: memory.reduce(0, +) / 1024, limit: .atMost(16), unit: "MiB", detail: parts),
            Figure(
                name: "wake-ups of an idle tunnel", value: woken / Double(Self.seconds),
                limit: .atMost(0),
                unit: "a second", detail: "over \(Self.seconds) s"),
        ]
    }

    /// The session host and its provider, found without asking them anything.
    private func processes() throws -> [Int32] {
        let pids = try Directory.names("/proc").compactMap { Int32($0) }
        let hosts = pids.filter { pid in
            guard let line = Self.read("/proc/\(pid)/cmdline") else { return false }
            return line.contains("--foreground") && line.contains(site.root)
        }
        guard let host = hosts.first,
            let children = Self.read("/proc/\(host)/task/\(host)/children"),
            let provider = children.split(separator: " ").first.flatMap({ Int32($0) })
        else { throw Unexpected("no session host below \(site.root)") }
        return [host, provider]
    }

    /// How often a process has been woken up.
    static func wakeUps(_ pid: Int32) throws -> Double {
        try field("voluntary_ctxt_switches", of: pid)
            + field("nonvoluntary_ctxt_switches", of: pid)
    }

    private static func residentKibibytes(_ pid: Int32) throws -> Double {
        try field("VmRSS", of: pid)
    }

    private static func field(_ name: String, of pid: Int32) throws -> Double {
        let lines = (read("/proc/\(pid)/status") ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("\(name):") }
        let words = line?.split { $0 == ":" || $0 == "\t" || $0 == " " }
        guard let words, words.count > 1, let value = Double(words[1]) else {
            throw Unexpected("no \(name) of process \(pid)")
        }
        return value
    }

    private static func read(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(path, O_RDONLY),
            let bytes = try? file.readAll(limit: 1 << 20)
        else { return nil }
        return String(decoding: bytes.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    }
}
