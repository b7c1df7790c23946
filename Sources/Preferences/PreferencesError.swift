package import JSON
package import LinuxSystem
package import TunnelModel

/// Why the preferences cannot be used: absent is no error, and none of these is absent.
package enum PreferencesError: Error, Equatable, Sendable {
    /// They cannot be read, or could have been written by anybody.
    case unreadable(TrustedFile.Failure)
    /// They are there and hold something else; the file is never overwritten.
    case corrupt(path: String, JSONError)
    /// Writing them failed; the old ones stand.
    case unwritable(path: String, SystemError)
    /// Another save holds the lock for longer than anybody waits.
    case busy(path: String)
    /// A document to be saved is not one.
    case invalidDocument(JSONError)
    /// It holds what is to come by enrolment or as a credential.
    case misplaced(MisplacedMaterial)
    /// What is to be saved was read before somebody else saved.
    case stale(name: String, given: UInt64, saved: UInt64)
    /// Another configuration has the name.
    case nameTaken(String)
}
