import Glibc
import KernelNetwork
import Testing
import TunnelModel

extension KernelSuite {
    @Suite struct RouteTests {
        let table: UInt32 = 0x7500_0001
        let protocolNumber: UInt8 = 117

        @Test func readsBackWhatItAdded() throws {
            try withUpTun { socket, index in
                let routes = [
                    route("10.1.0.0/16", index),
                    route("0.0.0.0/0", index, metric: 50),
                    route("10.2.0.1/32", index, source: "10.9.0.2"),
                    route("10.3.0.0/16", index, gateway: "10.9.0.7"),
                    route("10.4.0.0/16", index, gateway: "fd00:9::7"),
                    route("::/0", index),
                    route("fd01::/64", index, metric: 77),
                    route("fd02::/64", index, source: "fd00:9::2"),
                    route("fd03::/64", index, gateway: "fd00:9::7"),
                ].compactMap(\.self)
                #expect(routes.count == 9)
                let failures = try socket.add(routes)
                #expect(failures == [])
                #expect(try Set(read(socket, index)) == Set(routes))
                #expect(try socket.remove(routes) == [])
                #expect(try read(socket, index).isEmpty)
            }
        }

        @Test func addsTenThousandInBatches() throws {
            try withUpTun { socket, index in
                let routes = (0..<10_000).map { number in
                    Route(
                        destination: IPPrefix(host: IPAddress(v4: 0x0a80_0000 + UInt32(number))),
                        interfaceIndex: index,
                        table: table,
                        protocolNumber: protocolNumber
                    )
                }
                #expect(try socket.add(routes) == [])
                #expect(try Set(read(socket, index)) == Set(routes))

                // Every one of them exists, and every one is reported.
                let failures = try socket.add(routes)
                #expect(failures.map(\.route) == routes)
                #expect(failures.allSatisfy { $0.error.errno == EEXIST })

                #expect(try socket.remove(routes) == [])
                let gone = try socket.remove(routes)
                #expect(gone.map(\.route) == routes)
                #expect(gone.allSatisfy { $0.error.errno == ESRCH })
            }
        }

        @Test(arguments: ["10.20.0.0/24", "fd20::/64"])
        func reportsTheRoutesThatFailedAndAddsTheOthers(text: String) throws {
            try withUpTun { socket, index in
                let first = try #require(IPPrefix(text))
                let routes = (0..<500).map { number in
                    Route(
                        destination: first.shifted(by: number),
                        interfaceIndex: index,
                        table: table,
                        protocolNumber: protocolNumber
                    )
                }
                let taken = [0, 199, 200, 333, 499].map { routes[$0] }
                #expect(try socket.add(taken) == [])
                let failures = try socket.add(routes)
                #expect(failures.map(\.route) == taken)
                #expect(failures.allSatisfy { $0.error.errno == EEXIST })
                #expect(failures.first?.error.subject == "\(first)")
                #expect(try read(socket, index).count == routes.count)
            }
        }

        @Test func refusalsCarryTheKernelsText() throws {
            try withUpTun { socket, index in
                let unreachable = try #require(route("10.5.0.0/16", index, gateway: "192.0.2.1"))
                let failure = try #require(try socket.add([unreachable]).first)
                #expect(failure.error.errno == ENETUNREACH)
                #expect(failure.error.kernelText == "Nexthop has invalid gateway")
                #expect(try socket.add([]) == [])
            }
        }

        @Test func filtersByLinkTableAndProtocol() throws {
            try withUpTun { socket, index in
                let ours = try #require(route("10.1.0.0/16", index))
                let foreign = Route(
                    destination: ours.destination,
                    interfaceIndex: index,
                    table: table + 1,
                    protocolNumber: 4
                )
                #expect(try socket.add([ours, foreign]) == [])
                #expect(try socket.routes(ofLink: index, table: table) == [ours])
                #expect(try socket.routes(protocol: protocolNumber) == [ours])
                #expect(try socket.routes(table: table + 1) == [foreign])
                #expect(try socket.routes(table: table + 2).isEmpty)
                #expect(try socket.routes(ofLink: 1, table: table).isEmpty)
                let error = try #require(throws: NetlinkError.self) {
                    try socket.routes(ofLink: 99_999)
                }
                #expect(error.errno == ENODEV)
            }
        }

