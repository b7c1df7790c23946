internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    /// Whom this host asks for names, and whether anybody is there to answer.
    func names() -> [DoctorFinding] {
        let own = layout.path("/etc/resolv.conf")
        let path = access(own, F_OK) == 0 ? own : "/etc/resolv.conf"
        guard
            let bytes = try? FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
                .readAll(limit: ResolverFile.largest, path)
        else {
            return [
                DoctorFinding(
                    .advice, "resolverFileMissing",
                    "\(path) cannot be read: programs ask for names at 127.0.0.1",
                    fix: "let it name a resolver: resolv.conf(5)")
            ]
        }
        let manager = ResolverManager(path: path, content: bytes)
        let servers = ResolverFile.servers(in: bytes)
        if manager == .resolved, case .living = SocketFile.look(at: Self.resolvedSocket) {
            return []
        }
        if manager == .resolved {
            return [
                DoctorFinding(
                    .problem, "resolvedUnreachable",
                    "\(path) leads to systemd-resolved, which does not run: no name resolves",
                    fix: "systemctl start systemd-resolved, or let \(path) name another resolver")
            ]
        }
        return servers.prefix(ResolverFile.mostServers).compactMap { silent($0, path) }
            + managed(manager, path)
    }

    private static let resolvedSocket = "/run/systemd/resolve/io.systemd.Resolve"

    private func silent(_ server: IPAddress, _ path: String) -> DoctorFinding? {
        if server.isLoopback {
            guard ListeningSockets.listens(server, port: 53) == false else { return nil }
            return DoctorFinding(
                .problem, "nameserverSilent",
                "\(path) names \(server), where nobody listens: no name resolves",
                fix: "start the resolver that belongs there, or name another one")
        }
        guard let answer = try? RouteSocket().lookUp(RouteQuestion(to: server)) else { return nil }
        switch answer {
        case .route, .local: return nil
        case .unreachable, .noRoute: break
        }
        return DoctorFinding(
            .advice, "nameserverUnreachable", "\(path) names \(server), to which no route leads",
            fix: "ip route get \(server) says more; a host without a network has none")
    }

    /// Another program that writes the file which enabled configurations are to write.
    private func managed(_ manager: ResolverManager?, _ path: String) -> [DoctorFinding] {
        guard let manager else { return [] }
        let names = configurations.filter {
            $0.enabled && !$0.dns.servers.isEmpty && $0.interface.networkNamespace == nil
        }.map(\.name)
        guard !names.isEmpty else { return [] }
        return [
            DoctorFinding(
                .advice, "resolverFileManaged",
                "\(manager.rawValue) writes \(path) as well, to which"
                    + " \(names.joined(separator: ", ")) brings resolvers: what it writes over a"
                    + " running tunnel is taken back",
                fix: "systemd-resolved keeps both apart: see utunctl-dns(7)")
        ]
    }
}

/// A program that writes resolv.conf(5), by the traces that it leaves.
enum ResolverManager: String, CaseIterable {
    case resolved = "systemd-resolved"
    case networkManager = "NetworkManager"
    case resolvconf
    case dhcpcd
    case dhclient
    case connman = "ConnMan"
    case tailscale

    private var directory: String? {
        switch self {
        case .resolved: "/run/systemd/resolve/"
        case .networkManager: "/run/NetworkManager/"
        case .resolvconf: "/run/resolvconf/"
        case .connman: "/run/connman/"
        case .dhcpcd, .dhclient, .tailscale: nil
        }
    }

    /// Whose file it is; `nil` where nothing says so.
    init?(path: String, content: [UInt8]) {
        // What a tunnel has put there holds the traces of the former file.
        guard ResolverFile(content).mark == nil else { return nil }
        let target = (try? AtomicFile.farEnd(of: path)) ?? path
        let stubs = [IPAddress(v4: 0x7F00_0035), IPAddress(v4: 0x7F00_0036)]
        let servers = ResolverFile.servers(in: content)
        let text = String(decoding: content, as: UTF8.self)
        let comments = text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("#") }
            .flatMap { $0.lowercased().split { !$0.isLetter && $0 != "-" } }
        let found = Self.allCases.first { manager in
            manager.directory.map { target.hasPrefix($0) } ?? false
        }
        if let found {
            self = found
        } else if !servers.isEmpty, servers.allSatisfy({ stubs.contains($0) }) {
            self = .resolved
        } else if let named = Self.allCases.dropFirst().first(where: {
            comments.contains(Substring($0.rawValue.lowercased()))
        }) {
            self = named
        } else {
            return nil
        }
    }
}

/// The sockets of this network namespace that wait for what comes.
enum ListeningSockets {
    /// Whether somebody takes datagrams at an address and port; `nil` where that cannot be read.
    static func listens(_ address: IPAddress, port: UInt16) -> Bool? {
        let files = ["/proc/net/udp", "/proc/net/udp6"]
        let tables = files.compactMap { path in
            try? FileDescriptor.open(path, O_RDONLY).readAll(limit: 8 << 20, path)
        }
        guard !tables.isEmpty else { return nil }
        let wanted = String(port, radix: 16, uppercase: true)
        let suffix = ":" + String(repeating: "0", count: 4 - wanted.count) + wanted
        return tables.contains { table in
            String(decoding: table, as: UTF8.self).split(whereSeparator: \.isNewline).dropFirst()
                .contains { line in
                    // SL LOCAL REMOTE …
                    let words = line.split(separator: " ")
                    guard words.count > 2, words[1].hasSuffix(suffix) else { return false }
                    let local = words[1].dropLast(suffix.count)
                    return local.allSatisfy { $0 == "0" } || local == hexadecimal(address)
                        // An IPv4 address as a socket of IPv6 has it.
                        || address.family == .v4 && local.hasSuffix(hexadecimal(address))
                }
        }
    }

    /// As the kernel prints it: each word of 32 bits in the order of the machine.
    private static func hexadecimal(_ address: IPAddress) -> String {
        let bytes = address.bytes
        return stride(from: 0, to: bytes.count, by: 4).map { start in
            let word = bytes[start..<start + 4].enumerated().reduce(UInt32(0)) {
                $0 | UInt32($1.element) << (8 * UInt32($1.offset))
            }
            let digits = String(word, radix: 16, uppercase: true)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }
}
