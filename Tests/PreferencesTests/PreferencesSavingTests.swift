import Preferences
import Testing
import TunnelModel

@Suite struct PreferencesSavingTests {
    private let first = "11111111-1111-4111-8111-111111111111"
    private let second = "22222222-2222-4222-8222-222222222222"

    /// Two configurations, saved one after the other.
    private func document() throws -> PreferencesDocument {
        var document = PreferencesDocument()
        _ = try document.save([Configuration(identifier: first, name: "a")])
        _ = try document.save([Configuration(identifier: second, name: "b")])
        return document
    }

    private func configuration(
        _ identifier: String,
        _ name: String,
        generation: UInt64 = 0,
        title: String = ""
    ) -> Configuration {
        var configuration = Configuration(identifier: identifier, name: name)
        configuration.generation = generation
        configuration.title = title
        return configuration
    }

    @Test func generationsCountForTheWhole() throws {
        var document = try document()
        #expect(document.generation == 2)
        #expect(document.configurations.map(\.generation) == [1, 2])
        let saved = try document.save([configuration(first, "a", generation: 1, title: "x")])
        #expect(saved.map(\.changed) == [true])
        #expect(saved.map(\.isNew) == [false])
        #expect(document.configurations.map(\.generation) == [3, 2])
        #expect(document.generation == 3)
    }

    @Test func whatIsEqualStays() throws {
        var document = try document()
        let before = document
        let saved = try document.save([configuration(first, "a"), configuration(second, "b")])
        #expect(saved.map(\.changed) == [false, false])
        #expect(saved.map(\.configuration.generation) == [1, 2])
        #expect(document == before)
    }

    @Test func staleOfOneIsStaleOfAll() throws {
        var document = try document()
        let before = document
        #expect(throws: PreferencesError.stale(name: "b", given: 1, saved: 2)) {
            try document.save([
                configuration(first, "a", title: "x"), configuration(second, "b", generation: 1),
            ])
        }
        #expect(document == before)
        // A later generation than the saved one was read from somewhere else.
        #expect(throws: PreferencesError.stale(name: "a", given: 9, saved: 1)) {
            try document.save([configuration(first, "a", generation: 9)])
        }
    }

    @Test func identifiersDecide() throws {
        var document = try document()
        let third = "33333333-3333-4333-8333-333333333333"
        let saved = try document.save([
            configuration(third, "c", generation: 77), configuration("", "d"),
        ])
        #expect(saved.map(\.isNew) == [true, true])
        #expect(saved.map(\.hadIdentifier) == [true, false])
        #expect(saved.map(\.configuration.generation) == [3, 3])
        #expect(saved[0].configuration.identifier == third)
        #expect(Identifier.isValid(saved[1].configuration.identifier))
        #expect(throws: PreferencesError.nameTaken("a")) {
            try document.save([configuration("", "a")])
        }
    }

    @Test func namesMayBeExchanged() throws {
        var document = try document()
        _ = try document.save([configuration(first, "b"), configuration(second, "a")])
        #expect(document.configurations.map(\.name) == ["b", "a"])
        #expect(document.configuration("a")?.identifier == second)
    }

    @Test func removing() throws {
        var document = try document()
        document.remove(["nothing"])
        #expect(document == (try self.document()))
        document.remove([first, "nothing"])
        #expect(document.configurations.map(\.name) == ["b"])
        #expect(document.generation == 3)
        _ = try document.save([configuration(first, "a")])
        #expect(document.configuration("a")?.generation == 4)
    }
}
