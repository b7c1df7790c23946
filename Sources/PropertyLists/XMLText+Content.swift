extension XMLText {
    /// Takes comments, processing instructions and blanks.
    mutating func skipMisc() throws(PropertyListError) {
        while true {
            skipBlanks()
            let start = self
            if skip("<!--") {
                guard skip(past: "-->") else { throw start.located("a comment without an end") }
            } else if skip("<?") {
                guard skip(past: "?>") else {
                    throw start.located("a processing instruction without an end")
                }
            } else {
                return
            }
        }
    }

    /// Takes the document type, of which nothing is followed: neither what it names elsewhere nor
    /// what it would declare.
    mutating func skipDocumentType() throws(PropertyListError) {
        let start = self
        guard skip("<!DOCTYPE") else { return }
        var quote: UInt8?
        while let byte = next {
            switch (byte, quote) {
            case (UInt8(ascii: ">"), nil):
                advance()
                return
            case (UInt8(ascii: "["), nil):
                throw error("declarations in the document type: entities are never taken from it")
            case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = byte
            case (_, byte?): quote = nil
            default: break
            }
            advance()
        }
        throw start.located("a document type without an end")
    }

    /// Takes text up to the next tag, with what stands for characters put in their place.
    mutating func takeText() throws(PropertyListError) -> String {
        let start = self
        var text: [UInt8] = []
        while let byte = next {
            if byte == UInt8(ascii: "&") {
                text += try takeReference()
            } else if byte == UInt8(ascii: "<") {
                let section = self
                guard skip("<![CDATA[") else { break }
                let content = position
                guard skip(past: "]]>") else {
                    throw section.located("a CDATA section without an end")
                }
                text += slice(content..<position - 3)
            } else {
                text += take { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
            }
        }
        if text.contains(0) { throw start.located("a NUL in this text") }
        guard let string = String(validating: text, as: UTF8.self) else {
            throw start.located("this text has bytes that are not UTF-8: save the file as UTF-8")
        }
        return string
    }

    /// One of the five entities of XML itself, or a character by its number.
    private mutating func takeReference() throws(PropertyListError) -> [UInt8] {
        let start = self
        advance()
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: ";") || byte == UInt8(ascii: "<") }
        let name = String(decoding: take(until: isEnd).prefix(12), as: UTF8.self)
        guard skip(";") else { throw start.located("an & that is not written as &amp;") }
        switch name {
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "amp": return [UInt8(ascii: "&")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default: break
        }
        guard name.hasPrefix("#") else {
            throw start.located("an entity that is not one of XML's own five")
        }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard let number = UInt32(digits, radix: isHexadecimal ? 16 : 10), number > 0,
            digits.first != "+", let scalar = Unicode.Scalar(number)
        else { throw start.located("the number of no character") }
        return Array(String(scalar).utf8)
    }

    /// The error of what came next here.
    func located(_ problem: String) -> PropertyListError {
        var text = self
        return text.error(problem)
    }
}
