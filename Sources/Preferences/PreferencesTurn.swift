internal import Glibc
internal import LinuxSystem

/// The right to change what lies below /etc/utunctl, which one process has at a time.
///
/// Whoever has it may take all temporary files there for those of a process that is gone.
package struct PreferencesTurn: ~Copyable {
    private let lock: PassingLock

    /// How long others may take with their change.
    private static let patienceMilliseconds: Int64 = 10_000

    /// Waits for its turn, and makes the directory if need be.
    ///
    /// - Throws: `unwritable` with EROFS where nothing can be written at all.
    package static func take(_ layout: FileLayout) throws(PreferencesError) -> PreferencesTurn {
        let lock: PassingLock?
        do throws(SystemError) {
            try Directory.create(layout.configurationDirectory, mode: 0o755)
            lock = try PassingLock.take(
                layout.preferencesLock, until: .after(milliseconds: patienceMilliseconds))
        } catch {
            throw .unwritable(path: layout.preferences, error)
        }
        guard let lock else { throw .busy(path: layout.preferences) }
        return PreferencesTurn(lock: lock)
    }
}
