import Glibc
import JSON
import LinuxSystem
import TestSupport

/// A network that a host may come into.
struct Surroundings {
    let address: String
    let gateway: String
    let server: String
    let search: String?
    let ssid: String?

    static let home = Surroundings(
        address: "192.168.77.2/24", gateway: "192.168.77.1", server: "192.168.77.1",
        search: "lan", ssid: nil)
    static let office = Surroundings(
        address: "10.77.0.2/16", gateway: "10.77.0.1", server: "10.77.0.53",
        search: "corp.example.com", ssid: nil)
    static let cafe = Surroundings(
        address: "172.20.77.2/24", gateway: "172.20.77.1", server: "172.20.77.1", search: nil,
        ssid: "Café")
}

/// A host that moves between networks while On Demand follows.
final class OnDemandSite {
    private static let interface = "lan0"

    let site: Installation
    private var service: Command?
    private let options: [String]

    /// Nobody follows yet, and there is no network.
    init(_ options: String...) throws {
        site = try Installation()
        self.options = options
        try Kernel.ip("link", "add", Self.interface, "type", "veth", "peer", "name", "lan1")
        for interface in [Self.interface, "lan1"] {
            try Kernel.ip("link", "set", interface, "addrgenmode", "none")
            try Kernel.ip("link", "set", interface, "up")
        }
    }

    deinit {
        kill()
        _ = try? Command.run(["ip", "link", "delete", Self.interface])
    }

    // MARK: The network

    /// Comes into a network, out of whichever it was in.
    func enter(_ place: Surroundings) throws {
        try leave()
        let search = place.search.map { "search \($0)\n" } ?? ""
        try site.write("nameserver \(place.server)\n\(search)", to: "etc/resolv.conf")
        try site.write(place.ssid.map { "\(Self.interface) \($0)\n" } ?? "", to: "etc/ssid")
        try Kernel.ip("addr", "add", place.address, "dev", Self.interface)
        try Kernel.ip("route", "add", "default", "via", place.gateway, "dev", Self.interface)
    }

    /// Is in no network any more.
    func leave() throws {
        try Kernel.ip("addr", "flush", "dev", Self.interface)
    }

    // MARK: The service

    /// Starts the service, and waits until it has looked around.
    func follow() throws {
        let command = site.command(
            ["ondemand", "run", "--ssid-file=\(site.root)/etc/ssid"] + options)
        service = try Command(command)
        try until("the service follows") {
            if try service?.statusIfEnded() != nil { throw Unexpected("the service has ended") }
            return try FileLock.isHeld("\(site.root)/run/utunctl/ondemand.lock")
        }
    }

    /// Starts a service that is killed when it comes to a point; whether it came to it before the
    /// tunnel was connected and all was quiet.
    func followAndBeKilled(at point: KillPoint, whenConnected name: String) throws -> Bool {
        let run = ["ondemand", "run", "--ssid-file=\(site.root)/etc/ssid"]
        let doomed = try Command(point.command(site.command(run + options)))
        defer {
            // The service itself: it would outlive the one that traces it.
            for process in RunningProcess.all(with: "\(site.root) ondemand") {
                Glibc.kill(process.pid, SIGKILL)
            }
            _ = try? doomed.finish(seconds: 10)
        }
        for _ in 0..<200 {
            if try doomed.statusIfEnded() != nil { return true }
            if try site.word(name) == "connected" {
                usleep(600_000)
                return try doomed.statusIfEnded() != nil
            }
            usleep(10_000)
        }
        return false
    }

    /// The process of the service.
    var servicePID: Int32 { service?.pid ?? 0 }

    /// Ends it as a crash would.
    func kill() {
        service?.signal(SIGKILL)
        _ = try? service?.finish(seconds: 10)
        service = nil
    }

    /// Ends it as systemd would; answers what it said.
    func end() throws -> Command.Result {
        service?.signal(SIGTERM)
        defer { service = nil }
        guard let result = try service?.finish(seconds: 10) else {
            throw Unexpected("no service runs")
        }
        return result
    }

    // MARK: What is seen

    /// Saves a tunnel with rules, armed.
    func save(_ name: String, rules: String, _ settings: String...) throws {
        var arguments = ["save", name]
        for setting in ["onDemand.rules=\(rules)", "onDemand.enabled=true"] + settings {
            arguments += ["--set", setting]
        }
        let result = try Command.run(site.command(arguments))
        guard result.status == 0 else { throw Unexpected("save \(name): \(result)") }
    }

    /// How often the service wakes up in so many milliseconds, beyond what steps of the wall clock
    /// make of it: it hears of each, as the end of a sleep is one.
    func wakeUps(in milliseconds: Int64) throws -> Int {
        let clock = try SleepWatch()
        let service = RunningProcess(pid: servicePID)
        let before = service.sleeps ?? 0
        let end = Deadline.after(milliseconds: milliseconds)
        var steps = 0
        while try !LineClient.wait(for: [(clock.raw, .readable)], until: end).isEmpty {
            _ = clock.hasSlept()
            steps += 1
        }
        let woken = (service.sleeps ?? 0) - before
        // A step at the very beginning or end may be counted on one side alone.
        return steps == 0 ? woken : max(0, woken - steps - 2)
    }

    /// How On Demand stands to a tunnel.
    func state(_ name: String) throws -> String? {
        try site.status(name).value("onDemand.state")?.string
    }

    /// Waits until a tunnel has a status, or On Demand stands to it so.
    func expect(_ name: String, _ word: String, seconds: Double = 10) throws {
        try until("\(name) is \(word)", seconds: seconds) {
            try site.word(name) == word || state(name) == word
        }
    }

    /// Waits until something is so.
    func until(_ what: String, seconds: Double = 10, _ isSo: () throws -> Bool) throws {
        for _ in 0..<Int(seconds * 100) {
            if try isSo() { return }
            usleep(10_000)
        }
        let status = (try? site.utunctl("status", "--json").output) ?? ""
        throw Unexpected("not in \(seconds) s: \(what); \(status)")
    }
}
