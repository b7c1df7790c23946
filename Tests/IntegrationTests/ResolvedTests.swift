import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A tunnel's resolver with systemd-resolved, played by a few lines: what is asked, and answered.
///
/// The real one is met by `make test-system`.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ResolvedTests {
    /// Keeps what it is told, one file a verb, and answers from there.
    private static let honest = """
        cd "$ROOT/state" || exit 1
        echo "$@" >>log
        verb=$1; shift; link=$1; shift
        case $verb in revert) rm -f dns domain default-route dnsovertls; exit;; esac
        if [ $# -gt 0 ]; then echo "$@" >$verb; echo changed >../run/systemd/resolve/resolv.conf
        else echo "Link $link (utun0): $(cat $verb 2>/dev/null)"; fi
        """

    private let site: ResolverSite
    private let daemon: Command

    init() throws {
        site = try ResolverSite("nameserver 127.0.0.53\n")
        let root = site.site.root
        for path in ["run/systemd/resolve/netif", "run/dbus", "state", "usr/bin"] {
            try Directory.create("\(root)/\(path)", mode: 0o755)
        }
        let script = """
            import os, socket
            held = []
            for path in ["systemd/resolve/io.systemd.Resolve", "dbus/system_bus_socket"]:
                held.append(socket.socket(socket.AF_UNIX))
                held[-1].bind(path)
                held[-1].listen(64)
            print("ready", flush=True)
            while True:
                for one in held:
                    one.settimeout(0.02)
                    try: one.accept()[0].close()
                    except TimeoutError: pass
            """
        daemon = try Place.here.daemon([
            "sh", "-c", "cd \(root)/run && exec /usr/bin/python3 -c '\(script)'",
        ])
        guard try daemon.output(until: "ready").contains("ready") else {
            throw Unexpected("nobody plays systemd-resolved")
        }
        try install(Self.honest)
    }

    private func install(_ script: String) throws {
        try site.site.write(
            "#!/bin/sh\nROOT=\(site.site.root)\n\(script)\n", to: "usr/bin/resolvectl", mode: 0o755)
    }

    private func state(_ verb: String) -> String? {
        site.site.read("state/\(verb)")?.split(separator: "\n").first.map(String.init)
    }

    private var log: [String] {
        (site.site.read("state/log") ?? "").split(separator: "\n").map(String.init)
    }

    private func end() throws {
        _ = try site.site.utunctl("stop", "--all")
        daemon.signal(SIGKILL)
        _ = try daemon.finish()
    }

    @Test func whatIsSetIsReadBackAndTakenAwayBeforeTheLink() throws {
        try site.save(
            "office", "dns.searchDomains=[\"home.example\"]",
            "dns.matchDomains=[\"corp.example\"]", "dns.tls=true")
        try site.connect()
        let link = try site.site.status("office").value("interface.index")?.integer ?? 0
        #expect(
            log.prefix(8) == [
                "dns \(link) 10.9.0.1", "domain \(link) home.example ~corp.example",
                "default-route \(link) no", "dnsovertls \(link) yes", "dns \(link)",
                "domain \(link)", "default-route \(link)", "dnsovertls \(link)",
            ])
        #expect(try site.dns("backend") == .string("resolved"))
        #expect(try site.dns("verified") == .bool(true))
        #expect(site.text == "nameserver 127.0.0.53\n")
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(log.last == "revert \(link)")
        #expect(state("dns") == nil)
        try end()
    }

    @Test func whatOthersTakeAwayIsPutBackAndCounted() throws {
        try site.save()
        try site.connect()
        #expect(state("domain") == "~.")
        try site.site.write("\n", to: "state/domain")
        try site.site.write("\n", to: "run/systemd/resolve/netif/7")
        #expect(eventually { state("domain") == "~." })
        #expect(
            try eventually {
                try site.site.status("office").value("interface.restored.dns")?.integer == 1
            })
        #expect(try site.warnings() == [])
        // Who can no longer be asked is told of, and the tunnel goes on.
        try install("echo no bus >&2; exit 1")
        try site.site.write("\n", to: "run/systemd/resolve/netif/7")
        #expect(try eventually { try site.warnings() == ["dnsChanged"] })
        #expect(try site.dns("verified") == .bool(false))
        try end()
    }

    @Test(arguments: [
        ("echo Link utun0 is managed. >&2; exit 1", "Link utun0 is managed."),
        ("[ $# -gt 2 ] || echo 'Link 7 (utun0):'", "has dns none, not 10.9.0.1"),
        ("sleep 60", "no answer"), ("kill -9 $$", "SIGKILL"),
    ])
    func whatIsNotInForceRejectsTheSettings(script: String, words: String) throws {
        try install(script)
        try site.save()
        let before = try Kernel.snapshot()
        let start = try site.site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.errors.contains("networkSettingsRejected: dns: "), "\(start)")
        #expect(start.errors.contains(words), "\(start)")
        #expect(try Kernel.snapshot() == before)
        #expect(site.text == "nameserver 127.0.0.53\n")
        try end()
    }

    @Test func aResolvedThatDoesNotAnswerHoldsUpNoStop() throws {
        try site.save()
        try site.connect()
        try install("sleep 60")
        let deadline = Deadline.after(milliseconds: 2500)
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(!deadline.hasPassed)
        #expect(try Kernel.tunnels().isEmpty)
        #expect(eventually { RunningProcess.all(with: "\(site.site.root)/usr/bin").isEmpty })
        try end()
    }

    @Test func withoutItsProgramTheStartIsRefusedBeforeAnythingIsDone() throws {
        #expect(unlink("\(site.site.root)/usr/bin/resolvectl") == 0)
        try site.save()
        let before = try Kernel.snapshot()
        let start = try site.site.utunctl("start", "office")
        #expect(start.status == 10, "\(start)")
        #expect(start.errors.contains("resolvectl: No such file"))
        #expect(try Kernel.snapshot() == before)
        try end()
    }

    @Test func whereProgramsAskSomebodyElseTheFileCounts() throws {
        try site.site.write(ResolverSite.original, to: "etc/resolv.conf")
        try site.save()
        try site.connect()
        #expect(try site.dns("backend") == .string("file"))
        #expect(site.isOurs)
        #expect(log.isEmpty)
        try end()
        #expect(site.text == ResolverSite.original)
    }

    @Test func itIsNotUsedWhereItDoesNotLive() throws {
        daemon.signal(SIGKILL)
        _ = try daemon.finish()
        try site.save()
        try site.connect()
        #expect(try site.dns("backend") == .string("file"))
        #expect(log.isEmpty)
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(site.text == "nameserver 127.0.0.53\n")
    }
}
