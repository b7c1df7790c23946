internal import JSON
internal import LinuxSystem
internal import Preferences
internal import PropertyLists
internal import SessionHost

/// Reads property lists in a program of its own: what they hold may be made to break their reader.
struct PropertyListHelper {
    /// A list of as many short values as are taken, each with its kind and line.
    private static let longestAnswer = 64 << 20

    private let program: HelperProgram

    /// Finds the program, before anything is done that needs it.
    init(_ layout: FileLayout) throws(Failure) {
        program = try HelperProgram(
            "utunctl-mobileconfig", for: "a configuration profile cannot be read", apart: true,
            layout)
    }

    /// The value that a file is.
    func parse(_ bytes: [UInt8]) throws(Failure) -> PropertyListNode {
        guard bytes.count <= PropertyList.largest else {
            throw Failure(
                .refused, "fileInvalid",
                "more than \(PropertyList.largest >> 20) MiB: not a configuration profile")
        }
        let document: [UInt8]
        do throws(HelperRun.Failure) {
            document = try program.run(bytes, limit: Self.longestAnswer)
        } catch .silent, .excessive {
            throw unreadable("\(program.path) came to no end")
        } catch {
            throw unreadable(error.text)
        }
        let reading: PropertyListReading
        do { reading = try PropertyListReading(document: document) } catch {
            throw unreadable("\(program.path) answered something else")
        }
        do { return try reading.get() } catch {
            throw Failure(
                .refused, "fileInvalid", error.text,
                hint: "a configuration profile is a property list, in XML or binary form")
        }
    }

    private func unreadable(_ problem: String) -> Failure {
        Failure(
            .refused, "fileInvalid", "the property list cannot be read: \(problem)",
            hint: "it is damaged, or made to do damage")
    }
}
