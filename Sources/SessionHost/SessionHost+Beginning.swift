internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// The steps of the beginning of a session, each with its failure in the session's words.

extension SessionHost {
    /// Looks again, with the lock held, whether the configuration is still what is saved.
    ///
    /// Whoever removes or changes a configuration saves first and looks for a session then:
    /// either they see this one, or this one sees what they saved.
    static func checkSaved(_ configuration: Configuration, _ layout: FileLayout)
        throws(SessionError)
    {
        let document: PreferencesDocument?
        do { document = try PreferencesStore(layout).read() } catch { throw .preferences(error) }
        guard let saved = document?.configuration(configuration.identifier) else { throw .removed }
        guard saved.generation == configuration.generation else {
            throw .stale(given: configuration.generation, saved: saved.generation)
        }
    }

    /// Listens to the changes of the kernel's network.
    static func openEvents() throws(SessionError) -> NetworkEventSocket {
        do { return try NetworkEventSocket() } catch { throw .kernel(error) }
    }

    /// Makes the loop of the session.
    static func openLoop() throws(SessionError) -> EventLoop {
        do { return try EventLoop() } catch { throw .system(error) }
    }

    /// Listens at the control socket, and begins the record.
    static func openControl(
        _ directory: SessionDirectory,
        _ record: SessionRecord,
        _ loop: EventLoop
    ) throws(SessionError) -> ControlServer {
        do throws(SystemError) {
            let control = try ControlServer(directory, on: loop)
            // Last: a record without an end is a crash, which a refusal is not.
            try directory.write(record)
            return control
        } catch {
            throw .system(error)
        }
    }

    /// Whoever starts a tunnel wants it, whatever was before.
    func liftHold() {
        do throws(SystemError) { try directory.liftHold() } catch { log.note(error.text) }
    }

    /// Takes the signals that end a session.
    static func openSignals() throws(SessionError) -> SignalDescriptor {
        do { return try SignalDescriptor([SIGTERM, SIGINT, SIGHUP]) } catch {
            throw .system(error)
        }
    }
}
