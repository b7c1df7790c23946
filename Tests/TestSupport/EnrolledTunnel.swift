import Glibc
import JSON

/// An end of a tunnel that our own provider serves, enrolled from a file of wg-quick.
package final class EnrolledTunnel: WireGuardEnd {
    package let site: Installation
    package let name: String

    /// Enrols a file, changes what `settings` (`PATH=VALUE`) say, and starts nothing yet.
    package init(
        _ file: WireGuardFile,
        named name: String = "office",
        settings: [String] = [],
        at site: Installation
    ) throws {
        self.site = site
        self.name = name
        try site.installWireGuard()
        try enrol(file)
        if !settings.isEmpty {
            let save = try Command.run(
                site.command(["save", name] + settings.flatMap { ["--set", $0] }))
            guard save.status == 0 else { throw Unexpected("save \(name): \(save)") }
        }
    }

    /// Enrols another file in the place of the one that it has.
    package func replace(with file: WireGuardFile) throws {
        try enrol(file, "--replace")
    }

    /// Starts it and waits for its interface, but for no peer.
    package func begin() throws {
        let start = try site.utunctl("start", name)
        guard start.status == 0 else { throw Unexpected("start \(name): \(start)\n\(log)") }
        let isThere = try eventually {
            try site.status(name).value("interface.addresses")?.array?.isEmpty == false
        }
        guard isThere else { throw Unexpected("\(name) has no interface: \(log)") }
        refresh()
    }

    /// Starts it and waits until it is connected.
    package func connect() throws {
        let start = try site.utunctl("start", "--wait", name)
        guard start.status == 0 else { throw Unexpected("start \(name): \(start)\n\(log)") }
        refresh()
    }

    /// The process of the provider; 0 before the first `connect`.
    private(set) package var pid: Int32 = 0
    private(set) package var interface = ""

    /// Reads process and interface again, which a restart has changed.
    package func refresh() {
        guard let status = try? site.status(name) else { return }
        pid = status.value("provider.pid")?.integer.map { Int32($0) } ?? 0
        interface = status.value("interface.name")?.string ?? ""
    }

    /// The word for its status.
    package var word: String {
        get throws { try site.status(name)["status"]?.string ?? "" }
    }

    private func enrol(_ file: WireGuardFile, _ options: String...) throws {
        try site.write(file.forQuick, to: "\(name).conf", mode: 0o600)
        let arguments = ["enroll", "\(site.root)/\(name).conf", "--name", name] + options
        let enrol = try Command.run(site.command(arguments))
        guard enrol.status == 0 else { throw Unexpected("enroll \(name): \(enrol)") }
    }

    /// What its session host wrote.
    package var log: String {
        (try? site.identifier(of: name)).flatMap { site.read("run/utunctl/\($0).log") } ?? ""
    }
}

extension Installation {
    /// Installs the WireGuard provider with the manifest that is shipped.
    package func installWireGuard() throws {
        let identifier = "org.utunctl.wireguard"
        guard read("usr/lib/utunctl/providers.d/\(identifier).json") == nil else { return }
        try install(
            Self.built("utunctl-wireguard"), as: "usr/libexec/utunctl/utunctl-wireguard",
            mode: 0o711)
        try install(
            "\(Self.source)/Sources/Install/providers.d/\(identifier).json",
            as: "usr/lib/utunctl/providers.d/\(identifier).json", mode: 0o644)
    }
}
