import Glibc
import Preferences
import TestSupport
import Testing

@Suite struct FileLayoutTests {
    private let identifier = "11111111-1111-4111-8111-111111111111"

    @Test func everyPathLiesBelowTheRoot() throws {
        let root = try TemporaryRoot()
        let layout = FileLayout(root: root.path)
        let paths =
            [
                layout.preferences, layout.credentialsDirectory, layout.runtimeDirectory,
                layout.helper("x"),
            ] + layout.providerDirectories
        for path in paths { #expect(path.hasPrefix(root.path + "/")) }
        #expect(FileLayout.system.preferences == "/etc/utunctl/preferences.json")
        #expect(FileLayout(root: "/") == .system)
    }

    @Test func onePlaceHasOneName() throws {
        let root = try TemporaryRoot()
        try root.makeDirectory("/real")
        symlink("real", root.path("/link"))
        let real = FileLayout(root: root.path("/real"))
        for path in ["/link", "/real/", "/link/.", "/real/../link"] {
            let layout = FileLayout(root: root.path(path))
            #expect(layout == real)
            #expect(layout.mark(of: identifier) == real.mark(of: identifier))
        }
    }

    @Test func marksTellRootsApart() throws {
        let first = FileLayout(root: try TemporaryRoot().path)
        let second = FileLayout(root: try TemporaryRoot().path)
        #expect(FileLayout.system.mark(of: identifier) == "utunctl:\(identifier)")
        let mark = first.mark(of: identifier)
        #expect(mark.hasPrefix("utunctl:\(identifier)@"))
        #expect(mark.utf8.count == 8 + 36 + 1 + 8)
        #expect(first.identifier(inMark: mark) == identifier)
        #expect(second.identifier(inMark: mark) == nil)
        #expect(FileLayout.system.identifier(inMark: mark) == nil)
        #expect(first.identifier(inMark: "utunctl:\(identifier)") == nil)
    }

    @Test(arguments: [
        nil, "", "utunctl:", "utunctl:office", "tunctl:11111111-1111-4111-8111-111111111111",
        "utunctl:11111111-1111-4111-8111-11111111111", "utunctl:../../etc/passwd",
        "utunctl:11111111-1111-4111-8111-111111111111 ",
    ])
    func otherAliasesAreNoMarks(alias: String?) {
        #expect(FileLayout.system.identifier(inMark: alias) == nil)
    }

    @Test func theHostsFileIsTheRootsWhereItHasOne() throws {
        let root = try TemporaryRoot()
        let layout = FileLayout(root: root.path)
        #expect(layout.hostsFile == "/etc/hosts")
        try root.write("/etc/hosts", "")
        #expect(layout.hostsFile == root.path("/etc/hosts"))
        try root.write("/etc/resolv.conf", "")
        #expect(layout.resolverList == root.path("/etc/resolv.conf"))
    }
}
