import JSON
import TestSupport
import Testing

/// Machines on which no TUN can be made, each for another reason.
///
/// Each runs in a mount namespace of its own, in which /dev/net is another one.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct DeviceTests {
    /// A machine with a fault, made by shell commands, and what is said about it.
    struct Fault: CustomTestStringConvertible {
        let testDescription: String
        let preparation: String
        var prefix = ""
        let code: String
        let words: String
    }

    private static let hideDevice = "mount -t tmpfs tmpfs /dev/net"

    static let faults = [
        Fault(
            testDescription: "no node", preparation: hideDevice, code: "deviceMissing",
            words: "/dev/net/tun does not exist"),
        Fault(
            testDescription: "no driver",
            preparation: "\(hideDevice) && mknod -m 666 /dev/net/tun c 10 250",
            code: "deviceWithoutDriver", words: "/dev/net/tun has no driver in this kernel"),
        Fault(
            testDescription: "no permission",
            preparation: "\(hideDevice) && mknod -m 600 /dev/net/tun c 10 200"
                + " && chown -R 65534 ROOT",
            prefix: "setpriv --reuid 65534 --clear-groups", code: "deviceForbidden",
            words: "/dev/net/tun may not be opened by this user"),
        Fault(
            testDescription: "no capability", preparation: "true",
            prefix: "setpriv --bounding-set -net_admin --inh-caps -net_admin",
            code: "capabilityMissing", words: "CAP_NET_ADMIN is missing"),
        Fault(
            testDescription: "no namespaces", preparation: "true",
            prefix: "setpriv --bounding-set -sys_admin --inh-caps -sys_admin",
            code: "capabilityMissing", words: "CAP_SYS_ADMIN is missing"),
        Fault(
            testDescription: "no user of its own", preparation: "true",
            prefix: "setpriv --bounding-set -setuid --inh-caps -setuid",
            code: "capabilityMissing", words: "CAP_SETUID is missing"),
        Fault(
            testDescription: "no right to kill", preparation: "true",
            prefix: "setpriv --bounding-set -kill --inh-caps -kill",
            code: "capabilityMissing", words: "CAP_KILL is missing"),
    ]

    @Test(arguments: faults)
    func eachCauseHasItsWords(_ fault: Fault) throws {
        let site = try Installation()
        try site.save("office")
        let before = try Kernel.snapshot()
        for json in ["", "--json"] {
            let result = try run(fault, site, "\(json) start --wait office")
            #expect(result.status == 10, "\(result)")
            #expect(result.errors.contains(fault.words), "\(result)")
            guard !json.isEmpty else {
                #expect(result.output.isEmpty)
                continue
            }
            let error = try Installation.parse(result.output)["error"]?.object
            #expect(error?["code"] == .string(fault.code))
        }
        #expect(try Kernel.snapshot() == before)
        #expect(try site.hasNoProcess())
        let files = try Command.run(["ls", "\(site.root)/run/utunctl"]).output
        #expect(!files.contains(".sock") && !files.contains(".lock"), "\(files)")
    }

    @Test(arguments: faults)
    func whatReadsDoesItsWorkWithoutADevice(_ fault: Fault) throws {
        let site = try Installation()
        try site.save("office")
        #expect(try run(fault, site, "status").status == 0)
        #expect(try run(fault, site, "status office").status == 3)
        #expect(try run(fault, site, "load").status == 0)
        #expect(try run(fault, site, "stop office").status == 0)
    }

    private func run(_ fault: Fault, _ site: Installation, _ verb: String) throws -> Command.Result
    {
        let preparation = fault.preparation.replacing("ROOT", with: site.root)
        let program = Installation.built("utunctl")
        return try Command.run([
            "unshare", "-m", "sh", "-c",
            "\(preparation) && exec \(fault.prefix) \(program) --root \(site.root) \(verb)",
        ])
    }
}
