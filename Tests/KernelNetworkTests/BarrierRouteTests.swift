import Glibc
import KernelNetwork
import Testing
import TunnelModel

extension KernelSuite {
    /// Routes that lead nowhere, and what the kernel says of packets that meet them.
    @Suite struct BarrierRouteTests {
        private let table: UInt32 = 0x7580_0001
        private let protocolNumber: UInt8 = 117

        private func route(_ kind: Route.Kind, _ destination: String, metric: UInt32? = nil)
            throws -> Route
        {
            Route(
                kind, try #require(IPPrefix(destination)), table: table,
                protocolNumber: protocolNumber, metric: metric)
        }

        private func all(_ socket: borrowing RouteSocket) throws -> Set<Route> {
            Set(try socket.routes(table: table, kind: nil, protocol: protocolNumber))
        }

        /// Makes the table count for all packets while `body` runs.
        private func withRules(_ body: () throws -> Void) throws {
            for family in ["-4", "-6"] {
                try IPCommand.run(family, "rule", "add", "lookup", "\(table)", "priority", "4997")
            }
            defer {
                for family in ["-4", "-6"] {
                    _ = try? IPCommand.run(family, "rule", "delete", "priority", "4997")
                }
            }
            try body()
        }

        @Test func readsBackWhatItAdded() throws {
            let socket = try RouteSocket()
            let routes = try [
                route(.throw, "10.1.0.0/16"), route(.unreachable, "10.0.0.0/8"),
                route(.unreachable, "0.0.0.0/0", metric: 0x4123_4567),
                route(.throw, "fd01::/64"), route(.unreachable, "fd00::/8"),
                route(.unreachable, "::/0", metric: 0x4123_4567), route(.throw, "10.2.0.9/32"),
            ]
            #expect(try socket.add(routes) == [])
            defer { _ = try? socket.remove(routes) }
            #expect(try all(socket) == Set(routes))
            for kind in [Route.Kind.throw, .unreachable] {
                let some = Set(routes.filter { $0.kind == kind })
                #expect(
                    try Set(socket.routes(table: table, kind: kind, protocol: protocolNumber))
                        == some)
                #expect(
                    try Set(socket.routes(kind: kind, protocol: protocolNumber)) == some)
            }
            #expect(try socket.routes(table: table).isEmpty)
            // Each is there already; each that is removed is gone.
            #expect(try socket.add(routes).map(\.error.errno) == routes.map { _ in EEXIST })
            #expect(try socket.remove(routes) == [])
            #expect(try all(socket).isEmpty)
            #expect(try socket.remove(routes).map(\.error.errno) == routes.map { _ in ESRCH })
        }

        @Test func tenThousandAreAddedInBatches() throws {
            let socket = try RouteSocket()
            let routes = try (0..<10_000).map { number in
                let address = IPAddress(v4: 0x0A00_0000 + UInt32(number) << 8)
                return Route(
                    .throw, try #require(IPPrefix(address: address, length: 24)), table: table,
                    protocolNumber: protocolNumber)
            }
            #expect(try socket.add(routes) == [])
            #expect(try all(socket).count == 10_000)
            #expect(try socket.remove(routes) == [])
            #expect(try all(socket).isEmpty)
        }

        @Test(arguments: [("203.0.113.0/24", "203.0.113.5"), ("2001:db8::/32", "2001:db8::5")])
        func packetsAreRefusedOrLeftToOthers(network: String, target: String) throws {
            let socket = try RouteSocket()
            let destination = try #require(IPAddress(target))
            try ScratchLink.withCable { near, _ in
                let way = Route(
                    destination: try #require(IPPrefix(network)), interfaceIndex: near.index,
                    protocolNumber: protocolNumber)
                #expect(try socket.add([way]) == [])
                /// Whether the packet goes by the main table's route.
                func goesOn() throws -> Bool {
                    guard case .route(let found) = try socket.lookUp(RouteQuestion(to: destination))
                    else { return false }
                    return found.interfaceIndex == near.index && found.table == Route.mainTable
                }
                let refusing = try route(.unreachable, network)
                let throwing = try route(.throw, "\(target)/\(destination.family.bitWidth)")
                try withRules { () throws in
                    #expect(try goesOn())
                    #expect(try socket.add([refusing]) == [])
                    #expect(try socket.lookUp(RouteQuestion(to: destination)) == .unreachable)
                    #expect(try socket.routeLookup(to: destination) == nil)
                    // The longer prefix counts, and what it throws the main table decides.
                    #expect(try socket.add([throwing]) == [])
                    #expect(try goesOn())
                    #expect(try socket.remove([refusing, throwing]) == [])
                }
                #expect(try socket.remove([way]) == [])
                #expect(try socket.lookUp(RouteQuestion(to: destination)) == .noRoute)
            }
        }

        /// Where no rule was ever set, the kernel names the main table for these too.
        @Test func whatIsForThisHostIsToldAsThat() throws {
            let socket = try RouteSocket()
            try ScratchLink.withCable { near, _ in
                try IPCommand.run("address", "add", "10.42.0.1/24", "dev", near.name)
                let own = try #require(IPAddress("10.42.0.1"))
                let other = try #require(IPAddress("10.42.0.2"))
                /// Whether the kernel keeps a packet to the address.
                func stays(_ address: IPAddress) throws -> Bool {
                    if case .local = try socket.lookUp(RouteQuestion(to: address)) {
                        true
                    } else {
                        false
                    }
                }
                #expect(try stays(own) && !stays(other))
                #expect(try socket.routeLookup(to: own) != nil)
            }
        }

        @Test func questionsOfUsersAndOfForwardedPackets() throws {
            let socket = try RouteSocket()
            try ScratchLink.withCable { near, far in
                try IPCommand.run("address", "add", "10.40.0.1/24", "dev", near.name)
                try IPCommand.run("route", "add", "203.0.113.0/24", "dev", far.name)
                let target = try #require(IPAddress("203.0.113.5"))
                let refusing = try route(.unreachable, "203.0.113.0/24")
                #expect(try socket.add([refusing]) == [])
                defer { _ = try? socket.remove([refusing]) }
                try IPCommand.run(
                    "rule", "add", "uidrange", "4711-4711", "lookup", "\(table)", "priority", "4996"
                )
                try IPCommand.run(
                    "rule", "add", "iif", near.name, "lookup", "\(table)", "priority", "4995")
                defer {
                    for priority in ["4995", "4996"] {
                        _ = try? IPCommand.run("rule", "delete", "priority", priority)
                    }
                }
                guard case .route(let route) = try socket.lookUp(RouteQuestion(to: target, user: 1))
                else { return #expect(Bool(false)) }
                #expect(route.interfaceIndex == far.index)
                #expect(
                    try socket.lookUp(RouteQuestion(to: target, user: 4711)) == .unreachable)
                var forwarded = RouteQuestion(to: target)
                forwarded.incoming = (near.index, try #require(IPAddress("10.40.0.9")))
                #expect(try socket.lookUp(forwarded) == .unreachable)
            }
        }

        @Test(arguments: ["10.41.0.0/16", "fd41::/64"])
        func areAnnounced(network: String) throws {
            let events = try NetworkEventSocket()
            let socket = try RouteSocket()
            for kind in [Route.Kind.throw, .unreachable] {
                let route = try route(kind, network)
                #expect(try socket.add([route]) == [])
                #expect(try eventually { try events.read().contains(.routeAdded(route)) })
                #expect(try socket.remove([route]) == [])
                #expect(try eventually { try events.read().contains(.routeRemoved(route)) })
            }
        }

        private func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
            for _ in 0..<200 {
                if try condition() { return true }
                usleep(5000)
            }
            return false
        }
    }
}
