import Enrolment
import TestSupport
import Testing

/// Files that nobody has written: of each is enrolled all or nothing.
@Suite struct CorpusMutationTests {
    private static let lines = QuickCorpus.files.flatMap { file in
        file.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { Array($0) + [UInt8(ascii: "\n")] }
    }

    /// Whether the file was enrolled, which it is as a whole.
    private func isEnrolled(_ bytes: [UInt8], _ what: @autoclosure () -> String) throws -> Bool {
        let round: Round
        do { round = try Round(bytes) } catch let error as QuickFileError {
            let count = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
            #expect(error.line.map { (1...count).contains($0) } ?? true, "\(what())")
            #expect(!error.text.isEmpty)
            return false
        }
        #expect(round.gap == nil, "\(what()): \(round.gap ?? "")")
        #expect(try round.next.isSame(as: round), "\(what()): \(round.text)")
        return true
    }

    @Test(arguments: 0..<4) func bytesThatChangeAreAllOrNothing(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var enrolled = 0
        for round in 0..<300 {
            var bytes = QuickCorpus.good.randomElement(using: &generator)?.bytes ?? []
            for _ in 0..<Int.random(in: 1...2, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1:
                    bytes[place] =
                        Array("#=,[]/:\n\r \t;&|'\"$(".utf8)
                        .randomElement(using: &generator) ?? 0
                case 2: bytes.removeSubrange(place..<min(place + 9, bytes.count))
                case 3: bytes.insert(contentsOf: bytes[place...].prefix(60), at: place)
                default: bytes.removeLast(min(bytes.count, place % 80))
                }
            }
            if try isEnrolled(bytes, "\(seed).\(round)") { enrolled += 1 }
        }
        // Both happen, or this would show nothing.
        #expect((20...280).contains(enrolled))
    }

    @Test(arguments: 0..<2) func linesOfManyFilesAreAllOrNothing(seed: UInt64) throws {
        var generator = SeededGenerator(seed: 100 + seed)
        let good = QuickCorpus.good
        var enrolled = 0
        for round in 0..<300 {
            var bytes = good.randomElement(using: &generator)?.bytes ?? []
            if !bytes.isEmpty, bytes.last != UInt8(ascii: "\n") { bytes.append(10) }
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                bytes += Self.lines.randomElement(using: &generator) ?? []
            }
            if generator.happens(30) { bytes += good.randomElement(using: &generator)?.bytes ?? [] }
            if try isEnrolled(bytes, "\(seed).\(round)") { enrolled += 1 }
        }
        #expect((10...290).contains(enrolled))
    }

    @Test(arguments: QuickCorpus.good) func beginningsAreAllOrNothing(file: QuickCorpus.File)
        throws
    {
        for count in stride(from: 0, to: file.bytes.count, by: 13) {
            _ = try isEnrolled(Array(file.bytes.prefix(count)), "\(count)")
        }
    }
}
