import Testing

@testable import WireGuard

@Suite("Handshake rate")
struct HandshakeRateLimiterTests {
    private static let millisecond: UInt64 = 1_000_000
    private let source = HandshakeSource(v4: 0xc000_0201, port: 1)

    @Test("Five pass at once, then twenty a second")
    func rate() {
        var limiter = HandshakeRateLimiter()
        let start: UInt64 = 77 * Self.millisecond
        #expect((0..<10).filter { _ in limiter.admits(source, at: start) }.count == 5)
        let later = (1...1000).filter {
            limiter.admits(source, at: start + UInt64($0) * Self.millisecond)
        }
        #expect(later.count == 20)
        #expect(later.first == 50)
    }

    @Test("A quarter of a second of silence fills the bucket again, and no more than that")
    func refill() {
        var limiter = HandshakeRateLimiter()
        #expect((0..<10).filter { _ in limiter.admits(source, at: 0) }.count == 5)
        let later = 250 * Self.millisecond
        #expect((0..<10).filter { _ in limiter.admits(source, at: later) }.count == 5)
        let muchLater = 1_000_000 * Self.millisecond
        #expect((0..<10).filter { _ in limiter.admits(source, at: muchLater) }.count == 5)
    }

    @Test("Ports of one address share a bucket, and addresses of one /64; no others do")
    func networks() {
        var limiter = HandshakeRateLimiter()
        func drain(_ source: HandshakeSource) -> Int {
            (0..<10).filter { _ in limiter.admits(source, at: 0) }.count
        }
        #expect(drain(HandshakeSource(v4: 1, port: 1)) == 5)
        #expect(drain(HandshakeSource(v4: 1, port: 2)) == 0)
        #expect(drain(HandshakeSource(v4: 2, port: 1)) == 5)
        #expect(drain(HandshakeSource(v6: 1 << 64, port: 1)) == 5)
        #expect(drain(HandshakeSource(v6: 1 << 64 | 99, port: 2)) == 0)
        #expect(drain(HandshakeSource(v6: 2 << 64, port: 2)) == 5)
    }

    @Test("A flood of sources takes no more than its room, and ends when they fall silent")
    func bounds() {
        var limiter = HandshakeRateLimiter()
        for number in 0..<UInt32(20_000) {
            let isAdmitted = limiter.admits(HandshakeSource(v4: number, port: 1), at: 1)
            #expect(isAdmitted == (number < HandshakeRateLimiter.capacity))
        }
        #expect(limiter.count == HandshakeRateLimiter.capacity)
        // Whoever was there before the flood is still served.
        let isServed = limiter.admits(HandshakeSource(v4: 1, port: 1), at: 1)
        #expect(isServed)
        let isNext = limiter.admits(
            HandshakeSource(v4: 50_000, port: 1), at: 300 * Self.millisecond)
        #expect(isNext)
        #expect(limiter.count == 1)
    }
}
