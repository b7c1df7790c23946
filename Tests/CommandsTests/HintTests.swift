import JSON
import TestSupport
import Testing

/// What is said of a failure names what it is about, and its hint can be typed as it is.
@Suite struct HintTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
        _ = try root.run(["save", "office"])
    }

    @Test func execNamesTheTunnelAndNotTheCommand() throws {
        let run = try root.run(["exec", "office", "--", "true"])
        #expect(
            run.errors == """
                utunctl: exec office: the tunnel has no network namespace of its own
                utunctl save office --set interface.networkNamespace=NETNS

                """)
        #expect(run.status == 7)
        let json = try root.run(["--json", "exec", "office", "--", "true"]).json
        #expect(json?["error"]?.object?["code"] == .string("networkNamespaceNotConfigured"))
    }

    @Test func anActionIsPartOfTheVerbAndNoName() throws {
        let leaks = try root.run(["doctor", "leaks", "office", "192.0.2.1"])
        #expect(leaks.errors.hasPrefix("utunctl: doctor leaks office: "))
        #expect(try root.run(["doctor", "leaks"]).errors.hasSuffix("utunctl doctor leaks NAME\n"))
        let remove = try root.run(["credential", "remove", "x"])
        #expect(remove.errors.hasPrefix("utunctl: credential remove x: "), "\(remove)")
    }

    @Test func thatWhichIsNoHintKeepsItsWord() throws {
        _ = try root.run(["save", "NAMED"])
        let run = try root.run(["start", "NAMES"])
        #expect(run.errors.contains("did you mean NAMED?"), "\(run)")
    }
}
