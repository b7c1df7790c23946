import Glibc
import Resolver

@main
enum Program {
    static func main() {
        exit(ResolverProcess.main("utunctl-resolver"))
    }
}
