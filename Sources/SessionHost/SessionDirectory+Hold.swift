package import LinuxSystem
package import Preferences
package import TunnelModel

// The hold of On Demand lies in the runtime directory: a reboot lifts it.

extension SessionDirectory {
    private var holdPath: String { path(holdSuffix) }

    /// The identifiers that have a hold.
    package static func heldIdentifiers(in layout: FileLayout) -> Set<String> {
        let names = (try? Directory.names(layout.runtimeDirectory)) ?? []
        return Set(
            names.compactMap { name in
                name.hasSuffix(".\(holdSuffix)") ? String(name.dropLast(holdSuffix.count + 1)) : nil
            })
    }

    /// The hold; one that cannot be read is a hold all the same.
    package func hold() -> Hold? {
        Hold.read(at: holdPath)
    }

    /// Sets the hold, or renews it.
    package func setHold(by origin: SessionOrigin) throws(SystemError) {
        try Hold(since: .now, origin: origin).write(at: holdPath)
    }

    /// Refuses On Demand a start that somebody has forbidden it.
    package func refuseHeld() throws(SessionError) {
        if let hold = hold() { throw .onDemandHeld(hold, isOfAll: false) }
        if let pause = OnDemandPause(layout).read() { throw .onDemandHeld(pause, isOfAll: true) }
    }

    /// Lifts the hold; none is success.
    package func liftHold() throws(SystemError) {
        try Directory.removeFile(holdPath)
    }
}

private let holdSuffix = "hold"
