import Enrolment
import PropertyLists
import TestSupport
import Testing
import TunnelModel

/// Whatever is made of a profile, it is taken whole or refused with a reason.
@Suite struct MobileMutationTests {
    @Test(arguments: MobileCorpus.good + MobileCorpus.bad)
    func aMutationIsTakenWholeOrRefused(sample: MobileSample) throws {
        guard sample.bytes.count < 20_000 else { return }
        var generator = SeededGenerator(seed: UInt64(sample.bytes.count))
        for _ in 0..<60 {
            var bytes = sample.bytes
            for _ in 0...Int.random(in: 0..<3, using: &generator) { mutate(&bytes, &generator) }
            try check(bytes)
        }
    }

    @Test func whatIsCutOffIsRefused() throws {
        for sample in MobileCorpus.good {
            let end = sample.bytes.lastIndex(of: UInt8(ascii: ">")) ?? sample.bytes.count - 1
            for length in stride(from: 0, to: end, by: 37) {
                #expect(throws: PropertyListError.self) {
                    try PropertyList.parse(Array(sample.bytes.prefix(length)))
                }
            }
        }
    }

    private func check(_ bytes: [UInt8]) throws {
        do {
            let root = try PropertyList.parse(bytes)
            let options = MobileProfile.Options(provider: "org.example.vpn")
            let proposal = try MobileProfile.proposal(of: root, options)
            let profile = proposal.material.profile
            #expect(Naming.problem(ofProfile: profile.identifier) == nil)
            let names = profile.anchors.map(\.name) + proposal.material.tunnels.map(\.name)
            #expect(names.allSatisfy { Naming.problem(ofAnchor: $0) == nil })
            #expect(Set(profile.anchors.map(\.name)).count == profile.anchors.count)
            #expect(profile.credentials.allSatisfy { Naming.problem(ofCredential: $0) == nil })
            for tunnel in proposal.material.tunnels {
                var configuration = Configuration(
                    identifier: "00000000-0000-4000-8000-000000000000", name: tunnel.name)
                tunnel.configure(&configuration)
                #expect(configuration.contradiction == nil)
            }
        } catch let error as PropertyListError {
            #expect(!error.text.isEmpty)
        } catch let error as MobileProfileError {
            #expect(!error.text.isEmpty)
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let length = min(Int.random(in: 1..<40, using: &generator), bytes.count - place)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: place)
        case 2: bytes.removeSubrange(place..<place + length)
        case 3:
            let piece = bytes[place..<place + length]
            bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &generator))
        default: swapTags(&bytes, &generator)
        }
    }

    /// Puts one element in the place of another, so that values get another type.
    private func swapTags(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let names = ["string", "integer", "true/", "array", "dict", "data", "date", "real", "key"]
        let starts = bytes.indices.filter { bytes[$0] == UInt8(ascii: "<") }
        guard let start = starts.randomElement(using: &generator),
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")),
            let name = names.randomElement(using: &generator)
        else { return }
        bytes.replaceSubrange(start...end, with: "<\(name)>".utf8)
    }
}
