internal import Glibc
internal import JSON
package import LinuxSystem
package import TunnelModel

/// Why a provider cannot run.
package enum ProviderError: Error, Equatable, Sendable {
    /// No manifest has the identifier.
    case notInstalled(identifier: String, installed: [String], nearest: String?)
    /// Its manifest cannot be used.
    case badManifest(identifier: String, path: String, problem: String)
    /// Its executable is missing, not executable, or could have been written by anybody.
    case badExecutable(identifier: String, path: String, problem: String)
    /// It speaks a version of the protocol that this program does not.
    case unknownProtocol(identifier: String, version: Int64)
}

/// The providers that are installed, by their manifests.
package struct ProviderRegistry: Sendable {
    /// One manifest file.
    package struct Entry: Equatable, Sendable {
        package let path: String
        /// The identifier, which for an unreadable manifest is its file's name.
        package let identifier: String
        /// `nil` where `problem` says what is wrong.
        package let manifest: ProviderManifest?
        package let problem: String?
    }

    /// All entries, one for each identifier, in the order of identifiers.
    package let entries: [Entry]
    private let layout: FileLayout

    /// Reads all manifests; one that cannot be read is an entry with its problem.
    package init(_ layout: FileLayout) {
        self.layout = layout
        var entries: [String: Entry] = [:]
        for directory in layout.providerDirectories {
            let names = (try? Directory.names(directory)) ?? []
            let unsafe = TrustedFile.problem(ofDirectory: directory)
            for name in names where name.hasSuffix(".json") && !name.hasPrefix(".") {
                let path = "\(directory)/\(name)"
                let entry = Self.read(path, name: String(name.dropLast(5)), unsafe: unsafe)
                entries[entry.identifier] = entry
            }
        }
        self.entries = entries.values.sorted { $0.identifier < $1.identifier }
    }

    /// The manifest of a provider.
    package func manifest(of identifier: String) throws(ProviderError) -> ProviderManifest {
        guard let entry = entries.first(where: { $0.identifier == identifier }) else {
            let installed = entries.map(\.identifier)
            throw .notInstalled(
                identifier: identifier, installed: installed,
                nearest: nearestWord(to: identifier, in: installed))
        }
        guard let manifest = entry.manifest else {
            throw .badManifest(
                identifier: identifier, path: entry.path, problem: entry.problem ?? "unreadable")
        }
        guard manifest.protocolVersion == ProviderManifest.protocolVersion else {
            throw .unknownProtocol(identifier: identifier, version: manifest.protocolVersion)
        }
        return manifest
    }

    /// Opens the executable of a provider, as far as running it needs (O_PATH), after
    /// looking at its type, owner and mode on that descriptor, and at what runs a script.
    package func openExecutable(of manifest: ProviderManifest) throws(ProviderError)
        -> FileDescriptor
    {
        let path = layout.path(manifest.executable)
        func unusable(_ problem: String) -> ProviderError {
            .badExecutable(identifier: manifest.identifier, path: path, problem: problem)
        }
        if let problem = Script(at: path)?.problem { throw unusable(problem) }
        do { return try TrustedFile.openExecutable(path) } catch { throw unusable(error.problem) }
    }

    private static func read(_ path: String, name: String, unsafe: String?) -> Entry {
        func broken(_ problem: String) -> Entry {
            Entry(path: path, identifier: name, manifest: nil, problem: problem)
        }
        if let unsafe { return broken("its directory: \(unsafe)") }
        let bytes: [UInt8]
        do { bytes = try TrustedFile.read(path, limit: 1 << 20) } catch {
            return broken(error.problem)
        }
        do throws(JSONError) {
            let manifest = try JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
                try ProviderManifest(node)
            }
            return Entry(
                path: path, identifier: manifest.identifier, manifest: manifest, problem: nil)
        } catch {
            return broken(error.text)
        }
    }
}
