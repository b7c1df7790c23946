internal import Glibc
internal import JSON
internal import LinuxSystem
package import TunnelModel

/// The preferences file: what should be.
///
/// Every read is a fresh one.
package struct PreferencesStore: Sendable {
    private let layout: FileLayout

    /// No document of ours comes near this.
    private static let largestDocument = 256 << 20

    /// The store of a layout.
    package init(_ layout: FileLayout) {
        self.layout = layout
    }

    /// The document as it stands; `nil` where nothing was ever saved.
    package func read() throws(PreferencesError) -> PreferencesDocument? {
        let bytes: [UInt8]
        do throws(TrustedFile.Failure) {
            bytes = try TrustedFile.read(layout.preferences, limit: Self.largestDocument)
        } catch .system(let error) where error.errno == ENOENT {
            return nil
        } catch {
            throw .unreadable(error)
        }
        do throws(JSONError) {
            return try JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
                let document = try PreferencesDocument(node)
                for (index, configuration) in document.configurations.enumerated()
                where configuration.identifier.isEmpty {
                    throw .value(path: "configurations[\(index)].identifier", problem: "missing")
                }
                return document
            }
        } catch {
            throw .corrupt(path: layout.preferences, error)
        }
    }

    /// Reads, changes and writes under the lock; nothing is written if nothing changed.
    ///
    /// - Returns: what `change` returns.
    package func update<Result>(
        _ change: (inout PreferencesDocument) throws(PreferencesError) -> Result
    ) throws(PreferencesError) -> Result {
        let (directory, name) = AtomicFile.split(layout.preferences)
        var lock: PassingLock?
        var readOnly: SystemError?
        do throws(SystemError) {
            try Directory.create(directory, mode: 0o755)
            lock = try PassingLock.take(
                layout.preferencesLock, until: .after(milliseconds: 10_000))
        } catch {
            // Where nobody can write, what changes nothing succeeds all the same.
            guard error.errno == EROFS else { throw .unwritable(path: layout.preferences, error) }
            readOnly = error
        }
        guard lock != nil || readOnly != nil else { throw .busy(path: layout.preferences) }
        if let problem = TrustedFile.problem(ofDirectory: directory) {
            throw .unreadable(.unsafe(path: directory, problem: problem))
        }
        let before = try read()
        var document = before ?? PreferencesDocument()
        let result = try change(&document)
        if document != before, before != nil || !document.configurations.isEmpty {
            if let readOnly { throw .unwritable(path: layout.preferences, readOnly) }
            try write(document, directory, name)
        }
        return result
    }

    private func write(_ document: PreferencesDocument, _ directory: String, _ name: String)
        throws(PreferencesError)
    {
        let group = Account.group(named: "utunctl")
        do throws(SystemError) {
            // A save that was killed leaves its temporary file; under the lock all are old.
            for left in try Directory.names(directory) where left.hasPrefix(".\(name).") {
                try Directory.removeFile("\(directory)/\(left)")
            }
            try AtomicFile.replace(
                layout.preferences, with: JSONWriter.line(document, layout: .listed),
                mode: group == nil ? 0o600 : 0o640, group: group, followsLink: true)
        } catch {
            throw .unwritable(path: layout.preferences, error)
        }
    }
}
