/// Bytes that are never printed, logged or compared by chance.
package struct Secret: Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same for every secret.
    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    /// Without this, `dump` and a failed expectation would show the bytes.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
