import Testing
import TunnelModel

@testable import Commands

@Suite struct TransferRatesTests {
    private let second: Int64 = 1_000_000_000

    private func report(_ received: UInt64, _ sent: UInt64, interface: Int = 7) -> TunnelReport {
        var counters = InterfaceCounters()
        counters.receivedBytes = received
        counters.sentBytes = sent
        return Reports.connected(counters, interface: interface)
    }

    @Test func aRateNeedsTwoReadings() {
        var rates = TransferRates()
        #expect(rates.rate(of: report(1000, 2000), at: 0) == nil)
        #expect(
            rates.rate(of: report(3000, 2500), at: 2 * second) == .init(received: 1000, sent: 250))
        #expect(rates.rate(of: report(3000, 2500), at: 3 * second) == .init(received: 0, sent: 0))
    }

    @Test func readingsInQuickSuccessionAreOne() {
        var rates = TransferRates()
        _ = rates.rate(of: report(0, 0), at: 0)
        #expect(rates.rate(of: report(9, 9), at: second / 2) == nil)
        let rate = rates.rate(of: report(1000, 500), at: second)
        #expect(rate == .init(received: 1000, sent: 500))
        #expect(rates.rate(of: report(5000, 500), at: second + 20_000_000) == rate)
        #expect(
            rates.rate(of: report(5000, 500), at: 2 * second) == .init(received: 4000, sent: 0))
    }

    @Test func anotherInterfaceBeginsAnew() {
        var rates = TransferRates()
        _ = rates.rate(of: report(1000, 1000), at: 0)
        #expect(rates.rate(of: report(5000, 5000, interface: 8), at: second) == nil)
        // Even where it got the number of the one before: its counters went back.
        #expect(rates.rate(of: report(10, 10, interface: 8), at: 2 * second) == nil)
        #expect(
            rates.rate(of: report(30, 20, interface: 8), at: 3 * second)
                == .init(received: 20, sent: 10))
    }

    @Test func whatDoesNotRunHasNone() {
        var rates = TransferRates()
        _ = rates.rate(of: report(0, 0), at: 0)
        var stopped = report(0, 0)
        stopped.session = nil
        stopped.kernel = nil
        #expect(rates.rate(of: stopped, at: second) == nil)
        #expect(rates.rate(of: report(1000, 0), at: 2 * second) == nil)
    }
}
