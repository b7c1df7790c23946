import Glibc
import LinuxSystem
import WireGuard

/// Reads keys from the files that the host has opened.
enum KeyFile {
    /// A key in base64 and what may follow it; a longer file holds something else.
    private static let mostBytes = 128

    /// The key in a file: base64 as `wg genkey` prints it, blanks around it aside; `nil` for
    /// anything else.
    static func read(_ file: borrowing FileDescriptor) -> SecretKey? {
        let raw = file.raw
        return withUnsafeTemporaryAllocation(byteCount: mostBytes, alignment: 8) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            // The text is as secret as the key.
            defer { explicit_bzero(start, buffer.count) }
            var count = 0
            while count < buffer.count {
                let length = Glibc.read(raw, start + count, buffer.count - count)
                if length < 0, errno == EINTR { continue }
                guard length > 0 else { break }
                count += length
            }
            let text = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            guard let first = text.firstIndex(where: { !isBlank($0) }),
                let last = text.lastIndex(where: { !isBlank($0) })
            else { return nil }
            return SecretKey(base64: UnsafeRawBufferPointer(rebasing: text[first...last]))
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (9...13).contains(byte)
    }
}
