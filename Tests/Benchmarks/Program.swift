import Glibc
import LinuxSystem
import TestSupport

/// Measures the program against its figures, in one run and in a private namespace.
@main
enum Benchmarks {
    static func main() {
        do {
            let selection = try Selection(Array(CommandLine.arguments.dropFirst()))
            guard try PrivateNamespace.isPresent else {
                throw Unexpected(PrivateNamespace.requirement)
            }
            exit(try run(selection) ? 0 : 1)
        } catch {
            say("bench: \(error)")
            exit(1)
        }
    }

    /// Whether all figures hold; each is told as soon as it is known.
    private static func run(_ selection: Selection) throws -> Bool {
        var holds = true
        func tell(_ figure: Figure) {
            say(figure.line)
            holds = holds && figure.holds
        }
        let onSite: [Selection.Group] = [.commands, .idle, .crowd, .onDemand]
        let wantsSite = selection.groups.contains { onSite.contains($0) }
        let site = wantsSite ? try Installation() : nil
        for group in selection.groups {
            switch group {
            case .commands:
                if let site { try CommandBenchmark(site).figures().forEach(tell) }
            case .idle:
                if let site { try IdleBenchmark(site).figures().forEach(tell) }
            case .crowd:
                if let site { try CrowdBenchmark(site).figures().forEach(tell) }
            case .onDemand:
                if let site { try OnDemandBenchmark(site).figures().forEach(tell) }
            case .wireguard:
                try WireGuardBenchmark(
                    effort: selection.effort, implementations: selection.implementations
                ).figures(tell)
            case .scale:
                // A property of one implementation: the other's is asked for by name.
                try ScaleBenchmark(
                    effort: selection.effort, implementation: selection.implementations[0]
                ).figures(tell)
            }
        }
        return holds
    }

    // Not buffered, as print would be in a pipe: a run takes minutes.
    private static func say(_ line: String) {
        let standardOutput = FileDescriptor(taking: STDOUT_FILENO)
        try? standardOutput.write("\(line)\n".utf8)
        _ = standardOutput.release()
    }
}
