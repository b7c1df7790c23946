internal import LinuxSystem
internal import TunnelModel

/// placeholder
final class NameResolution {}
extension SessionHost {
    func resolveNames() { handle(.namesResolved) }
    func resolveAgain(_ id: Int64, _ name: String) {}
    var fingerprints: [String: String] { configuration.fingerprints }
}
