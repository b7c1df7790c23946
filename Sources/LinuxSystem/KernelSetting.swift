import Glibc

/// A setting of the kernel below /proc/sys; those below `net` are the network namespace's.
package struct KernelSetting: Sendable {
    /// The path below /proc/sys, such as `net/ipv4/ip_forward`.
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Its value without the final newline.
    ///
    /// ENOENT where the kernel does not have it, or not any more, as with an interface's.
    package func read() throws(SystemError) -> String {
        let bytes = try FileDescriptor.open(file, O_RDONLY).readAll(limit: 4096, file)
        let text = String(decoding: bytes, as: UTF8.self)
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    /// Sets it; EROFS where /proc/sys is read-only, as in many containers.
    package func write(_ value: String) throws(SystemError) {
        try FileDescriptor.open(file, O_WRONLY).write(Array(value.utf8), file)
    }

    private var file: String { "/proc/sys/\(path)" }
}
