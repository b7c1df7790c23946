import Glibc

extension TunDevice {
    /// The processes of this network namespace that hold a TUN open, as the kernel shows them
    /// in /proc/PID/fdinfo.
    ///
    /// Those that this user may not look at are left out.
    package static func holders(ofInterface name: String) -> [Int32] {
        let namespace = Directory.linkTarget("/proc/self/ns/net")
        let processes = ((try? Directory.names("/proc")) ?? []).compactMap(Int32.init)
        return processes.filter { pid in
            Directory.linkTarget("/proc/\(pid)/ns/net") == namespace && holds(pid, name)
        }
    }

    private static func holds(_ pid: Int32, _ name: String) -> Bool {
        let descriptors = (try? Directory.names("/proc/\(pid)/fd")) ?? []
        return descriptors.contains { number in
            guard Directory.linkTarget("/proc/\(pid)/fd/\(number)") == path,
                let file = try? FileDescriptor.open("/proc/\(pid)/fdinfo/\(number)", O_RDONLY),
                let bytes = try? file.readAll(limit: 65_536)
            else { return false }
            return bytes.split(separator: UInt8(ascii: "\n")).contains {
                $0.elementsEqual("iff:\t\(name)".utf8)
            }
        }
    }
}
