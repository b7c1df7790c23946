import JSON
import LinuxSystem
import TestSupport
import Testing

/// `rename`: another name for the same configuration.
@Suite struct RenameVerbTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
        for name in ["office", "home"] { _ = try root.run(["save", name]) }
    }

    private func configuration(_ name: String) throws -> JSONObject? {
        try root.run(["load", name, "--json"]).json?["configurations"]?.array?.first?.object
    }

    @Test func theIdentifierAndAllElseStay() throws {
        let path = "/etc/utunctl/credentials/office.key"
        try root.write(path, "x", mode: 0o600)
        _ = try root.run(["save", "office", "--set", "credentials.key=file:office.key"])
        let before = try #require(try configuration("office"))
        let result = try root.run(["rename", "office", "head-office", "--json"])
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.isEmpty)
        let identifier = try #require(before["identifier"]?.string)
        #expect(
            result.output == """
                {"formatVersion":1,"name":"head-office","formerName":"office",\
                "identifier":"\(identifier)","generation":4,"changed":true}

                """)
        let after = try #require(try configuration("head-office"))
        for member in before.members where !["name", "generation"].contains(member.key) {
            #expect(after[member.key] == member.value, "\(member.key)")
        }
        #expect(root.read(path) == "x")
        #expect(try root.run(["load", "office"]).status == 4)
        // By its identifier too.
        #expect(
            try root.run(["rename", identifier, "office"]).output == "head-office is now office\n")
    }

    @Test func whatIsSoAlreadyIsSuccessAndWritesNothing() throws {
        let before = root.read("/etc/utunctl/preferences.json")
        let result = try root.run(["rename", "office", "office"])
        #expect(result.status == 0)
        #expect(result.errors == "utunctl: office: it has this name already\n")
        #expect(root.read("/etc/utunctl/preferences.json") == before)
        let json = try root.run(["rename", "office", "office", "--json"]).json
        #expect(json?["changed"] == .bool(false))
    }

    @Test func aTakenNameIsRefused() throws {
        let result = try root.run(["rename", "office", "home", "--json"])
        #expect(result.status == 7)
        #expect(result.json?["error"]?.object?["code"] == .string("nameTaken"))
        #expect(try configuration("office") != nil)
    }

    @Test(arguments: [
        "all", "a/b", "-x", "", ".x", "a b", "9d1a2b7e-1111-4111-8111-111111111111",
    ])
    func whatIsNoNameIsRefused(name: String) throws {
        let result = try root.run(["rename", "--", "office", name])
        #expect(result.status == 7, "\(result)")
        #expect(try configuration("office") != nil)
    }

    @Test func whatIsNotThereIsNotRenamed() throws {
        let result = try root.run(["rename", "offcie", "x"])
        #expect(result.status == 4, "\(result)")
        #expect(result.errors.contains("did you mean office?"))
        // The new name is no operand that a failure is about.
        #expect(result.errors.hasPrefix("utunctl: rename offcie: "))
    }

    @Test func aUnitOfTheFormerNameIsTold() throws {
        let directory = "\(root.path)/etc/systemd/system"
        try root.makeDirectory("/etc/systemd/system/multi-user.target.wants")
        #expect(try root.run(["rename", "office", "a"]).errors.isEmpty)
        try #require(
            try Command.run([
                "ln", "-s", "/usr/lib/systemd/system/utunctl@.service",
                "\(directory)/multi-user.target.wants/utunctl@a.service",
            ]).status == 0)
        try root.write("/etc/systemd/system/utunctl@a.service.d/time.conf", "[Service]\n")
        // Another's is none of its business.
        #expect(try root.run(["rename", "home", "b"]).errors.isEmpty)
        let result = try root.run(["rename", "a", "office"])
        #expect(result.status == 0)
        let enable = "systemctl disable utunctl@a.service, systemctl enable utunctl@office.service"
        #expect(result.errors.contains(enable), "\(result)")
        #expect(result.errors.contains("utunctl@a.service.d"), "\(result)")
    }
}
