internal import CCrypto
internal import Glibc
internal import Synchronization

/// Memory for keys: never swapped out, left out of core dumps, empty in a child process.
///
/// It is handed out in slots of 32 bytes, of which a device with a thousand peers takes some
/// ten thousand, and is kept until the process ends.
package enum SecretMemory {
    /// How many bytes a slot has.
    package static let slotSize = 32

    /// How many bytes are taken from the kernel at a time.
    static let chunkSize = 16384

    /// Whether all of it is locked; false when RLIMIT_MEMLOCK did not allow that.
    package static var isLocked: Bool { pool.withLock { $0.isLocked } }

    // @unchecked, as it holds a pointer: whoever takes it out of the pool has it alone.
    private struct Slot: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    private struct Pool {
        var free: [Slot] = []
        var isLocked = true
    }

    private static let pool = Mutex(Pool())

    /// A slot of zeros.
    static func allocate() -> UnsafeMutableRawPointer {
        pool.withLock { pool in
            if pool.free.isEmpty { grow(&pool) }
            return pool.free.removeLast()
        }.pointer
    }

    /// Wipes a slot and takes it back.
    static func free(_ pointer: UnsafeMutableRawPointer) {
        OPENSSL_cleanse(pointer, slotSize)
        let slot = Slot(pointer: pointer)
        pool.withLock { $0.free.append(slot) }
    }

    private static func grow(_ pool: inout Pool) {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let chunk = mmap(nil, chunkSize, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let chunk, chunk != MAP_FAILED else { preconditionFailure("out of memory") }
        madvise(chunk, chunkSize, MADV_DONTDUMP)
        madvise(chunk, chunkSize, MADV_WIPEONFORK)
        if mlock(chunk, chunkSize) != 0 { pool.isLocked = false }
        for offset in stride(from: chunkSize - slotSize, through: 0, by: -slotSize) {
            pool.free.append(Slot(pointer: chunk + offset))
        }
    }
}
