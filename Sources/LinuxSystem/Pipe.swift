import CLinux
import Glibc

/// The two ends of a pipe, close-on-exec.
///
/// Corresponds to `pipe2(2)`.
package struct Pipe: ~Copyable {
    package let reading: FileDescriptor
    package let writing: FileDescriptor

    /// Keeps the reading end and closes the writing end, which a child has inherited.
    package consuming func keepReading() -> FileDescriptor { reading }

    /// Makes a pipe whose reading end may be one that does not block.
    package init(nonblockingEnd: Bool = false) throws(SystemError) {
        var raw: (CInt, CInt) = (-1, -1)
        try checkShim("pipe2") {
            withUnsafeMutablePointer(to: &raw) { pointer in
                pointer.withMemoryRebound(to: CInt.self, capacity: 2) { ut_pipe($0) }
            }
        }
        // On a descriptor of one's own this cannot fail.
        if nonblockingEnd { _ = fcntl(raw.0, F_SETFL, O_NONBLOCK) }
        reading = FileDescriptor(taking: raw.0)
        writing = FileDescriptor(taking: raw.1)
    }
}
