import Glibc
import LinuxSystem
import TestSupport
import Testing

/// The scripts for shells, run by the shells themselves.
@Suite struct CompletionTests {
    /// A root with two configurations, and the script of a shell below it.
    private static func site(_ shell: String) throws -> Installation {
        let site = try Installation()
        for name in ["office", "home"] { try site.save(name) }
        let script = try site.utunctl("completions", shell)
        #expect(script.status == 0, "\(script)")
        try site.write(script.output, to: "script.\(shell)")
        symlink(Installation.built("utunctl"), "\(site.root)/utunctl")
        return site
    }

    private static func run(_ site: Installation, _ command: [String]) throws -> Set<String> {
        let result = try Command.run(
            command,
            environment: [
                "PATH": "\(site.root):/usr/bin:/bin", "UTUNCTL_ROOT": site.root,
                "HOME": site.root, "TERM": "dumb",
            ])
        #expect(result.errors.isEmpty, "\(result)")
        let words = result.output.split(separator: "\n").map { line in
            String(line.prefix { $0 != "\t" })
        }
        return Set(words)
    }

    /// A command line as far as it is typed, and some of what is offered.
    static let lines: [(line: [String], some: Set<String>, none: Set<String>)] = [
        (["st"], ["start", "status", "stop"], ["restart"]),
        (["start", ""], ["office", "home"], ["start"]),
        (["start", "o"], ["office"], ["home"]),
        (["start", "--wait", "h"], ["home"], ["office"]),
        (["start", "--w"], ["--wait"], ["--all", "--accept-fd"]),
        (["save", "--set", "routing.inc"], ["routing.includeAllNetworks"], ["routing.ipv6"]),
        (["save", "--provider", ""], ["org.utunctl.loopback"], ["office"]),
        (["stop", "--origin", ""], ["user", "systemd"], ["office"]),
        (["help", "exi"], ["exit-status"], ["start"]),
        (["profiles", ""], ["list", "show", "remove"], ["office"]),
        (["doctor", "leaks", ""], ["office", "home"], ["leaks"]),
        (["completions", ""], ["bash", "zsh", "fish"], ["office"]),
        (["wait", "office", "--for", ""], ["connected", "handshake", "traffic"], ["office"]),
        (["wait", "--for", "disc"], ["disconnected"], ["connected"]),
        (["log", "--attempt", ""], ["last", "all"], ["ID", "office"]),
        (["export", "--format", ""], ["wg-quick"], ["FORMAT", "office"]),
        (["rename", ""], ["office", "home"], []),
        (["rename", "office", ""], [], ["office", "home"]),
        (["start", "office", ""], [], ["office", "home"]),
        (["start", "--timeout", "3", ""], ["office", "home"], []),
        (["stop", "office", ""], ["home"], []),
        (["doctor", "leaks", "office", ""], [], ["office", "home"]),
        (["profiles", "show", "office", ""], [], ["office", "home"]),
    ]

    /// Has bash offer what comes next in its arguments.
    private static func bash(_ site: Installation) -> String {
        """
        source \(site.root)/script.bash
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _utunctl
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    }

    @Test func noNameOfAFileIsRunOrTornApartByBash() throws {
        let site = try Self.site("bash")
        let mark = "\(site.root)/ran"
        for name in ["$(touch $MARK)", "`touch $MARK`", "a b", "office.key"] {
            try site.write("secret", to: "etc/utunctl/credentials/\(name)", mode: 0o600)
            try site.write("{}", to: "etc/utunctl/providers.d/\(name).json")
            try site.write("", to: "files/\(name)")
        }
        let lines = [
            (["credential", "remove", ""], Set(["office.key"])),
            (["--root", site.root, "save", "x", "--provider", "o"], ["org.utunctl.loopback"]),
            (["enroll", "files/"], Set(["$(touch $MARK)", "`touch $MARK`", "a b", "office.key"])),
        ]
        for (line, expected) in lines {
            let offered = try Self.run(
                site,
                [
                    "bash", "--norc", "-c", "cd \(site.root); MARK=\(mark); \(Self.bash(site))",
                    "bash", "utunctl",
                ] + line)
            let names = Set(offered.map { AtomicFile.split($0).name })
            #expect(names.isSuperset(of: expected), "\(line): \(offered)")
            #expect(line[0] == "enroll" || !names.contains { $0.contains("touch") })
        }
        #expect(!Directory.holds(mark))
    }

    @Test func bashOffersWhatFits() throws {
        let site = try Self.site("bash")
        let script = Self.bash(site)
        for (line, some, none) in Self.lines {
            let offered = try Self.run(
                site, ["bash", "--norc", "-c", script, "bash", "utunctl"] + line)
            #expect(some.isSubset(of: offered) && none.isDisjoint(with: offered), "\(line)")
        }
        // Bash takes the sign of equality for a word of its own.
        let attached = try Self.run(
            site,
            ["bash", "--norc", "-c", script, "bash", "utunctl", "save", "--set", "=", "dns.s"])
        #expect(attached == ["dns.servers", "dns.searchDomains"])
    }

    @Test(.enabled("fish is not installed") { access("/usr/bin/fish", X_OK) == 0 })
    func fishOffersWhatFits() throws {
        let site = try Self.site("fish")
        for (line, some, none) in Self.lines {
            let typed = (["utunctl"] + line).joined(separator: " ")
            let offered = try Self.run(
                site,
                [
                    "fish", "--no-config", "-c",
                    "source \(site.root)/script.fish; complete -C '\(typed)'",
                ])
            #expect(some.isSubset(of: offered) && none.isDisjoint(with: offered), "\(line)")
        }
    }

    @Test(.enabled("zsh is not installed") { access("/usr/bin/zsh", X_OK) == 0 })
    func zshTakesItsScript() throws {
        let site = try Self.site("zsh")
        let loaded = try Self.run(
            site,
            [
                "zsh", "-f", "-c",
                "autoload -U compinit; compinit -D -u; source \(site.root)/script.zsh;"
                    + " print $_comps[utunctl]",
            ])
        #expect(loaded == ["_utunctl"])
    }

    /// Scripts ask as whoever types, who may not be one who may read.
    @Test func whatCannotBeReadIsNoWordAndNoError() throws {
        let site = try Installation()
        try site.write("{", to: "etc/utunctl/preferences.json", mode: 0o600)
        for kind in ["configurations", "providers", "keys", "profiles", "credentials", "other"] {
            let words = try site.utunctl("completions", "--words", kind)
            #expect(words.status == 0 && words.errors.isEmpty, "\(words)")
        }
    }
}
