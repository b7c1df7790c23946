/// The links, by their indexes, that forward packets only because a tunnel has them do it.
package struct ForwardingLinks: Equatable, Sendable {
    private var v4: Set<UInt32> = []
    private var v6: Set<UInt32> = []

    /// None.
    package init() {}

    package var isEmpty: Bool { v4.isEmpty && v6.isEmpty }

    /// Those of one family.
    package subscript(family: IPAddress.Family) -> Set<UInt32> {
        get { family == .v4 ? v4 : v6 }
        set { if family == .v4 { v4 = newValue } else { v6 = newValue } }
    }
}
