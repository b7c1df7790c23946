import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Private and preshared keys come out nowhere.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct SecrecyTests {
    private func site() throws -> InteropSite {
        try InteropSite(.utunctl) { $0.hasPresharedKey = true }
    }

    private func secrets(of site: InteropSite) -> [String] {
        [site.nearFile.key.secret] + site.nearFile.peers.compactMap(\.presharedKey)
    }

    @Test func noFileAndNoAnswerHasThem() throws {
        let site = try site()
        let tunnel = try site.tunnel
        let secrets = secrets(of: site)
        _ = try Echoes.run(to: InteropSite.farAddress, count: 3)
        for verb in [
            ["status"], ["--json", "status"], ["load", "office"], ["--json", "providers"],
            ["--json", "doctor"], ["--json", "start", "office"], ["--json", "stop", "office"],
        ] {
            let result = try Command.run(tunnel.site.command(verb))
            for form in try Self.forms(of: secrets) {
                #expect(!result.description.contains(form), "\(verb)")
            }
        }
        try tunnel.connect()
        kill(tunnel.pid, SIGABRT)
        kill(tunnel.pid, SIGKILL)
        #expect(try eventually { try tunnel.word == "disconnected" })
        // The files that hold them by their purpose, and show that the search is not blind.
        let found = try Self.search(secrets, below: tunnel.site.root)
        #expect(
            found == [
                "etc/utunctl/credentials/office.presharedKey1",
                "etc/utunctl/credentials/office.privateKey", "office.conf",
            ])
    }

    @Test func noProcessCarriesThemInItsArgumentsOrItsEnvironment() throws {
        let site = try site()
        let forms = try Self.forms(of: secrets(of: site))
        for pid in try Directory.names("/proc").compactMap(Int32.init) where pid != getpid() {
            let process = RunningProcess(pid: pid)
            for file in ["cmdline", "environ"] {
                let text = process.file(file)
                #expect(!forms.contains { text.contains($0) }, "\(pid): \(file)")
            }
        }
    }

    @Test func theProvidersUserCannotReadItsMemory() throws {
        let site = try site()
        let provider = RunningProcess(pid: site.near.pid)
        let user = try #require(provider.field("Uid")?.split(separator: " ").first)
        guard user != "0" else { return }
        let other = try Place.here.daemon([
            "setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "sleep", "60",
        ])
        func isReadable(_ pid: Int32) throws -> Bool {
            try Command.run([
                "setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "head",
                "-c", "0", "/proc/\(pid)/mem",
            ]).status == 0
        }
        // The probe must not be blind: another process of that user can be read.
        #expect(try eventually { try isReadable(other.pid) })
        #expect(try !isReadable(provider.pid))
        other.signal(SIGKILL)
        _ = try other.finish()
    }

    @Test(arguments: [SIGSEGV, SIGABRT, SIGQUIT])
    func noSignalMakesADump(signal: CInt) throws {
        let site = try site()
        let provider = RunningProcess(pid: site.near.pid)
        let limits = provider.file("limits").split(separator: "\n")
        let core = limits.first { $0.hasPrefix("Max core file size") }
        #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
        // From outside of its namespace a signal may be ignored, but never dump.
        kill(provider.pid, signal)
        usleep(200_000)
        let result = try Command.run(["find", try site.tunnel.site.root, "-name", "core*"])
        #expect(result.output.isEmpty)
    }

    @Test func whereTheyAreInMemoryIsLockedAndLeftOutOfDumps() throws {
        let site = try site()
        let secrets = secrets(of: site)
        _ = try Echoes.run(to: InteropSite.farAddress, count: 3)
        let provider = try Self.mappings(of: site.near.pid, holding: secrets)
        // The probe must not be blind: somewhere it must have its private key.
        #expect(provider.contains { $0.contains("raw:0") }, "\(provider)")
        for mapping in provider {
            #expect(mapping.contains(" lo ") && mapping.contains(" dd "), "\(mapping)")
            #expect(mapping.contains("raw:"), "\(mapping)")
        }
        // The session host hands on files that it has never read.
        let host = try site.tunnel.site.livingHost(of: "office")
        #expect(try Self.mappings(of: host, holding: secrets).isEmpty)
    }

    /// The texts by which secrets could appear: as they stand in files, and in hexadecimal.
    private static func forms(of secrets: [String]) throws -> [String] {
        let script = """
            import base64, sys
            for word in sys.stdin.read().split():
                print(word, word.rstrip("="), base64.b64decode(word).hex())
            """
        let result = try Command.run(
            ["/usr/bin/python3", "-c", script], input: secrets.joined(separator: " "))
        let forms = result.output.split(whereSeparator: \.isWhitespace).map(String.init)
        guard forms.count == 3 * secrets.count else { throw Unexpected("\(result)") }
        return forms
    }

    /// The files below a directory that hold a secret in any form.
    private static func search(_ secrets: [String], below root: String) throws -> [String] {
        let script = """
            import base64, os, sys
            words = sys.stdin.read().split()
            forms = [form for word in words for form in (
                word.rstrip("=").encode(), base64.b64decode(word),
                base64.b64decode(word).hex().encode())]
            for directory, _, names in os.walk(sys.argv[1]):
                for name in names:
                    path = os.path.join(directory, name)
                    if os.path.isfile(path):
                        data = open(path, "rb").read()
                        if any(form in data for form in forms):
                            print(os.path.relpath(path, sys.argv[1]))
            """
        let result = try Command.run(
            ["/usr/bin/python3", "-c", script, root], input: secrets.joined(separator: " "))
        guard result.status == 0 else { throw Unexpected("\(result)") }
        return result.output.split(separator: "\n").map(String.init).sorted()
    }

    /// The mappings of a process that hold secrets: which, in which form, and the flags.
    private static func mappings(of pid: Int32, holding secrets: [String]) throws -> [String] {
        let script = """
            import base64, sys
            words = sys.stdin.read().split()
            forms = {}
            for number, word in enumerate(words):
                raw = base64.b64decode(word)
                forms["raw:%d" % number] = raw
                forms["base64:%d" % number] = word[:40].encode()
                forms["hex:%d" % number] = raw.hex().encode()
            regions = []
            for line in open("/proc/%s/smaps" % sys.argv[1]):
                if line.startswith("VmFlags:"):
                    regions[-1][1] = line[8:].strip()
                elif "-" in line.split()[0]:
                    regions.append([line.strip(), ""])
            memory = open("/proc/%s/mem" % sys.argv[1], "rb", 0)
            read = 0
            for line, flags in regions:
                begin, end = (int(part, 16) for part in line.split()[0].split("-"))
                if " r" not in line or "[v" in line:
                    continue
                try:
                    memory.seek(begin)
                    data = memory.read(end - begin)
                except OSError:
                    continue
                read += len(data)
                found = [name for name, form in forms.items() if form in data]
                if found:
                    print(line, " ", flags, " ", *found)
            assert read > 1 << 20
            """
        let result = try Command.run(
            ["/usr/bin/python3", "-c", script, "\(pid)"], input: secrets.joined(separator: " "))
        guard result.status == 0 else { throw Unexpected("\(result)") }
        return result.output.split(separator: "\n").map(String.init)
    }
}
