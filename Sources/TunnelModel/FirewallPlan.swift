/// The firewall table of one tunnel: everything that its rules depend on, and what they are.
///
/// A table is always written as a whole, in one transaction, so that at no moment a part of it is
/// in force.
package struct FirewallPlan: Equatable, Sendable {
    /// The mark and the owner by which packets of our own sockets are known.
    package struct Sockets: Equatable, Sendable {
        package let mark: UInt32
        /// The user that the provider's sockets belong to.
        package let provider: UInt32
        /// The user that the resolver's sockets belong to.
        package let resolver: UInt32

        package init(mark: UInt32, provider: UInt32, resolver: UInt32) {
            self.mark = mark
            self.provider = provider
            self.resolver = resolver
        }
    }

    /// The name of the table.
    package let table: String
    /// The name of the configuration.
    package private(set) var name: String
    package let sockets: Sockets
    package private(set) var routing: RoutingSettings
    /// The index of the tunnel's interface; 0 while there is none.
    package var link: UInt32 = 0
    package var mtu: UInt32 = 0
    /// The addresses of the tunnel.
    package var addresses: [IPAddress] = []
    /// Where the tunnel's own packets go.
    package var endpoints: Set<FirewallEndpoint> = []
    /// Whether answers of endpoints and resolvers are to carry the mark, for filters of the
    /// reverse path.
    package var marksReplies = false
    /// The resolvers that are asked beside the tunnel.
    package var resolvers: [IPAddress] = []
    /// The networks on the links of this host, where they are left out of the tunnel.
    package var localNetworks: [IPPrefix] = []
    /// The links that forward packets only because this tunnel has them do it.
    package var forwardingLinks = ForwardingLinks()
    /// Whether the tunnel runs; a kill switch of one that does not lets nothing of it out.
    package var isRunning = true
    /// For how many more seconds the block is lifted.
    package var pauseSeconds: UInt32 = 0

    /// The table of a configuration, in the form that it has without a tunnel.
    package init(table: String, configuration: Configuration, sockets: Sockets) {
        self.table = table
        name = configuration.name
        routing = configuration.routing
        self.sockets = sockets
    }

    /// Takes over what another state of the configuration says.
    package mutating func follow(_ configuration: Configuration) {
        name = configuration.name
        routing = configuration.routing
    }

    /// What the table is there for.
    package var mode: FirewallMode {
        guard routing.mode == .all else { return .antispoof }
        return isRunning ? .killSwitch : .blocked
    }

    /// What the table says of itself.
    package var label: FirewallLabel {
        FirewallLabel(mode: mode, link: link, lockdown: routing.lockdown, name: name)
    }

    /// The name of the set whose elements lift the block for as long as they last.
    package static let pauseSet = "pause"

    /// The transaction that puts the table in the place of what there is of it.
    package var text: String { text(isThere: true) }

    /// The transaction that writes the table; where none is there that is all of it, as the
    /// kernel takes some milliseconds to be done with one that is deleted.
    package func text(isThere: Bool) -> String {
        let body = (sets + chains.map(\.text)).joined(separator: "\n")
        // Without the pause: what it changes is no other table.
        let hash = String(Fingerprint(of: body).text.prefix(8))
        let pause = mode.blocks ? [pauseText] : []
        let former = isThere ? "table inet \(table)\ndelete table inet \(table)\n" : ""
        return """
            \(former)table inet \(table) {
            comment "\(label.text(hash: hash))"
            \((pause + [body]).joined(separator: "\n"))
            }

            """
    }

    /// The transaction that lifts the block of a table for some seconds, or no longer.
    package static func pauseText(table: String, seconds: UInt32) -> String {
        let flush = "flush set inet \(table) \(pauseSet)\n"
        guard seconds > 0 else { return flush }
        return flush + "add element inet \(table) \(pauseSet) { \(pauseElements(seconds)) }\n"
    }

    /// The transaction that blocks everything until the tunnel runs.
    package var blocked: FirewallPlan {
        var plan = self
        plan.isRunning = false
        plan.endpoints = []
        plan.resolvers = []
        plan.pauseSeconds = 0
        return plan
    }

    // The kernel takes the elements away when their time is up, whoever lives then.
    private var pauseText: String {
        let elements = Self.pauseElements(pauseSeconds)
        return "set \(Self.pauseSet) { type nf_proto; flags timeout;"
            + (pauseSeconds > 0 ? " elements = { \(elements) }; }" : " }")
    }

    private static func pauseElements(_ seconds: UInt32) -> String {
        "ipv4 timeout \(seconds)s, ipv6 timeout \(seconds)s"
    }
}

/// A chain of a table, in the words of nft(8).
package struct FirewallChain: Equatable, Sendable {
    package let name: String
    /// What a base chain is hooked to; `nil` for one that others jump to.
    package let hook: String?
    package let rules: [String]

    init(_ name: String, hook: String? = nil, _ rules: [String]) {
        self.name = name
        self.hook = hook
        self.rules = rules
    }

    var text: String {
        let lines = [hook].compactMap(\.self) + rules
        return "chain \(name) {\n\(lines.map { "\t\($0)\n" }.joined())}"
    }
}
