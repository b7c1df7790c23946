import Glibc
import JSON
import TestSupport
import Testing

@Suite struct ProfilesVerbTests {
    private let site: EnrolledRoot
    private var root: TemporaryRoot { site.root }

    init() throws {
        site = try EnrolledRoot()
    }

    private func profiles(_ arguments: String...) throws -> Command.Result {
        try root.run(["profiles"] + arguments)
    }

    @Test func nothingEnrolledIsAnEmptyList() throws {
        let run = try profiles("--json")
        #expect(run.status == 0)
        #expect(run.output == "{\"formatVersion\":1,\"profiles\":[]}\n")
        #expect(try profiles().errors.contains("no profile is enrolled"))
    }

    @Test func theListTellsWhoIssuedAndWhoUses() throws {
        try site.enroll()
        try site.enrollProfile(
            ProfileFiles.profile(#""organisation": "Example Ltd""#)
                .replacing("\"office\"", with: "\"lab\""))
        #expect(
            try profiles().output == """
                lab     1 anchor  Example Ltd, not signed  not used        valid
                office  1 anchor  not signed               used by office  valid

                """)
        #expect(try profiles("list").output == profiles().output)
        let json = try profiles("--json").json?["profiles"]?.array?.compactMap(\.object)
        #expect(json?.map { $0["identifier"]?.string } == ["lab", "office"])
        #expect(json?.last?["usedBy"]?.array == [.string("office")])
        #expect(json?.last?["signer"] == .null)
        #expect(
            json?.last?["credentials"]?.array == [
                .string("office.presharedKey1"), .string("office.privateKey"),
            ])
    }

    @Test func oneIsShownWithItsAnchors() throws {
        try site.enroll()
        let run = try profiles("show", "office")
        #expect(run.status == 0)
        #expect(
            run.output == """
                office
                  signer: not signed
                  anchor office/peer1: wireguard \(EnrolledRoot.publicKey)
                  credentials: office.presharedKey1, office.privateKey
                  used by: office

                """)
        let json = try profiles("show", "office", "--json").json?["profiles"]?.array
        #expect(json?.count == 1)
        let unknown = try profiles("show", "ofice", "--json")
        #expect(unknown.status == 7 && EnrolledRoot.code(unknown) == "profileMissing")
        #expect(unknown.errors.contains("did you mean office?"))
    }

    @Test func aProfileThatCannotBeReadIsListedAndCanBeRemoved() throws {
        try root.write("/etc/utunctl/profiles/broken.json", "{")
        let run = try profiles()
        #expect(run.status == 0)
        #expect(run.output.contains("the profile broken cannot be used"), "\(run)")
        #expect(try profiles("show", "broken").output.contains("unusable: "))
        #expect(try profiles("remove", "broken").status == 0)
        #expect(root.read("/etc/utunctl/profiles/broken.json") == nil)
    }

    @Test func oneInUseIsNotRemoved() throws {
        try site.enroll()
        try site.enroll(EnrolledRoot.file(), as: "home")
        _ = try root.run(["remove", "home"])
        let before = site.state
        let run = try profiles("remove", "home", "office", "--json")
        #expect(run.status == 7 && EnrolledRoot.code(run) == "profileInUse", "\(run)")
        #expect(run.errors.contains("office trust anchors of office"))
        let missing = try profiles("remove", "home", "hom", "--json")
        #expect(missing.status == 7 && EnrolledRoot.code(missing) == "profileMissing")
        #expect(site.state == before)
        let removed = try profiles("remove", "home", "--json")
        #expect(removed.status == 0)
        #expect(removed.json?["removed"]?.array == [.string("home")])
        #expect(
            removed.json?["removedCredentials"]?.array == [
                .string("home.presharedKey1"), .string("home.privateKey"),
            ])
        #expect(site.state.filter { $0.contains("home") }.isEmpty)
        #expect(!site.state.contains { $0.contains("/.enrol") })
    }

    @Test func forceRemovesItAndLeavesTheSecretsThatAreReferredTo() throws {
        try site.enroll()
        // By the long way as well as by the name.
        let path = "file:\(root.path("/etc/utunctl/credentials/office.presharedKey1"))"
        _ = try root.run(["save", "office", "--set", "credentials.presharedKey1=\(path)"])
        let run = try profiles("remove", "office", "--force")
        #expect(run.status == 0)
        #expect(run.output == "removed the profile office\n")
        #expect(site.credential("office.privateKey") == EnrolledRoot.privateKey)
        #expect(site.credential("office.presharedKey1") == EnrolledRoot.presharedKey)
        #expect(try profiles("--json").json?["profiles"]?.array == [])
        // What is left is enrolled anew, unsigned or not.
        #expect(try site.enroll(EnrolledRoot.file(), as: "office", "--replace").status == 0)
    }

    @Test(
        arguments: [
            (["lst"], "did you mean list?"), (["show"], "profiles show takes one NAME"),
            (["list", "x"], "profiles list takes no NAME"), (["remove"], "needs a NAME"),
            (["--force"], "--force goes with remove"), (["show", "a", "b"], "takes one NAME"),
        ] as [([String], String)])
    func aWrongCallIsAUsageError(arguments: [String], told: String) throws {
        let run = try root.run(["profiles"] + arguments)
        #expect(run.status == 2)
        #expect(run.errors.contains(told), "\(run)")
    }

    @Test func namesThatLeadElsewhereAreNone() throws {
        try root.write("/etc/utunctl/x.json", "x")
        for name in ["../x", "/etc/passwd", "", "."] {
            let run = try profiles("remove", "--force", "--", name)
            #expect(run.status == 7, "\(name): \(run)")
        }
        #expect(root.read("/etc/utunctl/x.json") == "x")
    }
}
