import Glibc
import KernelNetwork
import Testing
import TunnelModel

extension KernelSuite {
    @Suite struct AddressTests {
        @Test(arguments: ["10.9.0.2/24", "10.9.0.2/32", "fd00:9::2/64", "fd00:9::2/128"])
        func addsAndRemoves(text: String) throws {
            let prefix = try #require(IPPrefix(text))
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, up: true, withoutIPv6AddressGeneration: true)
                #expect(try socket.addresses(ofLink: tun.index).isEmpty)
                try socket.addAddress(prefix, toLink: tun.index)
                #expect(
                    try socket.addresses(ofLink: tun.index)
                        == [InterfaceAddress(interfaceIndex: tun.index, prefix: prefix)]
                )
                let error = try #require(throws: NetlinkError.self) {
                    try socket.addAddress(prefix, toLink: tun.index)
                }
                #expect(error.errno == EEXIST)
                #expect(error.subject == tun.name)

                try socket.removeAddress(prefix, fromLink: tun.index)
                #expect(try socket.addresses(ofLink: tun.index).isEmpty)
                let missing = try #require(throws: NetlinkError.self) {
                    try socket.removeAddress(prefix, fromLink: tun.index)
                }
                #expect(missing.errno == EADDRNOTAVAIL)
            }
        }

        @Test func theKernelAddsTheRouteToTheNetwork() throws {
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, up: true, withoutIPv6AddressGeneration: true)
                for text in ["10.9.0.2/24", "fd00:9::2/64"] {
                    try socket.addAddress(try #require(IPPrefix(text)), toLink: tun.index)
                }
                let routes = try socket.routes(ofLink: tun.index, table: Route.mainTable)
                #expect(
                    Set(routes.map(\.destination.description)) == ["10.9.0.0/24", "fd00:9::/64"]
                )
            }
        }

        @Test(arguments: ["10.9.0.2/24", "fd00:9::2/64"])
        func theKernelAddsNoRouteWhereItIsToldNotTo(text: String) throws {
            let prefix = try #require(IPPrefix(text))
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, up: true, withoutIPv6AddressGeneration: true)
                try socket.addAddress(prefix, toLink: tun.index, withoutNetworkRoute: true)
                #expect(try socket.addresses(ofLink: tun.index).map(\.hasNetworkRoute) == [false])
                #expect(try socket.routes(ofLink: tun.index, table: Route.mainTable).isEmpty)
            }
        }

        @Test func listsOnlyTheLinkAskedFor() throws {
            try ScratchLink.withCable { near, far in
                let socket = try RouteSocket()
                let prefix = try #require(IPPrefix("10.9.1.1/24"))
                try socket.addAddress(prefix, toLink: far.index)
                #expect(try socket.addresses(ofLink: near.index).isEmpty)
                #expect(try socket.addresses(ofLink: far.index).map(\.prefix) == [prefix])
            }
        }

        /// A search for duplicates is told apart from an address that can be used.
        @Test func tellsTentativeAddresses() throws {
            try ScratchLink.withCable { near, _ in
                let socket = try RouteSocket()
                try IPCommand.run("address", "add", "fd00:7::1/64", "dev", near.name)
                let address = try #require(try socket.addresses(ofLink: near.index).first)
                #expect(address.isTentative)
                #expect(!address.isDuplicate)
            }
        }

        @Test func theAddressesOfAMissingLinkAreENODEV() throws {
            let socket = try RouteSocket()
            let error = try #require(throws: NetlinkError.self) {
                try socket.addresses(ofLink: 99_999)
            }
            #expect(error.errno == ENODEV)
        }
    }
}
