/// A request of the cross-platform user-space interface of WireGuard: lines up to an empty one.
///
/// Only what decides the answer is kept, however long the request is.
struct UserspaceRequest {
    /// What a request asks for.
    enum Operation: Equatable {
        case get, set, unknown
    }

    /// The longest first line that means anything.
    private static let longestOperation = 16

    private var line: [UInt8] = []
    private var lineLength = 0
    private var operation: Operation?

    /// Takes bytes; answers the operations whose requests ended among them.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [Operation] {
        var ended: [Operation] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                lineLength += 1
                if operation == nil, line.count < Self.longestOperation { line.append(byte) }
                continue
            }
            if lineLength == 0 {
                // An empty line with nothing before it asks for nothing.
                if let operation { ended.append(operation) }
                operation = nil
            } else if operation == nil {
                operation = Self.operation(line)
            }
            line = []
            lineLength = 0
        }
        return ended
    }

    private static func operation(_ line: [UInt8]) -> Operation {
        switch String(decoding: line, as: UTF8.self) {
        case "get=1": .get
        case "set=1": .set
        default: .unknown
        }
    }
}
