import TestSupport

/// A network of this host that leads anywhere and nobody answers on.
final class Uplink {
    static let interface = "up0"

    init() throws {
        try Kernel.ip("link", "add", Self.interface, "type", "veth", "peer", "name", "up1")
        for interface in [Self.interface, "up1"] {
            try Kernel.ip("link", "set", interface, "addrgenmode", "none")
            try Kernel.ip("link", "set", interface, "up")
        }
        for family in ["-4", "-6"] {
            // Behind the default route of whoever makes one.
            try Kernel.ip(
                family, "route", "add", "default", "dev", Self.interface, "metric", "9000")
        }
    }

    deinit {
        _ = try? Command.run(["ip", "link", "delete", Self.interface])
    }
}
