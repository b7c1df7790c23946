internal import CJansson

/// A parsed JSON text.
package struct JSONDocument: ~Copyable {
    private let root: UnsafeMutablePointer<json_t>

    /// Parses a whole text: an object or an array, or with `allowsScalars` any value.
    ///
    /// CRLF line ends and a leading byte-order mark are accepted; duplicate keys, NUL
    /// characters and bytes that are not UTF-8 are errors with their position.
    package init(parsing text: some Collection<UInt8>, allowsScalars: Bool = false)
        throws(JSONError)
    {
        let flags = Int(JSON_REJECT_DUPLICATES) | (allowsScalars ? Int(JSON_DECODE_ANY) : 0)
        var problem = json_error_t()
        let parse = { (buffer: UnsafeBufferPointer<UInt8>) in
            let mark = buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            let start = buffer.baseAddress.map { UnsafeRawPointer($0 + mark) }
            return json_loadb(start, buffer.count - mark, flags, &problem)
        }
        let parsed =
            text.withContiguousStorageIfAvailable(parse)
            ?? Array(text).withUnsafeBufferPointer(parse)
        guard let parsed else { throw Self.error(problem) }
        root = parsed
    }

    deinit {
        json_decref(root)
    }

    /// Gives the root to `body`; nodes must not be kept beyond it.
    package borrowing func withRoot<Result, Failure: Error>(
        _ body: (JSONNode) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(JSONNode(raw: root, path: .root))
    }

    private static func error(_ problem: json_error_t) -> JSONError {
        let text = withUnsafeBytes(of: problem.text) { buffer in
            String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        }
        return .syntax(
            line: max(1, Int(problem.line)),
            column: max(1, Int(problem.column)),
            problem: text.isEmpty ? "not JSON" : text
        )
    }
}
