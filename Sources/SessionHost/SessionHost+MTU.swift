internal import KernelNetwork
internal import TunnelModel

// The MTU of the interface follows the ways to the servers, unless somebody has said what it is.

extension SessionHost {
    /// Sets the MTU anew where the ways to the servers leave another one.
    func followMTU() {
        guard let settings = interface.inForce.settings,
            let new = settings.mtu(for: configuration, paths: outsideTunnel { interface.paths() }),
            new.value != settings.mtu || new.origin != settings.mtuOrigin
        else { return }
        do throws(NetlinkError) {
            try interface.setMTU(new)
            if new.value != settings.mtu {
                log.note("the MTU is \(new.value) now: \(new.origin)")
                tellMTU()
                firewall?.update { $0.mtu = new.value }
            }
        } catch {
            log.note(error.description)
        }
    }

    /// Tells the provider of the MTU, where that is not what it knows.
    func tellMTU() {
        guard toldMTU != interface.mtu else { return }
        toldMTU = interface.mtu
        provider?.send(.interfaceChanged(mtu: interface.mtu))
    }
}
