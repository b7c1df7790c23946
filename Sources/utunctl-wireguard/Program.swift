import Glibc
import ProviderKit
import WireGuardTunnel

@main
enum Program {
    static func main() {
        exit(ProviderSession.main("utunctl-wireguard") { WireGuardProvider($0) })
    }
}
