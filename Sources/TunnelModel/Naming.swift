/// The rules for names; each function answers what is wrong, or nothing.
package enum Naming {
    /// What is wrong with the name of a configuration.
    package static func problem(ofConfiguration name: String) -> String? {
        if name == "all" { return "the name all is reserved" }
        return problem(of: name)
    }

    /// What is wrong with the name of an enrolled profile.
    package static func problem(ofProfile name: String) -> String? {
        problem(ofConfiguration: name)
    }

    /// What is wrong with the name of an anchor in its profile.
    package static func problem(ofAnchor name: String) -> String? {
        problem(of: name)
    }

    /// What is wrong with the name of a credential's file: those that enrolment makes are longer
    /// than the name of their profile.
    package static func problem(ofCredential name: String) -> String? {
        problem(of: name, limit: 128)
    }

    private static func problem(of name: String, limit: Int = 64) -> String? {
        if name.isEmpty { return "a name must not be empty" }
        if name.utf8.count > limit {
            return "the name is too long: \(name.utf8.count) bytes, at most \(limit)"
        }
        guard let first = name.utf8.first, isAlphanumeric(first) else {
            return "a name must begin with a letter or a digit"
        }
        guard name.utf8.allSatisfy({ isAlphanumeric($0) || "_.-".utf8.contains($0) }) else {
            return "a name consists of letters, digits, '_', '.' and '-'"
        }
        return nil
    }

    /// What is wrong with the name of a network namespace, which is that of a file.
    package static func problem(ofNetworkNamespace name: String) -> String? {
        if name.isEmpty { return "the name of a network namespace must not be empty" }
        if name.utf8.count > 255 { return "the name of a network namespace is too long" }
        if name == "." || name == ".." { return "\(name) is no name of a network namespace" }
        if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }) {
            return "the name of a network namespace has no '/' or control characters"
        }
        return nil
    }

    /// What is wrong with the name of an interface, which may hold one `%d`.
    package static func problem(ofInterface name: String) -> String? {
        if name.isEmpty { return "an interface name must not be empty" }
        if name.utf8.count > 15 {
            return "an interface name has at most 15 bytes, this one has \(name.utf8.count)"
        }
        if name == "." || name == ".." { return "\(name) is no interface name" }
        if name.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") }) {
            return "an interface name has no '/', white space or control characters"
        }
        if name.utf8.contains(UInt8(ascii: ":")) { return "an interface name has no ':'" }
        // The kernel's isspace() takes each byte for Latin-1, where this is a blank: `à` has it.
        if name.utf8.contains(0xA0) {
            return "the kernel takes no interface name with a byte of value 0xa0"
        }
        let percents = name.utf8.filter { $0 == UInt8(ascii: "%") }.count
        if percents > 1 || percents == 1 && !isPattern(name) {
            return "the only '%' in an interface name is one %d"
        }
        return nil
    }

    /// What is wrong with the identifier of a provider: reverse DNS.
    package static func problem(ofProvider identifier: String) -> String? {
        let labels = identifier.split(separator: ".", omittingEmptySubsequences: false)
        let isWellFormed =
            labels.count >= 2 && identifier.utf8.count <= 255
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy { isAlphanumeric($0) || "-_".utf8.contains($0) }
            }
        return isWellFormed
            ? nil : "a provider identifier is a reverse DNS name such as org.example.thing"
    }

    /// Whether a path names a file, without climbing out of the directory that it is below.
    ///
    /// It is cut as the kernel does, at each slash byte: a slash with a combining character
    /// behind it is another `Character`.
    static func isFilePath(_ path: String) -> Bool {
        let parts = path.utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let last = parts.last, !last.isEmpty, !last.elementsEqual(".".utf8) else {
            return false
        }
        return !parts.contains { $0.elementsEqual("..".utf8) } && !path.utf8.contains(0)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// Whether the name of an interface holds a place for a number that the kernel chooses.
    package static func isPattern(_ name: String) -> Bool {
        zip(name, name.dropFirst()).contains { $0 == "%" && $1 == "d" }
    }

    /// The name with a number in that place.
    package static func replacingPattern(in name: String, with number: Int) -> String {
        guard isPattern(name), let percent = name.firstIndex(of: "%") else { return name }
        return name[..<percent] + "\(number)" + name[percent...].dropFirst(2)
    }
}
