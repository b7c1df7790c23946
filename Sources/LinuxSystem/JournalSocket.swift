internal import Glibc

/// The journal of systemd, by its native protocol: entries with fields, a datagram each.
package struct JournalSocket: ~Copyable {
    private static let address = "/run/systemd/journal/socket"
    private let socket: FileDescriptor

    /// Connects where standard error is the journal's, as $JOURNAL_STREAM says of a service
    /// (systemd.exec(5)); `nil` where it is anything else.
    package init?() {
        var status = stat()
        guard let stream = getenv("JOURNAL_STREAM").map({ String(cString: $0) }),
            fstat(STDERR_FILENO, &status) == 0, stream == "\(status.st_dev):\(status.st_ino)",
            let socket = try? UnixSocket.datagrams(to: Self.address, waits: false)
        else { return nil }
        self.socket = socket
    }

    /// Writes an entry; an error where the journal does not take it at once.
    ///
    /// Names are upper-case letters, digits and underscores, and do not begin with the latter.
    package func send(_ fields: [(name: String, value: String)]) throws(SystemError) {
        try socket.write(Self.entry(fields), Self.address)
    }

    /// An entry as the protocol has it: a line a field, and those with more lines by their length.
    static func entry(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            bytes += field.name.utf8
            let value = Array(field.value.utf8)
            if value.contains(UInt8(ascii: "\n")) {
                bytes.append(UInt8(ascii: "\n"))
                withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += $0 }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += value
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
