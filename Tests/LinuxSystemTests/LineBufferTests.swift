import LinuxSystem
import TestSupport
import Testing

@Suite struct LineBufferTests {
    private static func lines(_ parts: [String], longest: Int = 100) throws -> [String] {
        var buffer = LineBuffer(longest: longest)
        var lines: [String] = []
        for part in parts {
            buffer.append(part.utf8)
            while let line = try buffer.next() {
                lines.append(String(decoding: line, as: UTF8.self))
            }
        }
        return lines
    }

    @Test(
        arguments: [
            ([], []), ([""], []), (["a"], []), (["a\n"], ["a"]), (["\n"], [""]),
            (["a\nb\n\nc"], ["a", "b", ""]), (["a", "b", "\n"], ["ab"]),
            (["a\nb", "c\n"], ["a", "bc"]), (["a\r\n"], ["a\r"]),
        ] as [([String], [String])])
    func cutsAStreamIntoLines(parts: [String], expected: [String]) throws {
        #expect(try Self.lines(parts) == expected)
    }

    @Test func whatIsLeftIsTheRest() throws {
        var buffer = LineBuffer(longest: 9)
        buffer.append("a\nbc".utf8)
        #expect(try buffer.next() == Array("a".utf8))
        #expect(buffer.rest == Array("bc".utf8))
        #expect(try buffer.next() == nil)
        #expect(buffer.rest == Array("bc".utf8))
    }

    @Test(arguments: [
        (["1234\n"], true), (["1234", "\n"], true), (["12345\n"], false), (["12345"], false),
        (["1\n1234\n"], true), (["1\n12345"], false), (["1234\n1234\n1234\n1234\n"], true),
        (["12", "34", "5"], false), (["\n\n\n\n\n\n\n\n"], true),
    ])
    func aLineTooLongIsAnErrorWhereverItIsCut(parts: [String], isAllowed: Bool) {
        #expect(((try? Self.lines(parts, longest: 4)) != nil) == isAllowed)
    }

    @Test func howeverAStreamIsCutTheLinesAreTheSame() throws {
        for seed in 0..<200 {
            var bytes: [UInt8] = []
            for number in 0..<(seed % 40) { bytes += Array("line \(number * seed % 977)\n".utf8) }
            bytes += Array("rest".utf8)
            var buffer = LineBuffer(longest: 64)
            var lines: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(.random(in: 1...17))
                rest = rest.dropFirst(part.count)
                buffer.append(part)
                if Bool.random() { while let line = try buffer.next() { lines.append(line) } }
            }
            while let line = try buffer.next() { lines.append(line) }
            #expect(lines.flatMap { $0 + [0x0A] } + buffer.rest == bytes)
            #expect(buffer.rest == Array("rest".utf8))
        }
    }

    @Test func aFloodOfShortLinesTakesTimeInProportion() throws {
        let growth = try growth(from: 20_000, to: 640_000) { count in
            var buffer = LineBuffer(longest: 1 << 20)
            buffer.append(repeatElement(UInt8(ascii: "\n"), count: count))
            var found = 0
            while try buffer.next() != nil { found += 1 }
            #expect(found == count)
        }
        // 32 times as many; were each line moved for each line, it would be 1000 times.
        #expect(growth < 250)
    }
}
