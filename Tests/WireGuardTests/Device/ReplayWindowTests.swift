import Testing

@testable import WireGuard

struct ReplayWindowTests {
    @Test func aCounterIsAcceptedOnceAndNotWhenTooOld() {
        var window = ReplayWindow()
        #expect(window.accept(0))
        let again = window.accept(0)
        #expect(!again)
        #expect(window.accept(9000))
        // The window ends 8192 behind the newest.
        let outside = window.accept(9000 - ReplayWindow.size)
        #expect(!outside)
        #expect(window.accept(9000 - ReplayWindow.size + 1))
        #expect(window.accept(8999))
        let repeated = window.accept(8999)
        #expect(!repeated)
    }

    @Test func itAgreesWithASetThroughARandomWalk() {
        var generator = SeededGenerator(seed: 5)
        var window = ReplayWindow()
        var seen: Set<UInt64> = []
        var newest: UInt64 = 0
        for _ in 0..<200_000 {
            let jump = generator.next() % 1000 == 0 ? generator.next() % 30_000 : 3
            let back = generator.next() % 9000
            let counter = generator.next() % 2 == 0 ? newest + jump : newest - min(newest, back)
            let isNew = counter + ReplayWindow.size > newest && !seen.contains(counter)
            let accepted = window.accept(counter)
            #expect(accepted == isNew)
            seen.insert(counter)
            newest = max(newest, counter)
        }
    }

    @Test func theLastCountersOfAKeyAreNoSpecialCase() {
        var window = ReplayWindow()
        let last = UInt64.max - (1 << 13) - 1
        #expect(window.accept(last - 1))
        #expect(window.accept(last))
        let again = window.accept(last)
        #expect(!again)
    }
}
