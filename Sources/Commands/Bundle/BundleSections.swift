internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Gathers the parts of a bundle; nothing comes out of it that has not been anonymised.
///
/// What names things comes first, so that texts which mention them have the same stand-ins.
final class BundleSections {
    private static let largestFile = 1 << 20
    /// Of a log its end is what matters.
    private static let mostLogBytes = 64 << 10
    private static let mostLogs = 16

    let layout: FileLayout
    private let context: Context
    private var anonymiser = Anonymiser()
    private var sections: [BundleSection] = []

    init(_ context: Context) {
        self.context = context
        layout = context.layout
    }

    /// Reads and anonymises everything.
    func all() -> [BundleSection] {
        addText("versions", versions())
        registerHost()
        addDocument("preferences", layout.preferences)
        addDocuments("profiles", in: layout.profilesDirectory, suffix: ".json")
        for (index, directory) in layout.providerDirectories.enumerated() {
            addDocuments("manifests \(index + 1)", in: directory, suffix: ".json")
        }
        addDocuments("sessions", in: layout.runtimeDirectory, suffix: ".session.json")
        addStatus()
        let findings = Examination(context).findings()
        addJSON(
            "doctor", JSONObject(writing: ListAnswer(key: "findings", elements: findings)))
        addLogs()
        for (name, output) in BundleCommands.network() {
            // The numbers of tables and the sizes of queues are long.
            sections.append(
                BundleSection(name: name, text: anonymiser.text(output, mostDigits: 10)))
        }
        // systemd is that of the system, whichever root this is about.
        let services = layout.root.isEmpty ? BundleCommands.services() : []
        for (name, output) in services { addText(name, output) }
        addFirewall()
        addText("resolv.conf", resolverFile())
        return sections
    }

    private func addText(_ name: String, _ text: String) {
        sections.append(BundleSection(name: name, text: anonymiser.text(text)))
    }

    private func addJSON(_ name: String, _ object: JSONObject) {
        addJSON(name, [.object(object)])
    }

    private func addJSON(_ name: String, _ values: [JSONValue]) {
        let lines = values.map { value in
            String(decoding: JSONWriter.line(anonymiser.json(value)), as: UTF8.self)
        }
        sections.append(BundleSection(name: name, text: lines.joined()))
    }

    /// The name of this host and those of people who may log in.
    private func registerHost() {
        var names = utsname()
        guard uname(&names) == 0 else { return }
        let name = withUnsafeBytes(of: &names.nodename) { buffer in
            String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != "localhost" { _ = anonymiser.whole(name, .host) }
    }

    private func versions() -> String {
        var names = utsname()
        uname(&names)
        let release = withUnsafeBytes(of: &names.release) { buffer in
            String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        }
        let machine = withUnsafeBytes(of: &names.machine) { buffer in
            String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
        }
        let system = try? FileDescriptor.open("/etc/os-release", O_RDONLY).readAll(limit: 1 << 16)
        let text = String(decoding: system ?? [], as: UTF8.self)
        let distribution = text.split(whereSeparator: \.isNewline).filter {
            $0.hasPrefix("ID=") || $0.hasPrefix("VERSION_ID=")
        }.joined(separator: " ")
        let manager = Directory.exists("/run/systemd/system") ? "systemd" : "no systemd"
        return """
            utunctl version \(Program.version)
            kernel \(release.split(separator: "-").joined(separator: " ")) \(machine)
            \(distribution)
            \(manager)
            """
    }

    private func document(at path: String) -> JSONValue {
        do throws(SystemError) {
            let bytes = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
                .readAll(limit: Self.largestFile, path)
            let document = try? JSONDocument(parsing: bytes).withRoot { $0.value }
            return document ?? .string("not JSON, \(bytes.count) bytes")
        } catch {
            return .string(error.errno == ENOENT ? "absent" : error.text)
        }
    }

    private func addDocument(_ name: String, _ path: String) {
        addJSON(name, [document(at: path)])
    }

    private func addDocuments(_ name: String, in directory: String, suffix: String) {
        let names = ((try? Directory.names(directory)) ?? []).filter { $0.hasSuffix(suffix) }
        for file in names {
            // Their names are those of configurations and profiles.
            let stem = String(file.dropLast(suffix.count))
            if !stem.hasPrefix("org.utunctl."), !Identifier.isValid(stem) {
                _ = anonymiser.whole(stem, .name)
            }
        }
        addJSON(name, names.map { document(at: "\(directory)/\($0)") })
    }

    private func addStatus() {
        let began = Clock.monotonicNanoseconds
        let document = try? context.preferences()
        let reader = TunnelReader(
            layout: layout, document: document, documentTime: began,
            wishes: [.underlying, .readings, .peers])
        do throws(Failure) {
            let reports = reader.read(try reader.everything())
            addJSON("status", JSONObject(writing: StatusAnswer(tunnels: reports, failure: nil)))
        } catch {
            addText("status", error.text)
        }
    }

    private func addLogs() {
        let directory = layout.runtimeDirectory
        let names = ((try? Directory.names(directory)) ?? []).filter { $0.hasSuffix(".log") }
        for name in names.prefix(Self.mostLogs) {
            addText("log \(anonymiser.text(name))", tail(of: "\(directory)/\(name)"))
        }
    }

    private func tail(of path: String) -> String {
        guard let file = try? FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW),
            let bytes = try? file.readAll(limit: 8 << 20, path)
        else { return "cannot be read" }
        // A cut word would not be known again.
        let end = bytes.suffix(Self.mostLogBytes)
        let whole = end.count == bytes.count ? end : end.drop { $0 != 0x0A }
        return String(decoding: whole, as: UTF8.self)
    }

    private func addFirewall() {
        do throws(FirewallError) {
            addText("nft", try RulesetReader.text())
        } catch {
            addText("nft", error.text)
        }
    }

    private func resolverFile() -> String {
        let own = layout.path("/etc/resolv.conf")
        let path = access(own, F_OK) == 0 ? own : "/etc/resolv.conf"
        let target = Directory.linkTarget(path).map { "link to \($0)\n" } ?? ""
        guard
            let bytes = try? FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
                .readAll(limit: ResolverFile.largest, path)
        else { return "\(target)cannot be read" }
        return target + String(decoding: bytes, as: UTF8.self)
    }
}
