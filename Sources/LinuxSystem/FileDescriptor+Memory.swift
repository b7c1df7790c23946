import CLinux
import Glibc

extension FileDescriptor {
    /// A file that is nowhere but in memory, to be read from its beginning.
    ///
    /// Corresponds to `memfd_create(2)`.
    package static func inMemory(_ name: String, _ bytes: [UInt8]) throws(SystemError)
        -> FileDescriptor
    {
        let file = FileDescriptor(
            taking: try checkShim("memfd_create", name) { ut_memory_file(name) })
        try file.write(bytes, name)
        _ = lseek(file.raw, 0, SEEK_SET)
        return file
    }
}
