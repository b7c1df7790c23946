package import TunnelModel

/// What an enrolment changes of the anchors and secrets that are there already.
package struct EnrolmentChanges: Sendable {
    /// An anchor that is another one afterwards.
    package struct Anchor: Equatable, Sendable {
        /// The name by which configurations refer to it, `PROFILE/ANCHOR`.
        package let name: String
        /// `nil` where it was not there.
        package let old: TrustAnchor?
        /// `nil` where it is gone.
        package let new: TrustAnchor?
    }

    /// Those of a profile that is replaced, in the order of the new one; none of a new profile.
    package let anchors: [Anchor]
    /// The files of secrets in which another one stands afterwards, sorted.
    package let replacedCredentials: [String]
    /// Whether the profile is another one afterwards, or new.
    package let changesProfile: Bool
    /// The files of secrets that are written.
    let writtenCredentials: Set<String>
    /// The anchors, `PROFILE/ANCHOR`, that are not as they were.
    private let names: Set<String>

    /// Compares with the profile as it was; `written` are the files of secrets that do not hold
    /// theirs yet, `existing` those of them that hold something.
    init(
        by material: EnrolledMaterial,
        former: EnrolledProfile?,
        written: Set<String>,
        existing: Set<String>
    ) {
        let profile = material.profile
        func anchors(of profile: EnrolledProfile?) -> [String: TrustAnchor] {
            Dictionary((profile?.anchors ?? []).map { ($0.name, $0) }) { first, _ in first }
        }
        let (old, new) = (anchors(of: former), anchors(of: profile))
        let order =
            profile.anchors.map(\.name)
            + (former?.anchors ?? []).map(\.name)
            .filter { new[$0] == nil }
        let changed = order.filter {
            old[$0]?.kind != new[$0]?.kind || old[$0]?.value != new[$0]?.value
        }
        .map { Anchor(name: "\(profile.identifier)/\($0)", old: old[$0], new: new[$0]) }
        self.anchors = former == nil ? [] : changed
        names = Set(changed.map(\.name))
        writtenCredentials = written
        replacedCredentials = written.intersection(existing).sorted()
        changesProfile = former != profile
    }

    /// Whether something to which a configuration refers is not as it was.
    func concern(_ configuration: Configuration, _ layout: FileLayout) -> Bool {
        !names.isDisjoint(with: configuration.trust)
            || !writtenCredentials.isDisjoint(with: configuration.credentialFiles(layout))
    }

    /// The anchor that a configuration trusts and that would be another one or gone; `nil` for
    /// none.
    func anchor(changedUnder configuration: Configuration) -> String? {
        anchors.first { $0.old != nil && configuration.trust.contains($0.name) }?.name
    }
}
