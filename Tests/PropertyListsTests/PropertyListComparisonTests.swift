// What Apple's own library reads is the measure, so this test alone asks it.
import Foundation
import JSON
import PropertyLists
import TestSupport
import Testing
import TunnelModel

/// Whoever else reads a property list reads the same.
@Suite struct PropertyListComparisonTests {
    private func compare(_ node: PropertyListNode, _ other: Any) -> Bool {
        switch (node.value, other) {
        case (.string(let text), let other as String): return text == other
        case (.data(let bytes), let other as Data): return Data(bytes) == other
        case (.date(let date), let other as Date):
            return abs(Double(date.microseconds) / 1e6 - other.timeIntervalSince1970) < 1e-3
        case (.bool(let isTrue), let other as NSNumber): return other.boolValue == isTrue
        case (.integer(let number), let other as NSNumber): return other.int64Value == number
        case (.real(let number), let other as NSNumber): return other.doubleValue == number
        case (.array(let elements), let other as [Any]):
            return elements.count == other.count && zip(elements, other).allSatisfy(compare)
        case (.dictionary(let members), let other as [String: Any]):
            return members.count == other.count
                && members.allSatisfy { member in
                    other[member.key].map { compare(member.node, $0) } ?? false
                }
        default: return false
        }
    }

    private func foundation(_ bytes: [UInt8]) -> Any? {
        try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    }

    @Test(arguments: MobileCorpus.good)
    func theSameValueIsRead(sample: MobileSample) throws {
        let node = try PropertyList.parse(sample.bytes)
        let other = try #require(foundation(sample.bytes))
        #expect(compare(node, other))
    }

    @Test(arguments: MobileCorpus.good)
    func theBinaryFormIsTheSameValue(sample: MobileSample) throws {
        let other = try #require(foundation(sample.bytes))
        let binary = try PropertyListSerialization.data(
            fromPropertyList: other, format: .binary, options: 0)
        #expect(compare(try PropertyList.parse(Array(binary)), other))
    }

    @Test func whatBothReadOfAMutationIsTheSame() throws {
        var generator = SeededGenerator(seed: 7)
        var count = 0
        for sample in MobileCorpus.good {
            for _ in 0..<60 {
                var bytes = sample.bytes
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 32...126, using: &generator)
                guard let node = try? PropertyList.parse(bytes), let other = foundation(bytes)
                else { continue }
                count += 1
                #expect(compare(node, other), "\(sample) \(place) \(bytes[place])")
            }
        }
        // The comparison must not be blind.
        #expect(count > 100)
    }
}
