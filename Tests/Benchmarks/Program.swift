import Glibc
import TestSupport

/// Measures the program against its figures, in one run and in a private namespace.
@main
enum Benchmarks {
    static func main() {
        do {
            guard try PrivateNamespace.isPresent else {
                throw Unexpected(PrivateNamespace.requirement)
            }
            let site = try Installation()
            var figures = try CommandBenchmark(site).figures()
            figures += try IdleBenchmark(site).figures()
            figures += try CrowdBenchmark(site).figures()
            figures.forEach { print($0.line) }
            exit(figures.allSatisfy(\.holds) ? 0 : 1)
        } catch {
            print("bench: \(error)")
            exit(1)
        }
    }
}
