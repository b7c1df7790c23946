import Glibc
import Testing

@testable import WireGuard

@Suite("Secret memory")
struct SecretMemoryTests {
    @Test("A key is in memory that no dump has, no child inherits, and no disk gets to see")
    func protection() throws {
        let key = SecretKey()
        let flags = try #require(Self.flags(of: key.pointer))
        #expect(flags.contains("dd"))
        #expect(flags.contains("wf"))
        #expect(flags.contains("lo") || !SecretMemory.isLocked)
    }

    @Test("Memory that is no key's does not look like it: the test can fail")
    func contrast() throws {
        let plain = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 16)
        defer { plain.deallocate() }
        let flags = try #require(Self.flags(of: plain))
        #expect(!flags.contains("dd") && !flags.contains("lo"))
    }

    @Test("A key is wiped with its owner")
    func wiping() {
        let canary = [UInt8](repeating: 0xc5, count: SecretKey.byteCount)
        let pointer: UnsafeRawPointer
        do {
            let key = SecretKey(canary)
            pointer = key.pointer
            let isThere = pointer.loadUnaligned(as: UInt64.self) == 0xc5c5_c5c5_c5c5_c5c5
            #expect(isThere)
        }
        // Other suites may have the slot by now: for anything but this.
        for offset in stride(from: 0, to: SecretKey.byteCount, by: 8) {
            let word = pointer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            #expect(word != 0xc5c5_c5c5_c5c5_c5c5)
        }
    }

    @Test("A new key is of zeros, whatever the slot held before")
    func zeros() {
        for _ in 0..<100 { _ = SecretKey(repeating: 0xff) }
        let key = SecretKey()
        #expect(key.revealed == [UInt8](repeating: 0, count: 32))
    }

    @Test("Ten thousand keys keep to their own slots")
    func thousands() {
        final class Owner {
            let key: SecretKey
            init(_ number: Int) {
                key = SecretKey { bytes in
                    for index in bytes.indices {
                        bytes[index] = UInt8(truncatingIfNeeded: number >> (index % 2 * 8))
                    }
                }
            }
        }
        var owners = (0..<10_000).map(Owner.init)
        for number in stride(from: 0, to: owners.count, by: 3) { owners[number] = Owner(number) }
        for (number, owner) in owners.enumerated() {
            let word = UInt16(littleEndian: owner.key.pointer.loadUnaligned(as: UInt16.self))
            #expect(Int(word) == number)
        }
    }

    @Test("Keys can be made and dropped on several threads at once")
    func threads() async {
        await withTaskGroup(of: Bool.self) { group in
            for number in UInt8(1)...8 {
                group.addTask {
                    for _ in 0..<2000 {
                        let key = SecretKey(repeating: number)
                        guard key.revealed == [UInt8](repeating: number, count: 32) else {
                            return false
                        }
                    }
                    return true
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    @Test("A process that may lock nothing has keys all the same, and knows")
    func nothingToLock() async {
        await #expect(processExitsWith: .success) {
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            guard setrlimit(CInt(__RLIMIT_MEMLOCK.rawValue), &none) == 0 else { exit(2) }
            // Root may lock beyond the limit.
            if getuid() == 0, setuid(65534) != 0 { exit(3) }
            let key = SecretKey(repeating: 7)
            guard key.revealed == [UInt8](repeating: 7, count: 32) else { exit(4) }
            exit(SecretMemory.isLocked ? 5 : 0)
        }
    }

    /// The kernel's flags of the mapping with this address.
    private static func flags(of pointer: UnsafeRawPointer) -> [Substring]? {
        guard let file = fopen("/proc/self/smaps", "r") else { return nil }
        defer { fclose(file) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            text += buffer.prefix(count)
        }
        let address = UInt(bitPattern: pointer)
        var isInside = false
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words[0] == "VmFlags:" {
                if isInside { return Array(words.dropFirst()) }
            } else if !words[0].hasSuffix(":") {
                let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                isInside = ends.count == 2 && ends[0] <= address && address < ends[1]
            }
        }
        return nil
    }
}
