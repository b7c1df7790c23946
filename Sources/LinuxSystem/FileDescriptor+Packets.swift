import Glibc

extension FileDescriptor {
    /// Reads one packet into a buffer, without allocating.
    ///
    /// `nil` when none waits, 0 when the other end of a socket is gone. Corresponds to
    /// `read(2)`.
    package borrowing func readPacket(into buffer: inout MutableSpan<UInt8>)
        throws(SystemError) -> Int?
    {
        let raw = raw
        do throws(SystemError) {
            return try check("read") {
                buffer.withUnsafeMutableBytes { Glibc.read(raw, $0.baseAddress, $0.count) }
            }
        } catch {
            if error.errno == EAGAIN { return nil }
            throw error
        }
    }

    /// Writes one packet whole, without allocating; false when there is no room for it.
    ///
    /// Corresponds to `write(2)`.
    package borrowing func writePacket(_ packet: Span<UInt8>) throws(SystemError) -> Bool {
        let raw = raw
        do throws(SystemError) {
            _ = try check("write") {
                packet.withUnsafeBytes { Glibc.write(raw, $0.baseAddress, $0.count) }
            }
            return true
        } catch {
            if error.errno == EAGAIN { return false }
            throw error
        }
    }
}
