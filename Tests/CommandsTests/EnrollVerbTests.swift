import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

@Suite struct EnrollVerbTests {
    private let site: EnrolledRoot
    private var root: TemporaryRoot { site.root }

    init() throws {
        site = try EnrolledRoot()
    }

    @Test func aFileBecomesAConfigurationThatStartWouldTake() throws {
        let run = try site.enroll()
        #expect(run.status == 0)
        #expect(run.errors == "", "\(run)")
        let configuration = try #require(try site.configuration("office"))
        let identifier = configuration["identifier"]?.string ?? ""
        #expect(
            run.output == """
                created office \(identifier) generation 1
                enrolled the profile office, not signed: you vouch for it
                  kept: PrivateKey, Address, MTU, PublicKey, PresharedKey, Endpoint, AllowedIPs (1 peer)

                """)
        #expect(configuration["provider"]?.string == "org.utunctl.wireguard")
        #expect(configuration["trust"]?.array == [.string("office/peer1")])
        #expect(configuration["interface"]?.object?["mtu"] == .integer(1380))
        #expect(configuration["routing"]?.object?["includedRoutes"] == .null)
        #expect(site.credential("office.privateKey") == EnrolledRoot.privateKey)
        #expect(site.credential("office.presharedKey1") == EnrolledRoot.presharedKey)
        // Saving what was enrolled changes nothing, and warns of nothing.
        let saved = try root.run(["save", "office", "--json"])
        #expect(saved.json?["warnings"]?.array == [])
        #expect(saved.output.contains("\"changed\":false"))
    }

    @Test func theAnswerAsJSONNamesEveryLine() throws {
        try site.root.write("/etc/resolv.conf", "")
        let run = try site.enroll(
            EnrolledRoot.file(interface: "DNS = 10.9.0.1", peer: "AllowedIPs = 10.1.2.3/8"),
            as: "office", "--json")
        let identifier = try site.configuration("office")?["identifier"]?.string ?? ""
        #expect(
            run.output == """
                {"formatVersion":1,"saved":[{"name":"office","identifier":"\(identifier)",\
                "generation":1,"changed":true}],"changes":[{"name":"office",\
                "identifier":"\(identifier)","change":"created","paths":[]}],"warnings":[],\
                "profile":"office","signer":null,\
                "credentials":["office.presharedKey1","office.privateKey"],\
                "anchorChanges":[],"replacedCredentials":[],\
                "removedCredentials":[],"lines":[\
                {"line":2,"key":"PrivateKey","outcome":"kept","text":"credential office.privateKey"},\
                {"line":3,"key":"Address","outcome":"kept","text":"providerConfiguration.addresses"},\
                {"line":4,"key":"DNS","outcome":"kept","text":"dns.servers"},\
                {"line":6,"key":"PublicKey","outcome":"kept","text":"anchor office/peer1"},\
                {"line":7,"key":"PresharedKey","outcome":"kept",\
                "text":"credential office.presharedKey1"},\
                {"line":8,"key":"Endpoint","outcome":"kept",\
                "text":"providerConfiguration.peers[0].endpoint"},\
                {"line":9,"key":"AllowedIPs","outcome":"kept",\
                "text":"providerConfiguration.peers[0].allowedIPs"},\
                {"line":10,"key":"AllowedIPs","outcome":"changed",\
                "text":"10.1.2.3/8 has host bits, taken as 10.0.0.0/8"}]}

                """)
    }

    @Test func whatIsDroppedIsSaidAndRefusedWhereThatIsWanted() throws {
        let text = EnrolledRoot.file(
            interface: "DNS = example.org\nTable = 7\nFwMark = 9\nPostUp = x\nSaveConfig = true")
        let strict = try site.enroll(text, as: "office", "--strict")
        #expect(strict.status == 7)
        #expect(strict.errors.contains("line 4: DNS would be dropped: domains to search"))
        #expect(site.state.isEmpty)
        let run = try site.enroll(text)
        #expect(run.status == 0)
        for line in [
            "line 4: DNS dropped", "line 5: Table dropped", "line 6: FwMark dropped",
            "line 7: PostUp dropped", "line 8: SaveConfig dropped",
        ] {
            #expect(run.output.contains(line))
        }
        #expect(try site.enroll(EnrolledRoot.file(), as: "home", "--strict").status == 0)
    }

    @Test func commandsOfAFileAreNeverRun() throws {
        let text = EnrolledRoot.file(interface: "PostUp = touch \(root.path("/ran"))")
        #expect(try site.enroll(text).status == 0)
        #expect(!root.contents.contains("/ran"))
        #expect(!site.state.contains { $0.contains("touch") })
    }

    @Test func aDryRunWritesNothing() throws {
        let run = try site.enroll(EnrolledRoot.file(), as: "office", "--dry-run")
        #expect(
            run.output.hasPrefix(
                "would create office\nwould enrol the profile office, not signed: you vouch for it\n"
                    + "  kept: PrivateKey, "))
        #expect(run.errors == "")
        #expect(site.state.isEmpty)
        try site.enroll()
        let before = site.state
        let text = EnrolledRoot.file(interface: "MTU = 1400", peers: "").replacing(
            "PresharedKey = \(EnrolledRoot.presharedKey)\n", with: "")
        let again = try site.enroll(text, as: "office", "--replace", "--dry-run", "--json")
        #expect(again.status == 0)
        let change = again.json?["changes"]?.array?.first?.object
        #expect(change?["change"]?.string == "changed")
        #expect(
            change?["paths"]?.array?.contains { $0.object?["path"]?.string == "interface.mtu" }
                == true)
        #expect(again.json?["removedCredentials"]?.array == [.string("office.presharedKey1")])
        #expect(site.state == before)
    }

    /// The file, options beside `--name office`, the exit status, and what is told.
    @Test(
        arguments: [
            ("[Interface]\n", [], 7, "line 1: this [Interface] has no PrivateKey"),
            (
                EnrolledRoot.file(peer: "AllowedIPs = x"), [], 7,
                "line 10: AllowedIPs: not an address"
            ),
            (EnrolledRoot.file(interface: "Mtu: 1400"), [], 7, "line 4: neither [SECTION] nor KEY"),
            (EnrolledRoot.file(interface: "MTUU = 1"), [], 7, "did you mean MTU?"),
            ("\u{FEFF}", [], 7, "there is no [Interface]"),
            (EnrolledRoot.file(), ["--nonsense"], 2, "unknown option --nonsense"),
        ] as [(String, [String], Int32, String)])
    func aRefusedFileLeavesNothingBehind(
        text: String,
        options: [String],
        status: Int32,
        told: String
    ) throws {
        try root.write("/office.conf", text, mode: 0o600)
        let command = ["enroll", root.path("/office.conf"), "--name", "office", "--json"] + options
        let run = try root.run(command)
        #expect(run.status == status)
        #expect(run.errors.contains(told), "\(run.errors)")
        #expect(run.json?["error"]?.object?["exitStatus"] == .integer(Int64(status)))
        #expect(site.state.isEmpty)
    }

    @Test func aNameThatIsTakenIsRefused() throws {
        try site.enroll()
        let before = site.state
        let run = try site.enroll(EnrolledRoot.file(), as: "office", "--json")
        #expect(run.status == 7)
        #expect(run.json?["error"]?.object?["code"]?.string == "nameTaken")
        #expect(run.errors.contains("--replace puts this one in its place"))
        #expect(site.state == before)
        // What a removed configuration left is not replaced unasked either.
        let removed = try root.run(["remove", "office"])
        #expect(
            removed.errors.contains(
                "what it referred to stays: the credential office.presharedKey1, "
                    + "the credential office.privateKey, the profile office"))
        let left = try site.enroll(EnrolledRoot.file(), as: "office", "--json")
        #expect(left.status == 7)
        #expect(left.json?["error"]?.object?["code"]?.string == "fileExists")
        #expect(try site.enroll(EnrolledRoot.file(), as: "office", "--replace").status == 0)
    }

    @Test func replacingKeepsWhatTheFileCannotSay() throws {
        let peer = "[Peer]\nPublicKey = \(EnrolledRoot.otherKey)\nPresharedKey = "
        try site.enroll(EnrolledRoot.file(peers: "\(peer)\(EnrolledRoot.presharedKey)"))
        _ = try root.run([
            "save", "office", "--title", "The office", "--set", "stopTimeout=7", "--set",
            "interface.name=office0",
        ])
        let before = try #require(try site.configuration("office"))
        #expect(site.credential("office.presharedKey2") != nil)
        let run = try site.enroll(
            EnrolledRoot.file(interface: "ListenPort = 7"), as: "office", "--replace")
        #expect(run.status == 0)
        #expect(run.output.contains("removed the credential office.presharedKey2"))
        let after = try #require(try site.configuration("office"))
        #expect(after["identifier"] == before["identifier"])
        #expect(after["title"]?.string == "The office")
        #expect(after["stopTimeout"] == .integer(7))
        #expect(after["interface"]?.object?["name"]?.string == "office0")
        #expect(after["interface"]?.object?["mtu"] == .null)
        #expect(after["generation"] == .integer(3))
        #expect(site.credential("office.presharedKey2") == nil)
    }

    @Test func replacingTellsEachChangeAsItsRehearsalDoes() throws {
        try site.enroll()
        _ = try root.run([
            "save", "office", "--set", "dns.servers=[\"10.9.0.53\"]", "--set",
            "dns.matchDomains=[\"example.org\"]",
        ])
        let text = EnrolledRoot.file(interface: "MTU = 1400").replacing(
            EnrolledRoot.publicKey, with: EnrolledRoot.otherKey
        ).replacing(EnrolledRoot.presharedKey, with: EnrolledRoot.publicKey)
        let rehearsal = try site.enroll(text, as: "office", "--replace", "--dry-run")
        let run = try site.enroll(text, as: "office", "--replace")
        for line in [
            "  interface.mtu: 1380 → 1400\n", "  dns.servers[0]: \"10.9.0.53\" → (none)\n",
            "  dns.matchDomains[0]: \"example.org\" → (none)\n",
            "  anchor office/peer1: \(EnrolledRoot.publicKey) → \(EnrolledRoot.otherKey)\n",
        ] {
            #expect(rehearsal.output.contains(line), "\(rehearsal)")
            #expect(run.output.contains(line), "\(run)")
        }
        let told = "  credential office.presharedKey1: "
        #expect(rehearsal.output.contains("\(told)would be replaced\n"), "\(rehearsal)")
        #expect(run.output.contains("\(told)replaced\n"), "\(run)")
        // What names meant is nothing that a start would refuse afterwards.
        #expect(try root.run(["save", "office", "--json"]).json?["warnings"]?.array == [])
    }

    @Test func keysThatAreOthersAreToldAsJSON() throws {
        try site.enroll()
        let text = EnrolledRoot.file().replacing(
            EnrolledRoot.publicKey, with: EnrolledRoot.otherKey)
        let rehearsal = try site.enroll(text, as: "office", "--replace", "--dry-run")
        #expect(rehearsal.output.hasPrefix("would change what office refers to\n"))
        let run = try site.enroll(text, as: "office", "--replace", "--json")
        let change = run.json?["anchorChanges"]?.array?.first?.object
        #expect(change?["anchor"]?.string == "office/peer1")
        #expect(change?["old"]?.string == EnrolledRoot.publicKey)
        #expect(change?["new"]?.string == EnrolledRoot.otherKey)
        #expect(run.json?["replacedCredentials"]?.array == [])
        #expect(run.output.contains("\"generation\":2,\"changed\":true"))
    }

    @Test func theSameFileAgainChangesNothing() throws {
        try site.enroll()
        let before = site.state
        let run = try site.enroll(EnrolledRoot.file(), as: "office", "--replace")
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("unchanged office "), "\(run)")
        #expect(run.output.contains("left the profile office as it is, not signed"), "\(run)")
        #expect(site.state == before)
    }

    @Test func aKillSwitchThatAProfilePutsOffIsWarnedOf() throws {
        let text = ProfileFiles.profile(ProfileFiles.configurations(ProfileFiles.tunnel()))
        try site.enrollProfile(text)
        _ = try root.run(["save", "office", "--set", "routing.includeAllNetworks=true"])
        for option in [["--dry-run"], []] {
            let run = try root.run(
                ["enroll", "-", "--replace"] + option, input: text)
            #expect(run.status == 0, "\(run)")
            #expect(
                run.errors.contains("routing.includeAllNetworks: the kill switch was on, and this"),
                "\(run)")
            #expect(run.output.contains("routing.includeAllNetworks: true → false"), "\(run)")
        }
        #expect(!(try root.run(["enroll", "-", "--replace"], input: text)).errors.contains("kill"))
    }

    @Test func whatAnotherConfigurationUsesIsNeverReplacedNorProposedToBe() throws {
        try site.enroll()
        _ = try root.run(["save", "office", "--set", "name=renamed"])
        let before = site.state
        for option in [[], ["--replace"], ["--replace", "--dry-run"]] {
            try root.write("/office.conf", EnrolledRoot.file(), mode: 0o600)
            let run = try root.run(
                ["enroll", root.path("/office.conf"), "--name", "office", "--json"] + option)
            #expect(run.status == 7, "\(run)")
            #expect(EnrolledRoot.code(run) == "credentialInUse", "\(run)")
            #expect(run.errors.contains("renamed refers to the credential office.presharedKey1"))
            #expect(run.errors.contains("with --name renamed --replace it goes in the place of"))
        }
        #expect(site.state == before)
        // Under its new name it takes new files, and the old ones are told of.
        let run = try site.enroll(EnrolledRoot.file(), as: "renamed", "--replace")
        #expect(run.status == 0)
        #expect(
            run.errors.contains(
                "enroll renamed: what it referred to stays: the credential office.presharedKey1, "
                    + "the credential office.privateKey, the profile office"), "\(run)")
    }

    @Test func aPeerThatIsTheTunnelItselfIsRefused() throws {
        let key = try root.run(["genkey", "own"]).output.split(separator: "\n").first ?? ""
        let own = try #require(site.credential("own"))
        _ = try root.run(["credential", "remove", "own"])
        let before = site.state
        let text = EnrolledRoot.file().replacing(EnrolledRoot.privateKey, with: own)
            .replacing(EnrolledRoot.publicKey, with: key)
        let run = try site.enroll(text, as: "office", "--json")
        #expect(run.status == 7, "\(run)")
        #expect(EnrolledRoot.code(run) == "fileInvalid", "\(run)")
        #expect(run.errors.contains("the PublicKey of office/peer1 is that of the tunnel's own"))
        #expect(site.state == before)
    }

    @Test func aSecretThatStandsInPublicKeyNeverBecomesAnAnchor() throws {
        for key in [EnrolledRoot.privateKey, EnrolledRoot.presharedKey] {
            let text = EnrolledRoot.file().replacing(EnrolledRoot.publicKey, with: key)
            let run = try site.enroll(text, as: "office", "--json")
            #expect(run.status == 7, "\(run)")
            #expect(run.errors.contains("line 6: PublicKey: the same as the P"), "\(run)")
            #expect(!run.errors.contains(key))
            #expect(site.state.isEmpty)
        }
    }

    @Test func aNameIsProposedForAFileThatHasNone() throws {
        for (file, proposal) in [
            "my very long provider name.conf": "my-very-long-provider-name",
            "my very long provider nbme.conf": "my-very-long-provider-nbme", "-.x": "x",
            "é": "tunnel",
            "all.conf": "tunnel", "a.b-c_d.conf": "a.b-c_d",
        ] {
            try root.write("/\(file)", EnrolledRoot.file(), mode: 0o600)
            let run = try root.run(["enroll", root.path("/\(file)")])
            #expect(run.status == 2)
            #expect(run.errors.contains("\nadd --name \(proposal)\n"), "\(file): \(run.errors)")
        }
        let long = "my-very-long-provider-name"
        #expect(try site.enroll(EnrolledRoot.file(), as: long).status == 0)
        #expect(try site.enroll(EnrolledRoot.file(), as: "my-very-long-provider-nbme").status == 0)
        #expect(site.credential("\(long).privateKey") == EnrolledRoot.privateKey)
    }

    @Test(arguments: ["", "a/b", "../x", "all", "11111111-1111-4111-8111-111111111111", "é", ".x"])
    func aNameThatIsNoneIsRefusedBeforeAnythingIsRead(name: String) throws {
        let run = try root.run(["enroll", "/nonexistent", "--name=\(name)"])
        #expect(run.status == 7)
        #expect(run.errors.contains("--name: "))
    }

    @Test func aFileThatOthersCanReadIsWarnedOf() throws {
        try root.write("/lax.conf", EnrolledRoot.file(), mode: 0o644)
        let command = ["enroll", root.path("/lax.conf"), "--name", "lax"]
        let strict = try root.run(command + ["--strict"])
        #expect(strict.status == 7)
        #expect(strict.errors.contains("mode 0644 of the file lets others read the keys in it"))
        #expect(site.state.isEmpty)
        let run = try root.run(command)
        #expect(run.status == 0)
        #expect(run.errors.contains("warning: enroll lax: mode 0644 of the file lets others read"))
    }

    @Test func aLaxCredentialIsWarnedOfByARehearsedSave() throws {
        try site.enroll()
        chmod(root.path("/etc/utunctl/credentials/office.privateKey"), 0o644)
        let run = try root.run(["save", "office", "--dry-run"])
        #expect(run.errors.contains("credentials.privateKey: the credential privateKey cannot be"))
        #expect(run.errors.contains("mode 0644 lets others read or write it"))
    }

    @Test func standardInputIsAFileAsWell() throws {
        let command = ["enroll", "-", "--name", "office"]
        let run = try root.run(command, input: EnrolledRoot.file())
        #expect(run.status == 0)
        #expect(site.credential("office.privateKey") == EnrolledRoot.privateKey)
    }

    @Test func whatCannotBeReadIsNamed() throws {
        let absent = try root.run(["enroll", "/nonexistent/x", "--name", "x"])
        #expect(absent.status == 1)
        #expect(absent.errors.contains("open /nonexistent/x: No such file or directory"))
        let directory = try root.run(["enroll", "/etc", "--name", "x"])
        #expect(directory.status == 1)
        let endless = try root.run(["enroll", "/dev/zero", "--name", "x"])
        #expect(endless.status == 7)
        #expect(endless.errors.contains("more than 16 MiB"))
        #expect(site.state.isEmpty)
    }

    @Test func aDirectoryOnTheWayThatIsClosedIsNamed() throws {
        guard geteuid() == 0, Account.isMapped(uid: 65_534) else { return }
        try root.makeDirectory("/closed", mode: 0o700)
        try root.write("/closed/x.conf", EnrolledRoot.file(), mode: 0o600)
        chmod(root.path, 0o755)
        // A copy where that user can reach it, whatever leads to the one that was built.
        let program = try FileDescriptor.open(Installation.built("utunctl"), O_RDONLY)
        try AtomicFile.replace(
            root.path("/utunctl"), with: try program.readAll(limit: 1 << 30), mode: 0o755)
        let run = try Command.run([
            "setpriv", "--reuid", "65534", "--clear-groups", root.path("/utunctl"), "--root",
            root.path, "enroll", root.path("/closed/x.conf"), "--name", "x",
        ])
        #expect(run.status == 10, "\(run)")
        #expect(run.errors.contains("Permission denied"))
        #expect(run.errors.contains("\(root.path("/closed")) may not be searched"))
    }

    // MARK: In the middle

    @Test func aKilledEnrolmentIsAllOrNothing() throws {
        try site.enroll()
        let old = site.state
        var outcomes: Set<Bool> = []
        var killed = 0
        for attempt in 0..<60 {
            let key = attempt % 2 == 0 ? EnrolledRoot.otherKey : EnrolledRoot.presharedKey
            let text = EnrolledRoot.file(peers: "[Peer]\nPublicKey = \(key)\nAllowedIPs = 1.2.3.4")
            try root.write("/new.conf", text, mode: 0o600)
            let program = try Command([
                Installation.built("utunctl"), "--root", root.path, "enroll",
                root.path("/new.conf"), "--name", "office", "--replace",
            ])
            usleep(UInt32(attempt % 30) * 500)
            program.signal(SIGKILL)
            if try program.finish().status == 128 + SIGKILL { killed += 1 }
            #expect(try root.run(["repair"]).status == 0)
            let isNew = root.read("/etc/utunctl/profiles/office.json")?.contains(key) == true
            outcomes.insert(isNew)
            let peers = try site.configuration("office")?["trust"]?.array?.count
            if isNew { #expect(peers == 2) }
            // All files belong to one and the same enrolment.
            let warnings = try root.run(["save", "office", "--json"]).json?["warnings"]?.array
            #expect(warnings == [], "\(String(describing: warnings))")
            let hidden = root.contents.filter { $0.contains("/.") }
            #expect(!hidden.contains { $0.contains("credentials") || $0.contains("former") })
            #expect(!hidden.contains("/etc/utunctl/.enrolment.json"))
            #expect(site.credential("office.privateKey") == EnrolledRoot.privateKey)
        }
        #expect(killed > 0)
        #expect(try site.enroll(EnrolledRoot.file(), as: "office", "--replace").status == 0)
        #expect(site.state.count == old.count)
    }

    /// The longest file that may be written: the profile, then the preferences are longer.
    @Test(arguments: [100, 700, 3000])
    func aDiskThatIsFullInTheMiddleTakesAllBack(limit: Int) throws {
        try site.enroll()
        let before = site.state
        let text = EnrolledRoot.file(
            peers: (1...20).map { number in
                let key = TunnelModel.WireGuardKey.encode(
                    [UInt8](repeating: UInt8(number), count: 32))
                return "[Peer]\nPublicKey = \(key)\nAllowedIPs = 10.77.\(number).0/24\n"
            }.joined())
        try root.write("/new.conf", text, mode: 0o600)
        // A file that grows beyond the limit fails with EFBIG where its signal is ignored.
        let run = try Command.run([
            "sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh", "prlimit", "--fsize=\(limit)",
            Installation.built("utunctl"), "--root", root.path, "enroll", root.path("/new.conf"),
            "--name", "office", "--replace",
        ])
        #expect(run.status == 1, "\(run)")
        #expect(run.errors.contains("File too large"))
        #expect(site.state == before)
    }

    @Test func aKilledOneIsSettledByTheNextStart() throws {
        try site.enroll()
        let before = site.state
        let text = EnrolledRoot.file(
            peers: "[Peer]\nPublicKey = \(EnrolledRoot.otherKey)\nAllowedIPs = 1.2.3.4")
        try root.write("/new.conf", text, mode: 0o600)
        // The signal kills it when it writes the preferences, which are the longest of its files.
        let run = try Command.run([
            "prlimit", "--fsize=900", Installation.built("utunctl"), "--root", root.path, "enroll",
            root.path("/new.conf"), "--name", "office", "--replace",
        ])
        #expect(run.status == 128 + SIGXFSZ, "\(run)")
        #expect(root.contents.contains("/etc/utunctl/.enrolment.json"))
        let doctor = try root.run(["doctor"])
        #expect(doctor.output.contains("an enrolment did not come to its end"))
        // Reading changes nothing.
        _ = try root.run(["status"])
        #expect(root.contents.contains("/etc/utunctl/.enrolment.json"))
        let start = try root.run(["start", "office"])
        #expect(start.errors.contains("an interrupted enrolment of office was taken back"))
        let left = site.state.filter { !$0.contains("/.") }
        #expect(left == before)
    }
}
