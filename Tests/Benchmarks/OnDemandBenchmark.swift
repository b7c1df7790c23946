import Glibc
import JSON
import LinuxSystem
import OnDemand
import TestSupport
import TunnelModel

/// How soon On Demand follows the network, and what it costs while that stays as it is.
struct OnDemandBenchmark {
    private static let interface = "bench0"
    private static let address = "192.168.78.2/24"
    private static let rounds = 15
    private static let configurations = 500
    private static let idleSeconds: UInt32 = 5
    /// How long the service waits for further changes.
    private static let debounce = 200.0

    private let site: Installation

    init(_ site: Installation) {
        self.site = site
    }

    func figures() throws -> [Figure] {
        try setUp()
        defer {
            _ = try? Command.run(["ip", "link", "delete", Self.interface])
            _ = try? site.utunctl("remove", "bench")
        }
        let service = try site.start("ondemand", "run")
        defer {
            service.signal(SIGTERM)
            _ = try? service.finish(seconds: 10)
        }
        let delay = try delays().median - Self.debounce
        sleep(1)
        let before = try IdleBenchmark.wakeUps(service.pid)
        sleep(Self.idleSeconds)
        let woken = try IdleBenchmark.wakeUps(service.pid) - before
        return [
            Figure(
                name: "from a change of the network to the start, less the debounce",
                value: delay, limit: .atMost(250), unit: "ms",
                detail: "median of \(Self.rounds)"),
            Figure(
                name: "wake-ups of an idle service of On Demand",
                value: woken / Double(Self.idleSeconds), limit: .atMost(0), unit: "a second",
                detail: "over \(Self.idleSeconds) s"),
            evaluation(),
        ]
    }

    private func setUp() throws {
        try run("link", "add", Self.interface, "type", "veth", "peer", "name", "bench1")
        for interface in [Self.interface, "bench1"] {
            try run("link", "set", interface, "addrgenmode", "none")
            try run("link", "set", interface, "up")
        }
        try site.write("nameserver 192.168.78.1\n", to: "etc/resolv.conf")
        try site.save(
            "bench", #"onDemand.rules=[{"action": "connect"}, {"action": "disconnect"}]"#,
            "onDemand.enabled=true")
    }

    private func run(_ arguments: String...) throws {
        let result = try Command.run(["ip"] + arguments)
        guard result.status == 0 else { throw Unexpected("ip \(arguments): \(result)") }
    }

    /// From the default route to the session's record, in milliseconds.
    private func delays() throws -> [Double] {
        let record = "\(site.root)/run/utunctl/\(try site.identifier(of: "bench")).sock"
        var delays: [Double] = []
        for _ in 0..<Self.rounds {
            try run("addr", "add", Self.address, "dev", Self.interface)
            try run("route", "add", "default", "via", "192.168.78.1", "dev", Self.interface)
            let start = Clock.monotonicNanoseconds
            while access(record, F_OK) != 0 { usleep(500) }
            delays.append(Double(Clock.monotonicNanoseconds - start) / 1e6)
            try run("addr", "flush", "dev", Self.interface)
            // The hold of a person's stop, and its end, are no start too many.
            _ = try site.utunctl("stop", "bench")
            usleep(500_000)
            _ = try site.utunctl("ondemand", "resume", "bench")
            usleep(500_000)
        }
        return delays
    }

    /// The rules of many tunnels, held against one network: none matches but the last.
    private func evaluation() -> Figure {
        var rule = OnDemandRule(.disconnect)
        rule.interfaceType = .ethernet
        rule.dnsServerAddress = ["10.0.0.1", "10.0.0.2"]
        var settings = OnDemandSettings()
        settings.rules = Array(repeating: rule, count: 4) + [OnDemandRule(.connect)]
        let all = Array(repeating: settings, count: Self.configurations)
        let network = NetworkSnapshot(
            time: Timestamp(microseconds: 0),
            underlying: NetworkSnapshot.Link(interface: Self.interface, index: 2, kind: .ethernet),
            dnsServers: ["10.0.0.1", "10.0.0.3"].compactMap { IPAddress($0) })
        var times: [Double] = []
        for _ in 0..<Self.rounds {
            let start = Clock.monotonicNanoseconds
            for settings in all { _ = settings.evaluate(on: network) }
            times.append(Double(Clock.monotonicNanoseconds - start) / 1e6)
        }
        return Figure(
            name: "rules of \(Self.configurations) configurations, evaluated",
            value: times.median, limit: .atMost(20), unit: "ms", detail: "5 rules each")
    }
}
