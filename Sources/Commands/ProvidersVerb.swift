internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension Verb {
    static let providers = Verb(
        syntax: VerbSyntax(
            "providers",
            summary: "list the providers that are installed",
            description: [
                "A provider is installed by its manifest in providers.d; one in /etc wins over "
                    + "one in /usr/lib. A provider on the network of the host is not kept apart "
                    + "from it, as others are."
            ],
            examples: [
                Example("utunctl providers", "list all providers and whether they can run")
            ]),
        run: { context throws(Failure) in
            let providers = InstalledProvider.all(context.layout)
            if providers.isEmpty { context.output.note("no provider is installed") }
            try context.output.answer(
                ListAnswer(key: "providers", elements: providers),
                text: alignedColumns(providers.map(\.columns)).joined(separator: "\n"))
            return .done
        })
}

/// A provider as its manifest tells of it, and whether it can run.
struct InstalledProvider {
    let identifier: String
    /// The path of the manifest file.
    let path: String
    /// `nil` where it cannot be read.
    let manifest: ProviderManifest?
    let executable: String?
    /// Why it cannot run.
    let problem: Failure?

    /// All providers of a layout.
    static func all(_ layout: FileLayout) -> [InstalledProvider] {
        let registry = ProviderRegistry(layout)
        return registry.entries.map { entry in
            InstalledProvider(
                identifier: entry.identifier, path: entry.path, manifest: entry.manifest,
                executable: entry.manifest.map { layout.path($0.executable) },
                problem: problem(of: entry, registry))
        }
    }

    /// The row for people.
    var columns: [String] {
        [
            identifier, manifest?.title ?? "", executable ?? path,
            manifest.map { "network \($0.network.rawValue)" } ?? "", problem?.text ?? "ok",
        ]
    }

    private static func problem(of entry: ProviderRegistry.Entry, _ registry: ProviderRegistry)
        -> Failure?
    {
        do throws(ProviderError) {
            _ = try registry.openExecutable(of: try registry.manifest(of: entry.identifier))
            return nil
        } catch {
            return Failure(error)
        }
    }
}

extension InstalledProvider: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("title", manifest?.title)
            writer.member("manifest", path)
            writer.member("executable", executable)
            writer.member("protocolVersion", manifest?.protocolVersion)
            writer.member("network", manifest?.network.rawValue)
            writer.member("usable", problem == nil)
            writer.member("problem", problem?.text)
        }
    }
}

/// Lays rows out in columns; the last one is not padded.
func alignedColumns(_ rows: [[String]]) -> [String] {
    let lengths = rows.map { $0.map(\.count) }
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
        lengths.map { $0.count > column + 1 ? $0[column] : 0 }.max() ?? 0
    }
    return zip(rows, lengths).map { row, lengths in
        // Nothing follows the last cell that is not empty, no blanks either.
        let last = lengths.lastIndex { $0 > 0 } ?? 0
        var line = ""
        for (column, cell) in row.prefix(last + 1).enumerated() {
            line += cell
            guard column < last else { break }
            line += String(repeating: " ", count: widths[column] - lengths[column] + 2)
        }
        return line
    }
}
