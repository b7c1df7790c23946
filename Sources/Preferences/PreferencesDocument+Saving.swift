internal import LinuxSystem
package import TunnelModel

/// What became of one configuration that was to be saved.
package struct SavedConfiguration: Equatable, Sendable {
    package let configuration: Configuration
    package let isNew: Bool
    /// Whether the identifier came with it.
    package let hadIdentifier: Bool
    package let changed: Bool
}

extension PreferencesDocument {
    /// Takes configurations in, all or none; it never deletes.
    ///
    /// A known identifier changes that configuration, if it was read at its saved generation
    /// (generation 0: read at none, so that it always applies). An unknown one creates with
    /// it, an empty one creates anew.
    package mutating func save(_ incoming: [Configuration]) throws(PreferencesError)
        -> [SavedConfiguration]
    {
        var results: [SavedConfiguration] = []
        let next = nextGeneration
        var changed = self
        for given in incoming {
            results.append(try changed.save(one: given, as: next))
        }
        var names: Set<String> = []
        for configuration in changed.configurations {
            guard names.insert(configuration.name).inserted else {
                throw .nameTaken(configuration.name)
            }
        }
        if results.contains(where: \.changed) {
            changed.generation = next
            self = changed
        }
        return results
    }

    /// Puts one configuration in the place of that with its identifier, or beside the others;
    /// its generation is a new one even if nothing else differs.
    mutating func put(_ given: Configuration) -> SavedConfiguration {
        var new = given
        new.generation = nextGeneration
        generation = new.generation
        let position = configurations.firstIndex { $0.identifier == new.identifier }
        if let position {
            configurations[position] = new
        } else {
            configurations.append(new)
        }
        return SavedConfiguration(
            configuration: new, isNew: position == nil, hadIdentifier: position != nil,
            changed: true)
    }

    /// Takes configurations away; those that are not there are no error.
    package mutating func remove(_ identifiers: Set<String>) {
        let kept = configurations.filter { !identifiers.contains($0.identifier) }
        guard kept.count != configurations.count else { return }
        generation = nextGeneration
        configurations = kept
    }

    private var nextGeneration: UInt64 {
        configurations.reduce(generation) { max($0, $1.generation) } + 1
    }

    private mutating func save(one given: Configuration, as next: UInt64)
        throws(PreferencesError) -> SavedConfiguration
    {
        var new = given
        guard let position = configurations.firstIndex(where: { $0.identifier == given.identifier })
        else {
            if new.identifier.isEmpty { new.identifier = Identifier.make(from: Random.bytes(16)) }
            new.generation = next
            configurations.append(new)
            return SavedConfiguration(
                configuration: new, isNew: true, hadIdentifier: !given.identifier.isEmpty,
                changed: true)
        }
        let saved = configurations[position]
        guard given.generation == 0 || given.generation == saved.generation else {
            throw .stale(name: saved.name, given: given.generation, saved: saved.generation)
        }
        new.generation = saved.generation
        guard new != saved else {
            return SavedConfiguration(
                configuration: saved, isNew: false, hadIdentifier: true, changed: false)
        }
        new.generation = next
        configurations[position] = new
        return SavedConfiguration(
            configuration: new, isNew: false, hadIdentifier: true, changed: true)
    }
}
