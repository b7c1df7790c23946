import Testing

@testable import WireGuard

@Suite("Timestamps")
struct TAI64NTests {
    private func bytes(of timestamp: TAI64N) -> String {
        var bytes = [UInt8](repeating: 0xff, count: TAI64N.byteCount)
        bytes.withUnsafeMutableBytes { timestamp.write(to: $0.baseAddress.unsafelyUnwrapped) }
        return hex(bytes)
    }

    @Test("The wall clock in twelve bytes, most significant first")
    func form() {
        #expect(bytes(of: TAI64N(unixNanoseconds: 0)) == "400000000000000a" + "00000000")
        #expect(
            bytes(of: TAI64N(unixNanoseconds: 1_700_000_000_999_999_999))
                == "400000006553f10a" + "3b000000")
    }

    @Test("Steps of 16.8 ms hide the exact time")
    func steps() {
        let step: UInt64 = 1 << 24
        let second: UInt64 = 1_000_000_000
        #expect(TAI64N(unixNanoseconds: second) == TAI64N(unixNanoseconds: second + step - 1))
        #expect(TAI64N(unixNanoseconds: second) < TAI64N(unixNanoseconds: second + step))
        #expect(
            TAI64N(unixNanoseconds: 2 * second - 1) < TAI64N(unixNanoseconds: 2 * second))
    }

    @Test("Order is that of the bytes, whoever wrote them")
    func order() throws {
        let texts = [
            "000000000000000000000000", "400000000000000a00000000", "400000000000000a00000001",
            "400000000000000aff000000", "400000000000000b00000000", "ffffffffffffffffffffffff",
        ]
        let timestamps = texts.map { text in
            WireGuardTests.bytes(text).withUnsafeBytes {
                TAI64N($0.baseAddress.unsafelyUnwrapped)
            }
        }
        #expect(timestamps.map(bytes(of:)) == texts)
        #expect(timestamps.sorted() == timestamps)
        #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy(<))
    }
}
