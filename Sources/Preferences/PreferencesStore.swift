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
        let turn: PreferencesTurn
        do throws(PreferencesError) {
            turn = try PreferencesTurn.take(layout)
        } catch .unwritable(_, let error) where error.errno == EROFS {
            // Where nobody can write, what changes nothing succeeds all the same.
            let (result, document) = try Self.apply(change, to: try readSafely())
            guard document == nil else { throw .unwritable(path: layout.preferences, error) }
            return result
        }
        let before = try readSafely()
        try EnrolmentJournal.settle(layout, before, turn)
        let (result, document) = try Self.apply(change, to: before)
        if let document { try write(document, turn) }
        return result
    }

    /// What a change comes to, and the document to be written where it changed something.
    private static func apply<Result>(
        _ change: (inout PreferencesDocument) throws(PreferencesError) -> Result,
        to before: PreferencesDocument?
    ) throws(PreferencesError) -> (result: Result, document: PreferencesDocument?) {
        var document = before ?? PreferencesDocument()
        let result = try change(&document)
        let isChanged =
            document != before && (before != nil || !document.configurations.isEmpty)
        return (result, isChanged ? document : nil)
    }

    /// The document as it stands, where nobody else could have put another in its place.
    func readSafely() throws(PreferencesError) -> PreferencesDocument? {
        let directory = layout.configurationDirectory
        if let problem = TrustedFile.problem(ofDirectory: directory) {
            throw .unreadable(.unsafe(path: directory, problem: problem))
        }
        return try read()
    }

    /// Replaces the document.
    func write(_ document: PreferencesDocument, _ turn: borrowing PreferencesTurn)
        throws(PreferencesError)
    {
        let group = Account.group(named: "utunctl")
        let bytes = JSONWriter.line(document, layout: .listed)
        guard bytes.count <= Self.largestDocument else {
            // What nobody could read again is never written.
            throw .unwritable(
                path: layout.preferences, SystemError("write", layout.preferences, errno: EFBIG))
        }
        do throws(SystemError) {
            // What was killed leaves its temporary file; whoever has the turn finds old ones only.
            try AtomicFile.removeTemporaries(in: layout.configurationDirectory)
            try AtomicFile.replace(
                layout.preferences, with: bytes,
                mode: group == nil ? 0o600 : 0o640, group: group, followsLink: true)
        } catch {
            throw .unwritable(path: layout.preferences, error)
        }
    }
}
