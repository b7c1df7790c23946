import TestSupport
import Testing

@testable import WireGuard

/// A window that expectations can look at.
private final class Window {
    private var window = ReplayWindow()

    func accept(_ counter: UInt64) -> Bool { window.accept(counter) }
}

struct ReplayWindowTests {
    @Test func aCounterIsAcceptedOnceAndNotWhenTooOld() {
        let window = Window()
        #expect(window.accept(0))
        #expect(!window.accept(0))
        #expect(window.accept(9000))
        // The window ends 8192 behind the newest.
        #expect(!window.accept(9000 - ReplayWindow.size))
        #expect(window.accept(9000 - ReplayWindow.size + 1))
        #expect(window.accept(8999))
        #expect(!window.accept(8999))
    }

    @Test func itAgreesWithASetThroughARandomWalk() {
        var generator = SeededGenerator(seed: 5)
        let window = Window()
        var seen: Set<UInt64> = []
        var newest: UInt64 = 0
        for _ in 0..<200_000 {
            let jump = generator.next() % 1000 == 0 ? generator.next() % 30_000 : 3
            let back = generator.next() % 9000
            let counter = generator.next() % 2 == 0 ? newest + jump : newest - min(newest, back)
            let isNew = counter + ReplayWindow.size > newest && !seen.contains(counter)
            #expect(window.accept(counter) == isNew)
            seen.insert(counter)
            newest = max(newest, counter)
        }
    }

    @Test func theLastCountersOfAKeyAreNoSpecialCase() {
        let window = Window()
        let last = UInt64.max - (1 << 13) - 1
        #expect(window.accept(last - 1))
        #expect(window.accept(last))
        #expect(!window.accept(last))
    }
}
