import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

@Suite struct CredentialVerbTests {
    private let site: EnrolledRoot
    private var root: TemporaryRoot { site.root }
    private let directory = "/etc/utunctl/credentials"

    init() throws {
        site = try EnrolledRoot()
    }

    private func set(_ name: String, _ secret: String, _ options: String...) throws
        -> Command.Result
    {
        try root.run(["credential", "set", name] + options, input: secret)
    }

    @Test(arguments: [
        ("hunter2", "hunter2"), ("hunter2\n", "hunter2"), ("hunter2\r\n", "hunter2"),
        ("hunter2\n\n", "hunter2\n"), (" hunter 2 ", " hunter 2 "), ("a\nb\n", "a\nb"), ("é", "é"),
    ])
    func aSecretComesByStandardInputWithoutItsLastLineEnd(given: String, kept: String) throws {
        let run = try set("k", given)
        #expect(run.status == 0)
        #expect(run.output == "set k\n")
        #expect(run.errors == "")
        #expect(site.credential("k") == kept)
        #expect(root.mode("\(directory)/k") == 0o600)
        #expect(root.mode(directory) == 0o700)
        #expect(root.contents.filter { $0.contains("/.") }.isEmpty)
    }

    @Test func whatAKeyGeneratorPrintsIsAKey() throws {
        let run = try Command.run([
            "sh", "-c", "wg genkey | tee \"$0/key\" | \"$1\" --root \"$0\" credential set x",
            root.path, Installation.built("utunctl"),
        ])
        #expect(run.status == 0, "\(run)")
        let key = try #require(root.read("/key"))
        #expect(site.credential("x") == String(key.dropLast()))
    }

    /// The name, the secret, the status and the code of the failure.
    @Test(
        arguments: [
            ("", "x", 7, "credentialNameInvalid"), ("a/b", "x", 7, "credentialNameInvalid"),
            ("..", "x", 7, "credentialNameInvalid"), (".k", "x", 7, "credentialNameInvalid"),
            (String(repeating: "x", count: 129), "x", 7, "credentialNameInvalid"),
            ("k", "", 7, "secretEmpty"), ("k", "\n", 7, "secretEmpty"),
            ("k", String(repeating: "x", count: 65_537), 7, "secretTooLarge"),
        ] as [(String, String, Int32, String)])
    func whatIsNoSecretIsRefused(name: String, secret: String, status: Int32, code: String)
        throws
    {
        try root.write("/secret", secret)
        let run = try Command.run([
            "sh", "-c", "exec \"$1\" --root \"$0\" --json credential set \"$2\" <\"$0/secret\"",
            root.path, Installation.built("utunctl"), name,
        ])
        #expect(run.status == status)
        #expect(run.json?["error"]?.object?["code"]?.string == code)
        #expect(site.state.isEmpty)
    }

    @Test func aSecretThatIsThereIsNotReplacedUnasked() throws {
        _ = try set("k", "old")
        let refused = try set("k", "new")
        #expect(refused.status == 7)
        #expect(refused.errors.contains("there is a credential k already\n--replace puts"))
        #expect(site.credential("k") == "old")
        #expect(try set("k", "new", "--replace").status == 0)
        #expect(site.credential("k") == "new")
    }

    @Test func theFileIsForItsOwnerAloneFromTheFirstByteWhateverTheUmask() throws {
        let writer = try Command([
            "sh", "-c",
            """
            umask 0
            head -c 60000 /dev/zero >"$0/secret"
            for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
                "$1" --root "$0" --quiet credential set --replace k <"$0/secret"
            done
            touch "$0/done"
            """, root.path, Installation.built("utunctl"),
        ])
        // The probe must not be blind: it has to see files that are being written.
        var temporary = 0
        while root.read("/done") == nil {
            for name in (try? Directory.names(root.path(directory))) ?? [] {
                guard let mode = root.mode("\(directory)/\(name)") else { continue }
                #expect(mode == 0o600)
                if name.hasPrefix(".") { temporary += 1 }
            }
        }
        #expect(try writer.finish().status == 0)
        #expect(temporary > 0)
        #expect(root.mode(directory) == 0o700)
    }

