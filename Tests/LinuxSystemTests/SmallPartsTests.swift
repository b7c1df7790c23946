import Glibc
import Testing

@testable import LinuxSystem

@Suite struct SmallPartsTests {
    @Test(arguments: ["1234567890123456", "12345678901234%d", "ääääääää"])
    func anInterfaceNameTooLongIsRefusedBeforeTheDeviceIsOpened(name: String) {
        #expect(throws: SystemError("TUNSETIFF", name, errno: ENAMETOOLONG)) {
            _ = try TunDevice(name: name)
        }
    }

    @Test func errorsSayWhatFailedOnWhatAndWhy() {
        let error = SystemError("open", "/etc/x", errno: EACCES)
        #expect(error.text == "open /etc/x: Permission denied")
        #expect(SystemError("dup", errno: EMFILE).text == "dup: Too many open files")
        #expect(SystemError.reason(of: 9999) == "error 9999")
    }

    @Test func aCallThatASignalInterruptedIsRepeated() throws {
        var calls = 0
        let value = try check("x") { () -> CInt in
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 7
        }
        #expect(value == 7 && calls == 3)
        calls = 0
        let other = try checkShim("x") { () -> Int in
            calls += 1
            return calls < 3 ? -Int(EINTR) : 0
        }
        #expect(other == 0 && calls == 3)
        #expect(throws: SystemError("x", "y", errno: EPERM)) { try checkShim("x", "y") { -EPERM } }
    }

    @Test func randomBytesDiffer() {
        #expect(Random.bytes(0).isEmpty)
        #expect(Random.bytes(256).count == 256)
        #expect(Random.bytes(16) != Random.bytes(16))
    }

    @Test func accounts() {
        #expect(Account.user(named: "root") == Account.User(uid: 0, gid: 0))
        #expect(Account.group(named: "root") == 0)
        #expect(Account.user(named: "no such user") == nil)
        #expect(Account.group(named: "no such group") == nil)
        #expect(Account.effectiveUser == geteuid())
        #expect(Account.isMapped(uid: geteuid()))
        #expect(!Account.isMapped(uid: .max))
    }

    @Test func privilegesAreWhatTheKernelSays() throws {
        let status = try Files.text("/proc/thread-self/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let digits = line?.split(separator: "\t").last ?? ""
        let effective = try #require(UInt64(digits, radix: 16))
        for capability in Capability.allCases {
            let isEffective = effective >> UInt64(capability.rawValue) & 1 == 1
            #expect(capability.isEffective == isEffective, "\(capability)")
        }
        #expect(!Privilege.isSecureExecution)
    }

    @Test func aDescriptorIsClosedWithItsOwnerUnlessGivenAway() throws {
        let (reading, writing) = try rawPipe()
        defer { close(reading) }
        let given: CInt
        do {
            let owner = FileDescriptor(taking: writing)
            let copy = try owner.duplicate()
            #expect(copy.raw != owner.raw && fcntl(copy.raw, F_GETFD) == FD_CLOEXEC)
            given = owner.release()
        }
        #expect(given == writing)
        var byte = UInt8(1)
        #expect(write(writing, &byte, 1) == 1)
        do { _ = FileDescriptor(taking: writing) }
        #expect(read(reading, &byte, 1) == 1)
        #expect(read(reading, &byte, 1) == 0)
    }

    @Test func aBoxGivesItsDescriptorOnce() throws {
        let (reading, writing) = try rawPipe()
        defer { close(reading) }
        let box = FileDescriptorBox(FileDescriptor(taking: writing))
        #expect(box.raw == writing)
        do {
            let taken = box.take()
            let isThere = taken != nil
            #expect(isThere && box.raw == nil)
            let second = box.take() == nil
            #expect(second)
        }
        var byte = UInt8(0)
        #expect(read(reading, &byte, 1) == 0)
    }

    @Test func aFileIsReadUpToItsLimit() throws {
        let zero = try FileDescriptor.open("/dev/zero", O_RDONLY)
        #expect(throws: SystemError("read", "zero", errno: EFBIG)) {
            try zero.readAll(limit: 100_000, "zero")
        }
        #expect(try FileDescriptor.open("/dev/null", O_RDONLY).readAll(limit: 0).isEmpty)
        #expect(try zero.read(atMost: 7) == [0, 0, 0, 0, 0, 0, 0])
    }
}
