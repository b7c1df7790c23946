/// Cuts a stream of bytes into lines.
package struct LineBuffer: Sendable {
    /// A line that is longer than allowed.
    package struct Overflow: Error, Equatable, Sendable {}

    private let longest: Int
    private var pending: [UInt8] = []
    /// Where in `pending` the next line begins, and up to where there is no line end.
    private var start = 0
    private var searched = 0

    /// A buffer for lines of at most `longest` bytes.
    package init(longest: Int) {
        self.longest = longest
    }

    /// Adds what was received.
    package mutating func append(_ bytes: some Collection<UInt8>) {
        // Once for each portion and not for each line, or a flood of short ones is quadratic.
        pending.removeFirst(start)
        searched -= start
        start = 0
        pending += bytes
    }

    /// The next whole line without its end, or `nil` until more has come.
    package mutating func next() throws(Overflow) -> [UInt8]? {
        guard let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = pending.count
            if pending.count - start > longest { throw Overflow() }
            return nil
        }
        guard end - start <= longest else { throw Overflow() }
        let line = Array(pending[start..<end])
        start = end + 1
        searched = start
        return line
    }

    /// What came after the last line end.
    package var rest: [UInt8] { Array(pending[start...]) }
}
