import Glibc
import LinuxSystem
import TestSupport
import Testing

/// The program that reads property lists, and what becomes of what it does not survive.
@Suite struct PropertyListHelperTests {
    private static let path = "/usr/libexec/utunctl/utunctl-mobileconfig"

    private let site: EnrolledRoot

    init() throws {
        site = try EnrolledRoot()
    }

    private func enroll() throws -> Command.Result {
        try site.root.run(["enroll", "-"], input: "<plist><dict/></plist>")
    }

    private func replaceHelper(_ script: String) throws {
        unlink(site.root.path(Self.path))
        try site.root.write(Self.path, "#!/bin/sh\n\(script)\n", mode: 0o755)
    }

    /// A helper that is broken, and what is told of it.
    @Test(
        arguments: [
            // As the first process of a namespace it is not ended by a signal of its own.
            ("kill -SEGV $$; exit 139", "139 11"), ("exit 3", "exited with status 3"),
            ("echo nonsense", "answered something else"), ("true", "answered something else"),
            (#"echo '{"value": {"line": 1}}'"#, "answered something else"),
            (#"printf '{"value": {"string": "'"#, "answered something else"),
            ("yes", "came to no end"), ("exec >&-; sleep 60", "came to no end"),
        ])
    func aHelperThatBreaksIsTheFilesFault(script: String, text: String) throws {
        try replaceHelper(script)
        let run = try enroll()
        #expect(run.status == 7, "\(run)")
        #expect(run.errors.contains("the property list cannot be read: "), "\(run)")
        let told = text == "139 11" ? ["status 139", "SIGSEGV"] : [text]
        #expect(told.contains { run.errors.contains($0) }, "\(run)")
        #expect(site.state.isEmpty)
    }

    /// Whether processes can be kept apart here: else the helper has what its caller has.
    private static let mayIsolate = geteuid() != 0 || Capability.systemAdministration.isEffective

    @Test(.enabled(if: mayIsolate, "needs CAP_SYS_ADMIN, or no privileges at all"))
    func theHelperHasNoPrivileges() throws {
        // What a program says last is told.
        try replaceHelper(
            "echo $(grep -E '^(CapEff|NoNewPrivs)' /proc/self/status) >&2; exit 3")
        let run = try enroll()
        #expect(run.errors.contains("CapEff: 0000000000000000"), "\(run)")
        if geteuid() == 0 { #expect(run.errors.contains("NoNewPrivs: 1"), "\(run)") }
    }

    @Test func withoutTheHelperItIsSaidWhatIsMissing() throws {
        unlink(site.root.path(Self.path))
        let run = try enroll()
        #expect(run.status == 7)
        #expect(run.errors.contains("a configuration profile cannot be read: "), "\(run)")
        #expect(run.errors.contains("utunctl-mobileconfig"))
    }

    @Test func theHelperCanOpenNothing() throws {
        // Of itself it opens nothing; what it was made to do would be stopped as well: it has
        // no number for a further descriptor.
        let run = try Command.run(
            [
                "strace", "-f", "-e", "trace=network,open,openat,prlimit64",
                Installation.built("utunctl-mobileconfig"),
            ],
            input: "<!DOCTYPE plist SYSTEM \"file:///etc/passwd\"><plist><string>x</string></plist>"
        )
        #expect(run.status == 0, "\(run)")
        #expect(run.output == "{\"value\":{\"line\":1,\"string\":\"x\"}}\n")
        let calls = run.errors.split(separator: "\n")
        let limit = calls.firstIndex { $0.contains("RLIMIT_NOFILE, {rlim_cur=0, rlim_max=0}") }
        #expect(limit != nil, "\(run)")
        let after = calls[((limit ?? calls.startIndex) + 1)...]
        #expect(!after.contains { $0.contains("open") || $0.contains("socket(") }, "\(run)")
        #expect(!run.errors.contains("passwd"), "\(run)")
    }

    @Test func whatIsTooLargeIsNotTaken() throws {
        let path = site.root.path("/large.mobileconfig")
        let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT, mode: 0o600)
        try file.write(Array("<plist><string>".utf8) + [UInt8](repeating: 0x61, count: 4 << 20))
        let run = try site.root.run(["enroll", path])
        #expect(run.status == 7)
        #expect(run.errors.contains("more than 4 MiB"), "\(run)")
        // By hand, it says so as well.
        let helper = try Command.run(
            ["sh", "-c", "\(Installation.built("utunctl-mobileconfig")) < \(path)"])
        #expect(helper.status == 1)
        #expect(helper.output.isEmpty)
    }

    @Test func whatIsCutOffAnywhereIsRefused() throws {
        let sample = try #require(MobileCorpus.good.first { $0.name.hasPrefix("a binary") })
        for length in stride(from: 9, to: sample.bytes.count, by: 61) {
            let path = site.root.path("/cut.mobileconfig")
            let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
            try file.write(sample.bytes.prefix(length))
            let run = try site.root.run(["enroll", path])
            #expect(run.status == 7, "\(length): \(run)")
            #expect(site.state.isEmpty)
        }
    }
}
