import Glibc
import LinuxSystem

/// What processes have used, as /proc tells it.
package enum ProcessUsage {
    /// The seconds of processor time of a process: user and system time of all its threads.
    package static func processorSeconds(of pid: Int32) throws -> Double {
        let text = try read("/proc/\(pid)/stat")
        // The name stands in parentheses and may hold anything: what follows it is counted.
        let fields = text.lastIndex(of: ")").map {
            text[text.index(after: $0)...].split(separator: " ")
        }
        guard let fields, fields.count > 12, let user = Double(fields[11]),
            let system = Double(fields[12])
        else { throw Unexpected("no times of process \(pid)") }
        return (user + system) / ticks
    }

    /// The resident memory of a process, in MiB.
    package static func residentMebibytes(of pid: Int32) throws -> Double {
        for line in try read("/proc/\(pid)/status").split(separator: "\n")
        where line.hasPrefix("VmRSS:") {
            if let kibibytes = Double(line.split(whereSeparator: \.isWhitespace)[1]) {
                return kibibytes / 1024
            }
        }
        throw Unexpected("no memory of process \(pid)")
    }

    /// The seconds that all processors together have worked; what a hypervisor took is not in it.
    package static func machineSeconds() throws -> Double {
        let line = try read("/proc/stat").split(separator: "\n").first ?? ""
        let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard fields.count > 6 else { throw Unexpected("no times of the machine") }
        // user, nice, system, (idle, waiting,) interrupts, soft interrupts
        return (fields[0] + fields[1] + fields[2] + fields[5] + fields[6]) / ticks
    }

    private static let ticks = Double(sysconf(CInt(_SC_CLK_TCK)))

    private static func read(_ path: String) throws -> String {
        let bytes = try FileDescriptor.open(path, O_RDONLY).readAll(limit: 1 << 20)
        return String(decoding: bytes, as: UTF8.self)
    }
}
