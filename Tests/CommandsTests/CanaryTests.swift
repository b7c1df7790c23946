import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Secrets that must come out nowhere but in their files.
@Suite struct CanaryTests {
    private static let secrets = [
        EnrolledRoot.privateKey, EnrolledRoot.presharedKey, "canary-word",
    ]

    private let site: EnrolledRoot

    init() throws {
        site = try EnrolledRoot()
    }

    private func holdsNone(_ text: String) -> Bool {
        // Not even a piece of one.
        !Self.secrets.contains { text.contains(String($0.prefix(11))) }
    }

    private func check(_ run: Command.Result, _ arguments: [String]) {
        #expect(holdsNone(run.output), "\(arguments): \(run)")
        #expect(holdsNone(run.errors), "\(arguments): \(run)")
    }

    @Test func noOutputHoldsASecret() throws {
        let root = site.root
        try root.write("/office.conf", EnrolledRoot.file(), mode: 0o600)
        let conf = root.path("/office.conf")
        let commands = [
            ["enroll", conf], ["enroll", conf, "--name", "office", "--dry-run"],
            ["enroll", conf, "--name", "office"], ["enroll", conf, "--name", "office"],
            ["enroll", conf, "--name", "office", "--replace"],
            ["enroll", conf, "--name", "office", "--replace", "--dry-run"],
            ["save", "office", "--title", "x"],
            ["save", "office", "--dry-run", "--unset", "title"],
            ["load"], ["load", "office"], ["status"], ["status", "office", "--explain"],
            ["providers"], ["doctor"], ["start", "office"], ["stop", "office"],
            ["credential", "list"], ["credential", "remove", "office.privateKey"],
            ["save", "office", "--set", "credentials.privateKey=canary-word"],
            ["remove", "office"], ["credential", "list"],
        ]
        for arguments in commands {
            for options in [["--json"], ["--quiet"], []] {
                check(try root.run(arguments + options), arguments + options)
            }
        }
        let set = try root.run(["credential", "set", "k", "--json"], input: "canary-word")
        #expect(set.status == 0)
        check(set, ["credential", "set"])
        check(
            try root.run(["credential", "set", "k"], input: "canary-word"), ["credential", "set"])
        // The probe must not be blind.
        #expect(site.credential("k") == "canary-word")
        #expect(site.credential("office.privateKey") == EnrolledRoot.privateKey)
        for path in root.contents
        where !path.hasPrefix("/etc/utunctl/credentials/") && !path.hasPrefix("/usr")
            && path != "/office.conf"
        {
            #expect(holdsNone(root.read(path) ?? ""), "\(path)")
        }
    }

    @Test func whatASignedFileHoldsComesOutNowhere() throws {
        let root = site.root
        let authority = try CertificateAuthority()
        try authority.issue("signer")
        try authority.issue("other")
        let accept = try ["signer", "other"].flatMap {
            ["--accept-signer", try authority.fingerprint($0)]
        }
        for encoding in ["DER", "PEM"] {
            let signed = try authority.sign(
                EnrolledRoot.file(), by: ["signer"], encoding: encoding)
            let bad = try authority.sign(
                EnrolledRoot.file(peer: "Nonsense = \(EnrolledRoot.presharedKey)"),
                by: ["other"], encoding: encoding)
            for path in [signed, bad] {
                for options in [[], ["--name", "office"], ["--name", "office", "--dry-run"]] {
                    for more in [[], accept, ["--json"] + accept] {
                        let arguments = ["enroll", path, "--replace"] + options + more
                        check(try root.run(arguments), arguments)
                    }
                }
            }
        }
        for arguments in [["profiles"], ["profiles", "show", "office"]] {
            check(try root.run(arguments), arguments)
            check(try root.run(arguments + ["--json"]), arguments)
        }
        check(try root.run(["profiles", "remove", "office"]), ["profiles", "remove"])
        // The probe must not be blind.
        let signed = try authority.sign(EnrolledRoot.file(), by: ["signer"])
        #expect(
            try root.run(
                ["enroll", signed, "--replace", "--name", "office"] + accept
            ).status == 0)
        #expect(site.credential("office.privateKey") == EnrolledRoot.privateKey)
        for path in root.contents
        where !path.hasPrefix("/etc/utunctl/credentials/") && !path.hasPrefix("/usr") {
            #expect(holdsNone(root.read(path) ?? ""), "\(path)")
        }
    }

    @Test func noArgumentAndNoVariableOfAHelperHoldsASecret() throws {
        let path = "/usr/libexec/utunctl/utunctl-keys"
        unlink(site.root.path(path))
        try site.root.write(
            path,
            "#!/bin/sh\ncat /proc/$$/cmdline /proc/$$/environ >\"\(site.root.path)/seen\"\n"
                + "cat >\"\(site.root.path)/given\"\n", mode: 0o755)
        _ = try site.root.run(["genkey", "k"])
        let given = try #require(site.root.read("/given"))
        #expect(given.utf8.count == 44)
        #expect(site.root.read("/seen")?.contains("/bin/sh") == true)
        #expect(site.root.read("/seen")?.contains(given) == false)
    }
}
