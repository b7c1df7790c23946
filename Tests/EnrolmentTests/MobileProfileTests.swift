import Enrolment
import JSON
import PropertyLists
import TestSupport
import Testing
import TunnelModel

@Suite struct MobileProfileTests {
    @Test func everySampleHasItsExpectation() {
        #expect(Set(MobileCorpus.good.map(\.name)) == Set(MobileModels.all.keys))
        #expect(Set(MobileCorpus.bad.map(\.name)) == Set(MobileModels.problems.keys))
        #expect(MobileCorpus.good.count + MobileCorpus.bad.count >= 60)
    }

    @Test func thePlainProfileComesToItsModel() throws {
        let text = MobileCorpus.profile(MobileCorpus.tunnel())
        #expect(try MobileFiles.model(of: MobileFiles.proposal(of: text)) == MobileModels.plain)
    }

    @Test(arguments: MobileCorpus.good)
    func aProfileComesToItsModel(sample: MobileSample) throws {
        let proposal = try MobileFiles.proposal(of: sample)
        let model = try MobileFiles.model(of: proposal)
        let plain = MobileModels.plain
        let told = MobileFiles.lines(of: proposal, [.changed, .dropped, .noted])
        let missing = plain.count { !model.contains($0) }
        let found =
            (missing == 0 ? [] : ["- \(missing) lines"])
            + model.filter { !plain.contains($0) } + told.map { "-- \($0)" }
        #expect(found == MobileModels.all[sample.name])
    }

    @Test(arguments: MobileCorpus.bad)
    func aProfileIsRefusedWithItsReason(sample: MobileSample) {
        #expect(MobileFiles.problem(of: sample) == MobileModels.problems[sample.name])
    }

    @Test(arguments: MobileCorpus.good)
    func everyKeyOfAFileIsTold(sample: MobileSample) throws {
        let root = try PropertyList.parse(sample.bytes)
        let told = Set(try MobileFiles.proposal(of: sample).items.map(\.key))
        for path in Self.paths(of: root, "") {
            // Either itself, or the whole of which it is a part.
            let isTold =
                told.contains(path) || told.contains { path.hasPrefix($0 + ".") }
                || told.contains { path.hasPrefix($0 + "[") }
                || told.contains { $0.hasPrefix(path + ".") || $0.hasPrefix(path + "[") }
            #expect(isTold || path.contains(MobileCorpus.privateKey), "\(path)")
        }
    }

    /// The paths of all keys that hold no dictionary and no array of dictionaries.
    private static func paths(of node: PropertyListNode, _ path: String) -> [String] {
        switch node.value {
        case .dictionary(let members):
            return members.flatMap { member in
                paths(of: member.node, path.isEmpty ? member.key : "\(path).\(member.key)")
            }
        case .array(let elements):
            let inner = elements.enumerated().flatMap { index, element in
                paths(of: element, "\(path)[\(index)]")
            }
            return inner.isEmpty ? [path] : inner
        default: return [path]
        }
    }

    @Test(arguments: MobileCorpus.good + MobileCorpus.bad)
    func noTextRepeatsASecret(sample: MobileSample) {
        let pieces = MobileCorpus.secrets.map { String($0.prefix(9)) }
        let problem = MobileFiles.problem(of: sample) ?? ""
        let items = (try? MobileFiles.proposal(of: sample))?.items ?? []
        for text in items.flatMap({ [$0.key, $0.text] }) + [problem] {
            #expect(!pieces.contains { text.contains($0) })
        }
    }

    /// A text, and the name that is made of it.
    @Test(
        arguments: [
            ("Office", "Office"), ("Example Ltd. VPN", "Example-Ltd-VPN"), ("  a  b  ", "a-b"),
            ("a_b.c", "a_b.c"), ("Büro", "B-ro"), ("-_.x-", "x"), ("...", nil), ("日本", nil),
            ("all", nil), ("", nil), ("7b0d0000-0000-4000-8000-000000000000", nil),
            (String(repeating: "n", count: 80), String(repeating: "n", count: 58)),
        ])
    func namesAreMadeValid(text: String, name: String?) throws {
        let profile = MobileCorpus.profile(MobileCorpus.tunnel(text))
        let found = try MobileFiles.proposal(of: profile).material.profile.identifier
        #expect(found == name ?? "Example-Ltd-VPN")
    }

    @Test func aNameThatIsGivenGoesBeforeThoseInTheFile() throws {
        let several = MobileCorpus.profile(
            MobileCorpus.tunnel("Berlin"), MobileCorpus.tunnel("Paris"))
        let material = try MobileFiles.proposal(of: several, name: "x").material
        #expect(material.profile.identifier == "x")
        #expect(material.tunnels.map(\.name) == ["x-Berlin", "x-Paris"])
        #expect(material.secrets.keys.sorted() == ["x-Berlin.privateKey", "x-Paris.privateKey"])
        let one = MobileCorpus.profile(MobileCorpus.tunnel("Berlin"))
        let other = try MobileFiles.proposal(of: one, name: "x").material
        #expect(other.tunnels.map(\.name) == ["x"])
    }

    @Test func noNameIsMadeOfNothing() {
        let text = MobileCorpus.profile(MobileCorpus.tunnel("日本"))
            .replacing("Example Ltd. VPN", with: "日本").replacing("org.example.vpn", with: "…")
        #expect(throws: MobileProfileError.noName) { try MobileFiles.proposal(of: text) }
    }

    @Test func anAnchorIsNeverCalledLikeAPeer() throws {
        let text = MobileCorpus.profile(
            MobileCorpus.certificate(name: "peer1"), MobileCorpus.tunnel())
        let profile = try MobileFiles.proposal(of: text).material.profile
        #expect(profile.anchors.map(\.name) == ["peer1-2", "peer1"])
        #expect(profile.anchors.map(\.kind) == [.x509, .wireguard])
    }
}