    @Test func theListTellsNamesAndUsersAndNeverASecret() throws {
        try site.enroll()
        _ = try set("spare", "hunter2")
        chmod(root.path("\(directory)/spare"), 0o644)
        let list = try root.run(["credential", "list"])
        #expect(
            list.output == """
                office.presharedKey1  used by office
                office.privateKey     used by office
                spare                 not used; unusable: mode 0644 lets others read or write it

                """)
        let json = try root.run(["credential", "list", "--json"])
        #expect(
            json.output == """
                {"formatVersion":1,"credentials":[\
                {"name":"office.presharedKey1","usedBy":["office"],"problem":null},\
                {"name":"office.privateKey","usedBy":["office"],"problem":null},\
                {"name":"spare","usedBy":[],\
                "problem":"mode 0644 lets others read or write it"}]}

                """)
    }

    @Test func anEmptyListIsOne() throws {
        let list = try root.run(["credential", "list", "--json"])
        #expect(list.output == "{\"formatVersion\":1,\"credentials\":[]}\n")
        #expect(try root.run(["credential", "list"]).output == "")
    }

    @Test func aSecretThatIsReferredToIsRemovedByForceAlone() throws {
        try site.enroll()
        _ = try set("spare", "x")
        let refused = try root.run(["credential", "remove", "spare", "office.privateKey"])
        #expect(refused.status == 7)
        #expect(refused.errors.contains("office refers to office.privateKey\n--force removes it"))
        #expect(site.credential("spare") == "x")
        #expect(try root.run(["credential", "remove", "spare"]).output == "removed spare\n")
        let forced = try root.run(["credential", "remove", "--force", "office.privateKey"])
        #expect(forced.status == 0)
        #expect(site.credential("office.privateKey") == nil)
    }

    @Test func aMistypedNameRemovesNothing() throws {
        _ = try set("office.key", "x")
        let run = try root.run(["credential", "remove", "ofice.key"])
        #expect(run.status == 7)
        #expect(run.errors.contains("there is no credential ofice.key\ndid you mean office.key?"))
        #expect(try root.run(["credential", "remove", "../../x"]).status == 7)
    }

    @Test(
        arguments: [
            (["credential"], "operand missing"), (["credential", "sett"], "did you mean set?"),
            (["credential", "set"], "takes one NAME"),
            (["credential", "set", "a", "b"], "takes one NAME"),
            (["credential", "list", "a"], "takes no NAME"),
            (["credential", "remove"], "needs a NAME"),
            (["credential", "list", "--replace"], "--replace goes with set"),
            (["credential", "set", "a", "--force"], "--force goes with remove"),
            (["genkey"], "operand missing"), (["genkey", "a", "b"], "unexpected operand b"),
        ] as [([String], String)])
    func usage(arguments: [String], told: String) throws {
        let run = try root.run(arguments)
        #expect(run.status == 2)
        #expect(run.errors.contains(told), "\(run.errors)")
    }

    // MARK: Keys

    @Test func aGeneratedKeyIsKeptAndItsPublicKeyIsWhatWgSays() throws {
        let run = try root.run(["genkey", "office.key"])
        #expect(run.status == 0, "\(run)")
        #expect(run.errors == "")
        let key = try #require(site.credential("office.key"))
        #expect(root.mode("\(directory)/office.key") == 0o600)
        #expect(try Command.run(["wg", "pubkey"], input: key).output == run.output)
        let json = try root.run(["genkey", "other", "--json"])
        let other = try #require(site.credential("other"))
        #expect(key != other)
        #expect(json.json?["credential"]?.string == "other")
        let publicKey = try Command.run(["wg", "pubkey"], input: other).output.dropLast()
        #expect(json.json?["publicKey"]?.string == String(publicKey))
        #expect(!json.output.contains(other) && !run.output.contains(key))
    }

    @Test func aGeneratedKeyReplacesNoneUnasked() throws {
        _ = try set("k", "old")
        let run = try root.run(["genkey", "k"])
        #expect(run.status == 7 && run.output == "")
        #expect(site.credential("k") == "old")
        #expect(try root.run(["genkey", "k", "--replace"]).status == 0)
        #expect(site.credential("k") != "old")
    }

    /// RFC 7748, section 6.1; the second is not clamped, which the function does by itself.
    @Test(arguments: [
        (
            "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=",
            "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
        ),
        (
            "XasIfmJKikt54X+Lg4AO5m87sSkmGLb9HC+LJ/+I4Os=",
            "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="
        ),
    ])
    func theHelperComputesWhatIsPublished(secret: String, publicKey: String) throws {
        for end in ["", "\n"] {
            let run = try Command.run([Installation.built("utunctl-keys")], input: secret + end)
            #expect(run.status == 0 && run.output == publicKey + "\n" && run.errors == "")
        }
    }

    @Test(arguments: [
        "", "\n", "x", "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LC==",
        "dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=\n\n", String(repeating: "A", count: 4000),
    ])
    func theHelperRefusesWhatIsNoKeyWithoutRepeatingIt(secret: String) throws {
        let run = try Command.run([Installation.built("utunctl-keys")], input: secret)
        #expect(run.status == 1 && run.output == "")
        #expect(run.errors.hasPrefix("utunctl-keys: "))
        if secret.utf8.count > 8 { #expect(!run.errors.contains(String(secret.prefix(8)))) }
    }

    /// What stands in the place of the helper, and what is told.
    @Test(
        arguments: [
            (nil, "No such file or directory"), ("#!/bin/sh\nexit 3\n", "did not compute"),
            ("#!/bin/sh\necho nonsense\n", "did not compute"),
        ] as [(String?, String)])
    func withoutItsHelperNoKeyIsMade(helper: String?, told: String) throws {
        let path = "/usr/libexec/utunctl/utunctl-keys"
        unlink(root.path(path))
        if let helper { try root.write(path, helper, mode: 0o755) }
        let run = try root.run(["genkey", "k"])
        #expect(run.status != 0 && run.output == "")
        #expect(run.errors.contains(told), "\(run.errors)")
        #expect(site.credential("k") == nil)
    }

    // MARK: The terminal

    /// Types on a terminal of its own and says how the program ended, what it showed, and
    /// whether what is typed is shown again.
    private func onATerminal(_ typed: String) throws -> Command.Result {
        try Command.run([
            "python3", "-c",
            """
            import os, pty, sys, termios, time
            pid, fd = pty.fork()
            if pid == 0:
                os.execv(sys.argv[1], [sys.argv[1], "--root", sys.argv[2], "credential", "set", "k"])
            shown = b""
            while b": " not in shown:
                shown += os.read(fd, 1024)
            os.write(fd, sys.argv[3].encode("unicode_escape").decode("unicode_escape").encode())
            try:
                while True:
                    part = os.read(fd, 1024)
                    if not part: break
                    shown += part
            except OSError:
                pass
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            print(shown.decode(), "echo" if termios.tcgetattr(fd)[3] & termios.ECHO else "hidden")
            sys.exit(status)
            """, Installation.built("utunctl"), root.path, typed,
        ])
    }

    @Test func whatIsTypedIsNotShown() throws {
        let run = try onATerminal("hunter2\n")
        #expect(run.status == 0, "\(run)")
        #expect(run.output.contains("secret for k: \r\nset k\r\n echo"), "\(run)")
        #expect(!run.output.contains("hunter2"))
        #expect(site.credential("k") == "hunter2")
    }

    @Test func anInterruptionWritesNothingAndShowsAgainWhatIsTyped() throws {
        let run = try onATerminal("hunt\u{3}")
        #expect(run.status == 130, "\(run)")
        #expect(run.output.contains("interrupted; nothing was written"))
        #expect(run.output.contains("echo\n") && !run.output.contains("hunt"))
        #expect(site.credential("k") == nil)
    }

    @Test func theEndOfInputIsNoSecret() throws {
        let run = try onATerminal("\u{4}")
        #expect(run.status == 7, "\(run)")
        #expect(run.output.contains("holds no secret"))
        #expect(site.state.isEmpty)
    }
}
