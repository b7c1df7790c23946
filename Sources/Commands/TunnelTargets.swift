internal import Preferences
internal import SessionHost
internal import TunnelModel

/// A tunnel that a verb is to act on.
struct TunnelTarget {
    let identifier: String
    let name: String
    /// `nil` where it is not saved, or the preferences cannot be read.
    let configuration: Configuration?
}

/// Finds tunnels by name or identifier, with or without the preferences.
///
/// What stops or repairs must work when the preferences are corrupt or gone: then the records
/// of sessions and the marks in the kernel say which tunnels there are.
struct TunnelTargets {
    private let context: Context

    init(_ context: Context) {
        self.context = context
    }

    /// The tunnel that a name or identifier means.
    func resolve(_ name: String) throws(Failure) -> TunnelTarget {
        let document = try? context.store.read()
        if let configuration = document?.configuration(name) {
            return TunnelTarget(
                identifier: configuration.identifier, name: configuration.name,
                configuration: configuration)
        }
        for identifier in SessionDirectory.identifiers(in: context.layout) {
            let record = context.directory(of: identifier).record()
            if identifier == name || record?.name == name {
                return TunnelTarget(
                    identifier: identifier, name: record?.name ?? identifier, configuration: nil)
            }
        }
        if Identifier.isValid(name) {
            return TunnelTarget(identifier: name, name: name, configuration: nil)
        }
        // Only now does it matter why the preferences did not help.
        _ = try context.configuration(name)
        throw Context.noSuchConfiguration(name, names: [])
    }

    /// Every tunnel of which something lives or is left.
    func living() throws(Failure) -> [TunnelTarget] {
        let document = try? context.store.read()
        let marked: [String]
        do { marked = try Leftovers(context.layout).markedIdentifiers() } catch {
            throw Failure(error)
        }
        let withFiles = SessionDirectory.identifiers(in: context.layout).filter { identifier in
            let directory = context.directory(of: identifier)
            return (try? directory.lockIsHeld()) ?? true || directory.hasSocket
        }
        return Set(marked + withFiles).sorted().map { identifier in
            let configuration = document?.configuration(identifier)
            let name = configuration?.name ?? context.directory(of: identifier).record()?.name
            return TunnelTarget(
                identifier: identifier, name: name ?? identifier, configuration: configuration)
        }
    }
}
