import Testing
import TunnelModel

@Suite struct ValidityTests {
    private static let day: Int64 = 86_400 * 1_000_000
    private let now = Timestamp(microseconds: 1_000 * Self.day)

    private func moment(_ days: Int64, _ microseconds: Int64 = 0) -> Timestamp {
        Timestamp(microseconds: now.microseconds + days * Self.day + microseconds)
    }

    @Test func withoutBoundsItIsValidForEver() {
        #expect(Validity(notBefore: nil, notAfter: nil, at: now) == .valid)
    }

    @Test func bothBoundsAreIncluded() {
        #expect(Validity(notBefore: now, notAfter: nil, at: now) == .valid)
        #expect(
            Validity(notBefore: moment(0, 1), notAfter: nil, at: now) == .notYet(from: moment(0, 1))
        )
        #expect(Validity(notBefore: nil, notAfter: now, at: now) == .ending(at: now))
        #expect(
            Validity(notBefore: nil, notAfter: moment(0, -1), at: now) == .ended(at: moment(0, -1)))
    }

    @Test func thirtyDaysAheadItIsWorthAWord() {
        #expect(Validity(notBefore: nil, notAfter: moment(30), at: now) == .ending(at: moment(30)))
        #expect(Validity(notBefore: nil, notAfter: moment(30, 1), at: now) == .valid)
    }

    @Test func whatHasNotBegunDoesNotEndSoon() {
        let bounds = Validity(notBefore: moment(1), notAfter: moment(2), at: now)
        #expect(bounds == .notYet(from: moment(1)))
    }

    @Test func noMomentIsTooFar() {
        let last = Timestamp(microseconds: .max)
        #expect(Validity(notBefore: nil, notAfter: last, at: last) == .ending(at: last))
        let first = Timestamp(microseconds: .min)
        #expect(Validity(notBefore: nil, notAfter: last, at: first) == .valid)
    }

    @Test func aProfileIsValidUntilItsEnd() {
        let profile = EnrolledProfile(identifier: "office", notAfter: moment(-1))
        #expect(profile.validity(at: now) == .ended(at: moment(-1)))
        #expect(EnrolledProfile(identifier: "office").validity(at: now) == .valid)
    }

    @Test func warningsNameTheProfileTheMomentAndWhoHelps() {
        #expect(Validity.valid.warning(ofProfile: "office") == nil)
        let all: [(Validity, TunnelWarning.Code)] = [
            (.ending(at: now), .trustExpiring), (.ended(at: now), .trustExpired),
            (.notYet(from: now), .trustNotYetValid),
        ]
        for (validity, code) in all {
            let warning = validity.warning(ofProfile: "office")
            #expect(warning?.code == code)
            #expect(warning?.degrades == false)
            let text = warning?.text ?? ""
            #expect(text.contains("the profile office") && text.contains(now.text), "\(text)")
            #expect(text.contains("whoever issues it"), "\(text)")
        }
    }
}
