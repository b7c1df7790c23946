import Glibc
import LinuxSystem

/// Files of wg-quick as people have them, good and bad, each with what it comes to beside it.
package enum QuickCorpus {
    /// One of them.
    package struct File: Sendable, CustomStringConvertible {
        package let name: String
        package let bytes: [UInt8]
        /// What it comes to; `nil` where nobody has said so yet.
        package let expectation: String?

        /// Whether it is to be refused.
        package var isBad: Bool { name.hasPrefix("bad-") }

        package var description: String { name }

        /// The path of its expectation.
        package var expectationPath: String { "\(QuickCorpus.directory)/\(name).expected" }
    }

    private static let directory = "\(Installation.source)/Tests/EnrolmentTests/Corpus"

    /// All of them.
    package static let files: [File] = {
        let names = (try? Directory.names(directory)) ?? []
        return names.filter { $0.hasSuffix(".conf") }.map { file in
            let name = String(file.dropLast(5))
            return File(
                name: name, bytes: read("\(directory)/\(file)") ?? [],
                expectation: read("\(directory)/\(name).expected")
                    .map { String(decoding: $0, as: UTF8.self) })
        }
    }()

    /// Those that are to be enrolled.
    package static var good: [File] { files.filter { !$0.isBad } }

    private static func read(_ path: String) -> [UInt8]? {
        try? FileDescriptor.open(path, O_RDONLY).readAll(limit: 1 << 20)
    }
}
