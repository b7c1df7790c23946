import TunnelModel

/// A question of DNS (RFC 1035) as a server reads it, and the answers to it.
struct Question {
    static let typeA: UInt16 = 1
    static let typeCNAME: UInt16 = 5
    static let typeAAAA: UInt16 = 28

    /// One resource record of an answer.
    struct Record {
        let name: String
        let type: UInt16
        let data: [UInt8]

        static func address(_ name: String, _ text: String) -> Record {
            let address = IPAddress(text)
            let type = address?.family == .v4 ? typeA : typeAAAA
            return Record(name: name, type: type, data: address?.bytes ?? [])
        }

        static func alias(_ name: String, _ target: String) -> Record {
            Record(name: name, type: typeCNAME, data: Question.encode(target))
        }
    }

    let id: UInt16
    let name: String
    let type: UInt16
    /// The question section as it came, of a query with one question.
    private let section: [UInt8]

    init?(_ message: [UInt8]) {
        guard message.count > 16, message[2] & 0x80 == 0, message[5] == 1 else { return nil }
        var labels: [String] = []
        var offset = 12
        while offset < message.count, message[offset] != 0 {
            let end = offset + 1 + Int(message[offset])
            guard end < message.count else { return nil }
            labels.append(String(decoding: message[(offset + 1)..<end], as: UTF8.self))
            offset = end
        }
        guard offset + 5 <= message.count else { return nil }
        id = UInt16(message[0]) << 8 | UInt16(message[1])
        name = labels.joined(separator: ".")
        type = UInt16(message[offset + 1]) << 8 | UInt16(message[offset + 2])
        section = Array(message[12..<(offset + 5)])
    }

    var isA: Bool { type == Self.typeA }

    /// The answer: records of the type that was asked for, and aliases.
    func answer(
        _ records: [Record] = [],
        code: UInt8 = 0,
        truncated: Bool = false,
        id: UInt16? = nil,
        section: [UInt8]? = nil
    ) -> [UInt8] {
        let records = records.filter { $0.type == type || $0.type == Self.typeCNAME }
        let id = id ?? self.id
        var message = [UInt8(id >> 8), UInt8(id & 0xFF), truncated ? 0x83 : 0x81, 0x80 | code]
        message += [0, 1, UInt8(records.count >> 8), UInt8(records.count & 0xFF), 0, 0, 0, 0]
        message += section ?? self.section
        for record in records {
            message += Self.encode(record.name)
            message += [UInt8(record.type >> 8), UInt8(record.type & 0xFF), 0, 1, 0, 0, 0, 60]
            message += [UInt8(record.data.count >> 8), UInt8(record.data.count & 0xFF)]
            message += record.data
        }
        return message
    }

    /// The question section of another name.
    func section(for name: String) -> [UInt8] {
        Self.encode(name) + section.suffix(4)
    }

    private static func encode(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }
}
