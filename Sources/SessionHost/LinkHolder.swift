internal import KernelNetwork
internal import Preferences
internal import TunnelModel

/// Whose something in the kernel is that stands in the way: an interface, and the tunnel that it
/// belongs to, where it does.
package struct LinkHolder: Equatable, Sendable {
    package let interface: String
    /// The name of the tunnel of this root; `nil` of anybody else's interface.
    package let tunnel: String?

    init(_ link: Link, _ layout: FileLayout) {
        interface = link.name
        tunnel = layout.identifier(inMark: link.alias).map { identifier in
            SessionDirectory(layout, identifier: identifier).record()?.name ?? identifier
        }
    }

    /// Who it is, in words.
    package var text: String { tunnel.map { "\($0) (\(interface))" } ?? interface }

    /// What takes it out of the way; `nil` where that is not for utunctl to say.
    package var remedy: String? { tunnel.map { "utunctl stop \($0)" } }
}
