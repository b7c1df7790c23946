package import TunnelModel

/// What a file asks to be enrolled, whatever its format.
package struct EnrolmentProposal: Sendable {
    package var material: EnrolledMaterial
    /// What becomes of its parts, in the order in which they are told.
    package var items: [EnrolmentItem]

    package init(material: EnrolledMaterial, items: [EnrolmentItem]) {
        self.material = material
        self.items = items
    }
}
