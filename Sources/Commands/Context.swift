internal import Glibc
internal import LinuxSystem
package import Preferences
internal import SessionHost
internal import TunnelModel

/// What every verb works with.
package struct Context: Sendable {
    package let invocation: Invocation
    package let layout: FileLayout
    package let output: Output
    /// The file mode creation mask that the caller has.
    let callersMask: UInt32

    /// The preferences of the layout.
    package var store: PreferencesStore { PreferencesStore(layout) }

    /// Takes the layout from `--root`, or else from $UTUNCTL_ROOT, which counts for nothing
    /// where the program has more privileges than its caller.
    package init(_ invocation: Invocation, _ output: Output, callersMask: UInt32 = 0o022)
        throws(Failure)
    {
        self.callersMask = callersMask
        self.invocation = invocation
        self.output = output
        let inherited = getenv("UTUNCTL_ROOT").map { String(cString: $0) }
        let root = invocation.value("root") ?? (Privilege.isSecureExecution ? nil : inherited)
        guard let root, !root.isEmpty else {
            layout = .system
            return
        }
        var status = stat()
        guard stat(root, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(.usage, "usage", "--root \(root): no such directory")
        }
        layout = FileLayout(root: root)
    }

    /// The one operand of verbs that have one.
    var operand: String { invocation.operands.first ?? "" }

    /// The preferences, where absent is the same as empty.
    func preferences() throws(Failure) -> PreferencesDocument {
        do { return try store.read() ?? PreferencesDocument() } catch { throw Failure(error) }
    }

    /// The right to change what lies below /etc/utunctl, with the enrolment settled that a
    /// process which is gone has left in the middle.
    func turn() throws(Failure) -> PreferencesTurn {
        do throws(PreferencesError) {
            let turn = try PreferencesTurn.take(layout)
            if let told = try EnrolmentStore(layout).settle(turn) { output.note(told) }
            return turn
        } catch {
            throw Failure(error)
        }
    }

    /// Settles an enrolment that was left in the middle, for verbs that need what it was about.
    ///
    /// `withRemains` also what one left that had not begun.
    func settleEnrolment(withRemains: Bool = false) throws(Failure) {
        let store = EnrolmentStore(layout)
        if store.isUnsettled || withRemains && store.hasRemains { _ = try turn() }
    }

    /// A saved configuration by name or identifier.
    func configuration(_ name: String) throws(Failure) -> Configuration {
        let document = try preferences()
        guard let configuration = document.configuration(name) else {
            throw Self.noSuchConfiguration(name, names: document.configurations.map(\.name))
        }
        return configuration
    }

    /// The files of a configuration's sessions.
    func directory(of identifier: String) -> SessionDirectory {
        SessionDirectory(layout, identifier: identifier)
    }

    /// The failure of a name that nothing has.
    static func noSuchConfiguration(_ name: String, names: [String]) -> Failure {
        let hint =
            nearestWord(to: name, in: names).map { "did you mean \($0)?" }
            ?? (names.isEmpty
                ? "nothing is saved yet: utunctl save \(name)" : "see `utunctl status`")
        let shown = name.shownInMessage
        return Failure(
            .noSuchConfiguration, "noSuchConfiguration", "no configuration \(shown)", hint: hint)
    }
}
