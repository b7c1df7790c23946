internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension SessionHost {
    /// Makes the control socket that the provider asks for, unless something is in its way:
    /// that is a warning, as the tunnel needs none.
    func makeControlSocket(_ path: String?) {
        guard let path else { return }
        do throws(TunnelWarning) {
            // Before it is made: nothing else tells whose it is.
            try note(SessionRecord.Socket(path: path))
            let socket = try ProviderSocket(at: path)
            controlSocket = socket
            try note(
                SessionRecord.Socket(
                    path: path, device: socket.file.device, inode: socket.file.inode))
        } catch {
            removeControlSocket()
            var warning = error
            if error.code == .controlSocketTaken, let other = otherTunnel(at: path) {
                warning = TunnelWarning(
                    .controlSocketTaken,
                    "\(path) was left alone: the provider of \(other) listens there; utunctl save"
                        + " \(configuration.name) --set interface.name=NAME gives it a name of its"
                        + " own")
            }
            log.note(warning.text)
            warnings.append(warning)
        }
    }

    /// The name of the other living session whose control socket is at a path.
    private func otherTunnel(at path: String) -> String? {
        for identifier in SessionDirectory.identifiers(in: layout)
        where identifier != configuration.identifier {
            let directory = SessionDirectory(layout, identifier: identifier)
            guard let record = directory.record(), record.controlSocket?.path == path,
                (try? directory.lockIsHeld()) == true
            else { continue }
            return record.name
        }
        return nil
    }

    /// Removes the control socket, if it is still the one that was made.
    func removeControlSocket() {
        record.controlSocket = nil
        guard let socket = controlSocket.take() else { return }
        do throws(SystemError) { try socket.file.remove() } catch { log.note(error.text) }
    }

    private func note(_ socket: SessionRecord.Socket) throws(TunnelWarning) {
        record.controlSocket = socket
        do throws(SystemError) { try directory.write(record) } catch {
            throw TunnelWarning(
                .controlSocketMissing,
                "\(socket.path) was not made, as it could not be noted: \(error.text)")
        }
    }
}
