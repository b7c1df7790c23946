internal import CAres
internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// Asks name servers by c-ares: one after the other, again when they are silent, over a
/// stream when an answer does not fit.
final class NameServers {
    /// The question that an answer belongs to, kept by c-ares meanwhile.
    private final class Question {
        let lookup: NameLookup
        let family: IPAddress.Family

        init(_ lookup: NameLookup, _ family: IPAddress.Family) {
            self.lookup = lookup
            self.family = family
        }
    }

    private let loop: EventLoop
    private let pool: SocketPool
    /// The addresses of the servers, for people.
    let names: String
    /// C-ares keeps the address of the table and not a copy.
    private let functions: UnsafeMutablePointer<ares_socket_functions>
    private var channel: ares_channel?
    private var watched: Set<CInt> = []
    private var timer: EventLoop.Timer?

    /// Prepares to ask the servers of a request; `nil` when c-ares fails, for want of memory.
    init?(_ request: ResolverRequest, on loop: EventLoop) {
        self.loop = loop
        pool = SocketPool(request.servers.flatMap { $0.datagram + $0.stream })
        names = request.servers.map(\.address.description).joined(separator: ", ")
        functions = .allocate(capacity: 1)
        functions.initialize(to: SocketPool.functions)
        guard ares_library_init(ARES_LIB_INIT_ALL) == ARES_SUCCESS,
            let channel = makeChannel(request)
        else { return nil }
        self.channel = channel
        ares_set_socket_functions(channel, functions, Unmanaged.passUnretained(pool).toOpaque())
        guard Self.setServers(request.servers, of: channel) else { return nil }
    }

    deinit {
        loop.cancel(timer)
        if let channel { ares_destroy(channel) }
        functions.deallocate()
    }

    /// Asks for the addresses of a name of both families at once.
    func lookUp(_ name: String, _ completion: @escaping (ResolverReply) -> Void) {
        let lookup = NameLookup(name, servers: names, completion)
        for (family, type) in [(IPAddress.Family.v4, ns_t_a), (.v6, ns_t_aaaa)] {
            ares_query(
                channel, name, CInt(ns_c_in.rawValue), CInt(type.rawValue),
                { data, status, _, message, length in
                    guard let data else { return }
                    let question = Unmanaged<Question>.fromOpaque(data).takeRetainedValue()
                    let bytes = UnsafeRawBufferPointer(start: message, count: Int(length))
                    question.lookup.answer(question.family, status, bytes)
                },
                Unmanaged.passRetained(Question(lookup, family)).toOpaque())
        }
        updateTimer()
    }

    /// Answers whatever is still open with what is known by now.
    func giveUp() {
        ares_cancel(channel)
    }

    // MARK: Channel

    private func makeChannel(_ request: ResolverRequest) -> ares_channel? {
        var options = ares_options()
        options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_EDNS
        // Each server is asked, and asked again for twice as long, within the whole time.
        let rounds = max(1, request.servers.count) * 4
        options.timeout = CInt(min(2000, max(100, Int(request.timeout) / rounds)))
        options.tries = 3
        // What travels without fragments (DNS flag day 2020).
        options.ednspsz = 1232
        var mask =
            ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_EDNSPSZ
            | ARES_OPT_DOMAINS | ARES_OPT_NOROTATE
        mask |= ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF | ARES_OPT_SOCK_STATE_CB
        options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
        options.sock_state_cb = { data, raw, isReading, isWriting in
            guard let data else { return }
            var interest: EventLoop.Interest = []
            if isReading != 0 { interest.insert(.readable) }
            if isWriting != 0 { interest.insert(.writable) }
            Unmanaged<NameServers>.fromOpaque(data).takeUnretainedValue().watch(raw, interest)
        }
        var channel: ares_channel?
        // The configuration of the system is none of its business: everything is in the request.
        let lookups = strdup("b")
        let configuration = strdup("/dev/null")
        defer {
            free(lookups)
            free(configuration)
        }
        options.lookups = lookups
        options.resolvconf_path = configuration
        return ares_init_options(&channel, &options, mask) == ARES_SUCCESS ? channel : nil
    }

    private static func setServers(
        _ servers: [ResolverRequest.Server],
        of channel: ares_channel
    ) -> Bool {
        let nodes = UnsafeMutablePointer<ares_addr_port_node>.allocate(capacity: servers.count)
        defer { nodes.deallocate() }
        for (index, server) in servers.enumerated() {
            var node = ares_addr_port_node()
            node.family = server.address.family == .v4 ? AF_INET : AF_INET6
            withUnsafeMutableBytes(of: &node.addr) { $0.copyBytes(from: server.address.bytes) }
            node.udp_port = CInt(server.port)
            node.tcp_port = CInt(server.port)
            node.next = index + 1 < servers.count ? nodes + index + 1 : nil
            (nodes + index).initialize(to: node)
        }
        return ares_set_servers_ports(channel, servers.isEmpty ? nil : nodes) == ARES_SUCCESS
    }

    // MARK: Loop

    private func watch(_ raw: CInt, _ interest: EventLoop.Interest) {
        // A socket that cannot be watched stays silent, which ends by the timeout.
        if interest.isEmpty {
            watched.remove(raw)
            loop.remove(raw)
        } else if watched.insert(raw).inserted {
            try? loop.add(raw, interest) { [unowned self] in process(raw, $0) }
        } else {
            try? loop.change(raw, to: interest)
        }
    }

    private func process(_ raw: CInt, _ ready: EventLoop.Interest) {
        // A failed socket is told by whatever call comes next.
        let isGone = !ready.isDisjoint(with: .hangUp)
        ares_process_fd(
            channel,
            isGone || ready.contains(.readable) ? raw : -1,
            isGone || ready.contains(.writable) ? raw : -1)
        updateTimer()
    }

    private func updateTimer() {
        loop.cancel(timer)
        timer = nil
        var left = timeval()
        guard ares_timeout(channel, nil, &left) != nil else { return }
        let milliseconds = Int64(left.tv_sec) * 1000 + Int64(left.tv_usec + 999) / 1000
        timer = loop.schedule(milliseconds: milliseconds) { [unowned self] in
            ares_process_fd(channel, -1, -1)
            updateTimer()
        }
    }
}
