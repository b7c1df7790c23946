/// Cuts a stream of bytes into lines.
package struct LineBuffer: Sendable {
    /// A line that is longer than allowed.
    package struct Overflow: Error, Equatable, Sendable {}

    private let longest: Int
    private var pending: [UInt8] = []
    private var searched = 0

    /// A buffer for lines of at most `longest` bytes.
    package init(longest: Int) {
        self.longest = longest
    }

    /// Adds what was received.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        pending += bytes
    }

    /// The next whole line without its end, or `nil` until more has come.
    package mutating func next() throws(Overflow) -> [UInt8]? {
        guard let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = pending.count
            if pending.count > longest { throw Overflow() }
            return nil
        }
        guard end <= longest else { throw Overflow() }
        let line = Array(pending[..<end])
        pending.removeFirst(end + 1)
        searched = 0
        return line
    }

    /// What came after the last line end.
    package var rest: [UInt8] { pending }
}
