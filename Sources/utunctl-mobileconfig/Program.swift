import Glibc
import JSON
import LinuxSystem
import PropertyLists

/// Reads the property list on standard input and prints it as JSON.
///
/// A program of its own, as what it reads may be made to break whoever does: it has no right to
/// anything, opens nothing and ends by itself.
@main
enum Program {
    /// What the largest file that is taken may cost.
    private static let memory: UInt64 = 1 << 30
    private static let seconds: UInt64 = 10

    static func main() {
        SignalDescriptor.ignoreBrokenPipes()
        do throws(SystemError) {
            try Privilege.protectProcess()
            try Privilege.confineProcess(memory: memory, seconds: seconds)
            let bytes = try readStandardInput(limit: PropertyList.largest)
            try writeToStandard(STDOUT_FILENO, JSONWriter.line(PropertyListReading(bytes)))
        } catch {
            try? writeToStandard(
                STDERR_FILENO, Array("utunctl-mobileconfig: \(error.text)\n".utf8))
            exit(1)
        }
    }
}
