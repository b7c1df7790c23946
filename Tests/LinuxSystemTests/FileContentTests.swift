import Glibc
import LinuxSystem
import TestSupport
import Testing

/// Files of others that get another content and keep all else.
@Suite struct FileContentTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
    }

    @Test func theModeStays() throws {
        try root.write("/a", "old", mode: 0o640)
        try AtomicFile.setContent(of: root.path("/a"), to: Array("new".utf8))
        #expect(root.read("/a") == "new")
        #expect(root.mode("/a") == 0o640)
        #expect(root.contents == ["/a"])
    }

    @Test func aFileThatIsMadeIsForEverybodyToRead() throws {
        try AtomicFile.setContent(of: root.path("/a"), to: Array("new".utf8))
        #expect(root.read("/a") == "new")
        #expect(root.mode("/a") == 0o644)
    }

    @Test(arguments: ["b", "/b"]) func aLinkStaysOneWhereverItLeads(target: String) throws {
        let target = target.hasPrefix("/") ? root.path(target) : target
        #expect(symlink(target, root.path("/a")) == 0)
        // At first there is nothing where it leads to.
        for text in ["one", "two"] {
            try AtomicFile.setContent(of: root.path("/a"), to: Array(text.utf8))
            #expect(Directory.linkTarget(root.path("/a")) == target)
            #expect(root.read("/b") == text)
        }
        #expect(root.contents == ["/a", "/b"])
    }

    @Test func aCircleOfLinksEnds() {
        #expect(symlink("b", root.path("/a")) == 0)
        #expect(symlink("a", root.path("/b")) == 0)
        #expect(throws: SystemError.self) {
            try AtomicFile.setContent(of: root.path("/a"), to: [])
        }
    }

    @Test func aMissingDirectoryIsNamed() {
        let error = #expect(throws: SystemError.self) {
            try AtomicFile.setContent(of: root.path("/none/a"), to: [])
        }
        #expect(error?.errno == ENOENT)
        #expect(error?.subject == root.path("/none"))
    }
}
