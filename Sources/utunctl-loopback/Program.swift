import Glibc
import Loopback
import ProviderKit

@main
enum Program {
    static func main() {
        exit(ProviderSession.main("utunctl-loopback") { LoopbackProvider($0) })
    }
}
