extension String {
    /// The text with each of one piece put in the place of another.
    func replacing(_ piece: String, _ other: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(utf8)
        let wanted = Array(piece.utf8)
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: wanted) {
                result += other.utf8
                index += wanted.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
