/// A key of `status --json`, in words.
struct StatusKey {
    /// The path below the tunnel; `[]` stands for the elements of a list.
    let path: String
    let meaning: String

    private init(_ path: String, _ meaning: String) {
        self.path = path
        self.meaning = meaning
    }

    /// The directory of the schemas.
    static let schemas = "/usr/share/utunctl/schema"

    /// All keys, in their order.
    static let all = [
        StatusKey("name", "its name; null where nobody knows it any more"),
        StatusKey("identifier", "the UUID that stays when the name changes"),
        StatusKey("title", "free text"),
        StatusKey("enabled", "whether it may be started"),
        StatusKey(
            "status",
            "invalid, disconnected, waiting (for traffic), connecting, connected, reasserting,"
                + " disconnecting or unknown"),
        StatusKey("reason", "the session's words on its status, or what systemd is about to do"),
        StatusKey("savedGeneration", "the generation that is saved"),
        StatusKey("runningGeneration", "the generation that runs"),
        StatusKey("restartNeeded", "whether what runs is not what is saved"),
        StatusKey("restartReasons", "the keys in which they differ"),
        StatusKey("origin", "who started it: user, ondemand or systemd"),
        StatusKey("onDemand", "null where onDemand.enabled is false, else what follows"),
        StatusKey(
            "onDemand.state",
            "notRunning, paused, held, following, noNetwork, probing, overruled, idle, retrying or"
                + " suspended"),
        StatusKey("onDemand.action", "what its rules say: connect, disconnect or ignore"),
        StatusKey("onDemand.rule", "the rule that says so, from 1; null where none matches"),
        StatusKey("onDemand.when", "of connect: now or traffic"),
        StatusKey("onDemand.reason", "why, in words"),
        StatusKey("onDemand.since", "since when they say that"),
        StatusKey("onDemand.failures", "how often in a row it has failed"),
        StatusKey("onDemand.failure", "why it failed last"),
        StatusKey("onDemand.nextTry", "when it is tried again"),
        StatusKey("hold", "since and origin of a person's stop, which On Demand does not overrule"),
        StatusKey("attempt", "the session"),
        StatusKey("connectedSince", "since when it is connected"),
        StatusKey("lastVerified", "when the far end last proved to live"),
        StatusKey("provider.identifier", "the provider that runs"),
        StatusKey("provider.pid", "its process"),
        StatusKey("provider.report", "what it says itself"),
        StatusKey("provider.peersLeftOut", "how many of its peers --peers would add"),
        StatusKey("interface.name", "the interface"),
        StatusKey("interface.index", "its index in the kernel"),
        StatusKey("interface.mtu", "its MTU"),
        StatusKey("interface.mtuOrigin", "what the MTU follows from"),
        StatusKey("interface.addresses", "its addresses, with the length of their network"),
        StatusKey("interface.routes", "the networks that go by it"),
        StatusKey("interface.routesLeftOut", "how many of these --peers would add"),
        StatusKey("interface.rules", "its rules of routing policy"),
        StatusKey("interface.networkNamespace", "the session's, where the reader is in another"),
        StatusKey(
            "interface.restored",
            "how often addresses, routes, rules, firewall and dns were put back"),
        StatusKey("counters.scope", "interface: they are the kernel's, of the interface"),
        StatusKey("counters.estimate", "true: no accounting"),
        StatusKey("counters.countsFrom", "time and interfaceIndex of the interface's creation"),
        StatusKey("counters.receivedBytes", "as sentBytes: what came and went inside the tunnel"),
        StatusKey("counters.receivedPackets", "as sentPackets"),
        StatusKey("counters.receivedErrors", "as sentErrors"),
        StatusKey("counters.receivedDropped", "as sentDropped"),
        StatusKey(
            "underlying[]",
            "with --counters: name, index, kind and counters of the interfaces underneath"),
        StatusKey("routing.mode", "plain, enforced or all"),
        StatusKey("routing.excluded", "the networks that the tunnel does not take"),
        StatusKey("routing.ipv6", "tunnel, block or leave: what is done about other IPv6"),
        StatusKey("firewall.mode", "none, antispoof, killSwitch or blocked"),
        StatusKey("firewall.present", "whether the kernel has it"),
        StatusKey("firewall.pausedUntil", "until when the block is lifted"),
        StatusKey("dns.backend", "resolved or file; null where it brings no resolver"),
        StatusKey("dns.servers", "whom it has this host ask"),
        StatusKey("dns.searchDomains", "what is put behind short names"),
        StatusKey("dns.matchDomains", "what they are asked for; none is everything"),
        StatusKey("dns.tls", "whether they are asked by TLS"),
        StatusKey("dns.verified", "whether that was found in force"),
        StatusKey("lastDisconnect.attempt", "the session that ended"),
        StatusKey("lastDisconnect.time", "when; null where nobody knows"),
        StatusKey("lastDisconnect.code", "why: utunctl help disconnect-codes"),
        StatusKey("lastDisconnect.text", "the same in words"),
        StatusKey(
            "lastDisconnect.kind",
            "whose matter it is: user, configuration, network, server, authentication, trust,"
                + " provider or host"),
        StatusKey("lastDisconnect.hint", "who mends it, and how"),
        StatusKey("warnings[].code", "what is not as it should be: utunctl help warnings"),
        StatusKey("warnings[].text", "the same in words"),
        StatusKey("warnings[].degrades", "whether it makes a connected tunnel degraded"),
        StatusKey("hostVersion", "the version of the program that its session host is of"),
        StatusKey(
            "readings[]",
            "with --explain: reading, finding, source and age in microseconds of each"),
    ]
}
