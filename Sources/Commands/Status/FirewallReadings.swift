internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What the kernel's firewall says of the tunnels that are asked for.
///
/// It is asked only where a host says that a kill switch stands, which is one small question
/// each, or where no host answered, which is one for all.
final class FirewallReadings {
    private let networkNamespace = currentNetworkNamespace
    private let reader: FirewallReader?
    /// All tables, where somebody may have left one; `nil` where they cannot be read.
    private let tables: [String: FirewallReader.Found]?

    init(_ layout: FileLayout, _ identifiers: [String], _ answers: [String: HostQuestions.Answer]) {
        let isSilent = identifiers.contains { answers[$0]?.report == nil }
        let blocks = identifiers.contains {
            answers[$0]?.report?.firewall?.mode.blocks == true
        }
        reader = isSilent || blocks ? try? FirewallReader(layout) : nil
        let found = isSilent ? try? reader?.tables() : []
        tables = found.map { found in
            Dictionary(found.map { ($0.identifier, $0) }) { first, _ in first }
        }
    }

    /// The reading of one tunnel.
    func reading(of identifier: String, _ session: SessionReport?) -> FirewallReading {
        guard let session else { return readingOfSilent(identifier) }
        guard let firewall = session.firewall else { return FirewallReading() }
        var reading = FirewallReading(
            mode: firewall.mode, isPresent: firewall.isPresent,
            pausedUntil: firewall.pausedUntil)
        guard firewall.mode.blocks, session.networkNamespace == networkNamespace else {
            return reading
        }
        guard let reader else { return reading }
        do throws(NetlinkError) {
            let found = try reader.table(of: identifier)
            reading.isLockdown = found?.label.lockdown == .always
            reading.isPresent =
                firewall.isPresent && found?.isInForce == true
                && found?.label.mode == firewall.mode
        } catch {
            // Who may not ask the kernel has the host's word, which asked it just now.
            return reading
        }
        return reading
    }

    private func readingOfSilent(_ identifier: String) -> FirewallReading {
        guard let tables else { return .unknown }
        guard let found = tables[identifier] else { return FirewallReading() }
        let milliseconds = found.label.mode.blocks ? try? reader?.pause(of: identifier) : nil
        return FirewallReading(
            mode: found.label.mode,
            isPresent: found.isInForce,
            pausedUntil: milliseconds.map {
                Timestamp(microseconds: Timestamp.now.microseconds + Int64($0) * 1000)
            },
            isLockdown: found.label.lockdown == .always)
    }
}