        @Test func eachNextHopIsARoute() throws {
            try ScratchLink.withCable { near, far in
                try IPCommand.run(
                    "route", "add", "10.30.0.0/16", "table", "300", "proto", "117",
                    "nexthop", "dev", near.name, "nexthop", "dev", far.name
                )
                let socket = try RouteSocket()
                let both = try socket.routes(table: 300)
                #expect(Set(both.map(\.interfaceIndex)) == [near.index, far.index])
                let one = try socket.routes(ofLink: near.index, table: 300)
                #expect(one.map(\.interfaceIndex) == [near.index])
            }
        }

        @Test func looksUpWithAndWithoutAMark() throws {
            try withUpTun { socket, index in
                let target = try #require(IPAddress("203.0.113.5"))
                #expect(try socket.routeLookup(to: target) == nil)
                #expect(try socket.routeLookup(to: try #require(IPAddress("2001:db8::1"))) == nil)
                #expect(try socket.add([route("203.0.113.0/24", index)].compactMap(\.self)) == [])
                try IPCommand.run(
                    "rule", "add", "fwmark", "0x75000075", "lookup", "\(table)", "priority", "4999"
                )
                defer { _ = try? IPCommand.run("rule", "delete", "priority", "4999") }
                #expect(try socket.routeLookup(to: target) == nil)
                let found = try #require(try socket.routeLookup(to: target, mark: 0x7500_0075))
                #expect(found.interfaceIndex == index)
                #expect(found.table == table)
                #expect(found.preferredSource == IPAddress("10.9.0.2"))

                let v6 = try #require(IPAddress("2001:db8::1"))
                #expect(try socket.add([route("2001:db8::/32", index)].compactMap(\.self)) == [])
                try IPCommand.run("-6", "rule", "add", "lookup", "\(table)", "priority", "4999")
                defer { _ = try? IPCommand.run("-6", "rule", "delete", "priority", "4999") }
                let found6 = try #require(try socket.routeLookup(to: v6))
                #expect(found6.interfaceIndex == index)
                #expect(found6.table == table)

                let own = try #require(IPAddress("10.9.0.2"))
                #expect(try socket.routeLookup(to: own)?.interfaceIndex == if_nametoindex("lo"))
            }
        }

        @Test func listsDefaultRoutesByMetric() throws {
            try ScratchLink.withCable { near, far in
                let socket = try RouteSocket()
                for family in ["-4", "-6"] {
                    try IPCommand.run(
                        family, "route", "add", "default", "dev", near.name, "metric", "200"
                    )
                    try IPCommand.run(
                        family, "route", "add", "default", "dev", far.name, "metric", "100"
                    )
                }
                for family in [IPAddress.Family.v4, .v6] {
                    #expect(
                        try socket.defaultRouteInterfaces(family) == [far.index, near.index]
                    )
                }
                #expect(try socket.defaultRoutes().map(\.metric) == [100, 200, 100, 200])
            }
        }

        private func withUpTun(_ body: (borrowing RouteSocket, UInt32) throws -> Void) throws {
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, up: true, withoutIPv6AddressGeneration: true)
                for text in ["10.9.0.2/24", "fd00:9::2/64"] {
                    try socket.addAddress(try #require(IPPrefix(text)), toLink: tun.index)
                }
                try body(socket, tun.index)
            }
        }

        private func read(_ socket: borrowing RouteSocket, _ index: UInt32) throws -> [Route] {
            try socket.routes(ofLink: index, table: table, protocol: protocolNumber)
        }

        private func route(
            _ destination: String,
            _ index: UInt32,
            metric: UInt32? = nil,
            source: String? = nil,
            gateway: String? = nil
        ) -> Route? {
            IPPrefix(destination).map {
                Route(
                    destination: $0,
                    interfaceIndex: index,
                    table: table,
                    protocolNumber: protocolNumber,
                    metric: metric,
                    preferredSource: source.flatMap { IPAddress($0) },
                    gateway: gateway.flatMap { IPAddress($0) }
                )
            }
        }
    }
}

extension IPPrefix {
    /// The network of the same length so many further on.
    fileprivate func shifted(by count: Int) -> IPPrefix {
        let number = address.number + UInt128(count) << (family.bitWidth - length)
        let shifted =
            switch family {
            case .v4: IPAddress(v4: UInt32(number))
            case .v6: IPAddress(v6: number)
            }
        return IPPrefix(address: shifted, length: length) ?? self
    }
}
