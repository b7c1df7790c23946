import Glibc
import KernelNetwork
import Testing
import TunnelModel

extension KernelSuite {
    @Suite struct NetworkEventTests {
        @Test func announcesLinks() throws {
            let events = try NetworkEventSocket(.links)
            let (name, index) = try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, alias: "mark", up: true)
                try waitFor(events, "the link up") { event in
                    guard case .linkChanged(let link) = event else { return false }
                    return link.index == tun.index && link.isUp && link.alias == "mark"
                }
                return (tun.name, tun.index)
            }
            try waitFor(events, "the link gone") { $0 == .linkRemoved(index: index, name: name) }
        }

        @Test(arguments: ["10.9.0.2/24", "fd00:9::2/64"])
        func announcesAddressesAndRoutes(text: String) throws {
            let events = try NetworkEventSocket()
            let prefix = try #require(IPPrefix(text))
            try ScratchLink.withTun { tun in
                let index = tun.index
                let socket = try RouteSocket()
                try socket.setLink(index: index, up: true, withoutIPv6AddressGeneration: true)
                try socket.addAddress(prefix, toLink: index)
                try waitFor(events, "the address") {
                    $0 == .addressAdded(index: index, prefix: prefix)
                }
                let destination = try #require(
                    IPPrefix(prefix.family == .v4 ? "10.40.0.0/16" : "fd40::/64")
                )
                let route = Route(
                    destination: destination,
                    interfaceIndex: index,
                    table: 400,
                    protocolNumber: 117
                )
                #expect(try socket.add([route]) == [])
                try waitFor(events, "the route") { $0 == .routeAdded(route) }
                #expect(try socket.remove([route]) == [])
                try waitFor(events, "the route gone") { $0 == .routeRemoved(route) }
                try socket.removeAddress(prefix, fromLink: index)
                try waitFor(events, "the address gone") {
                    $0 == .addressRemoved(index: index, prefix: prefix)
                }
            }
        }

        @Test(arguments: [IPAddress.Family.v4, .v6])
        func announcesRules(family: IPAddress.Family) throws {
            let events = try NetworkEventSocket()
            let rule = PolicyRule(
                family: family, priority: 4998, table: 404, mark: .init(0x7500_0075),
                isInverted: true, suppressedLength: 0, protocolNumber: 117)
            let socket = try RouteSocket()
            try socket.add(rule)
            defer { _ = try? socket.remove(rule) }
            try waitFor(events, "the rule") { $0 == .ruleAdded(rule) }
            let family = family == .v4 ? "-4" : "-6"
            try IPCommand.run(family, "rule", "delete", "priority", "4998")
            try waitFor(events, "the rule gone") { $0 == .ruleRemoved(rule) }
        }

        @Test func hearsOnlyOfItsGroups() throws {
            let addresses = try NetworkEventSocket(.v4Addresses)
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, up: true, withoutIPv6AddressGeneration: true)
                let prefix = try #require(IPPrefix("10.9.0.2/24"))
                try socket.addAddress(prefix, toLink: tun.index)
                #expect(
                    try addresses.read() == [.addressAdded(index: tun.index, prefix: prefix)]
                )
                #expect(try addresses.read() == [])
            }
        }

        @Test func anOverflowIsSaidOnceAndTheSocketLivesOn() throws {
            let events = try NetworkEventSocket(.v4Routes, receiveBuffer: 4096)
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, up: true)
                let routes = (0..<1000).map { number in
                    Route(
                        destination: IPPrefix(host: IPAddress(v4: 0x0a80_0000 + number)),
                        interfaceIndex: tun.index,
                        table: 401,
                        protocolNumber: 117
                    )
                }
                #expect(try socket.add(routes) == [])
                #expect(try events.read() == [.overflow])
                #expect(try events.read() == [])
                #expect(try socket.remove([routes[0]]) == [])
                #expect(try events.read() == [.routeRemoved(routes[0])])
            }
        }

        @Test func aFloodIsReadInParts() throws {
            let events = try NetworkEventSocket(.v4Routes)
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, up: true)
                let routes = (0..<1500).map { number in
                    Route(
                        destination: IPPrefix(host: IPAddress(v4: 0x0a80_0000 + number)),
                        interfaceIndex: tun.index,
                        table: 402,
                        protocolNumber: 117
                    )
                }
                #expect(try socket.add(routes) == [])
                let first = try events.read()
                let rest = try events.read()
                #expect(first.count == 1000)
                #expect(first + rest == routes.map { .routeAdded($0) })
                #expect(try events.read() == [])
            }
        }

        /// Who watches routes must watch links too.
        @Test(arguments: [("10.41.0.0/16", false), ("fd41::/64", true)])
        func onlyIPv6AnnouncesTheRoutesThatGoWithTheirLink(
            text: String,
            isAnnounced: Bool
        ) throws {
            let events = try NetworkEventSocket([.links, .v4Routes, .v6Routes])
            let route = try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, up: true, withoutIPv6AddressGeneration: true)
                let route = Route(
                    destination: try #require(IPPrefix(text)),
                    interfaceIndex: tun.index,
                    table: 403,
                    protocolNumber: 117
                )
                #expect(try socket.add([route]) == [])
                #expect(try socket.deleteLink(index: tun.index))
                #expect(try socket.routes(table: 403).isEmpty)
                return route
            }
            #expect(try events.read().contains(.routeRemoved(route)) == isAnnounced)
        }

        /// A port leaves its bridge by a message that looks like the end of the link.
        @Test func aPortThatLeavesItsBridgeIsNotGone() throws {
            let events = try NetworkEventSocket(.links)
            try ScratchLink.withCable { near, _ in
                let bridge = "b\(near.name.dropFirst())"
                try IPCommand.run("link", "add", bridge, "type", "bridge")
                defer { _ = try? IPCommand.run("link", "delete", bridge) }
                try IPCommand.run("link", "set", near.name, "master", bridge)
                try IPCommand.run("link", "set", near.name, "nomaster")
                let gone = NetworkEvent.linkRemoved(index: near.index, name: near.name)
                #expect(try !events.read().contains(gone))
            }
        }

        private func waitFor(
            _ events: borrowing NetworkEventSocket,
            _ what: Comment,
            _ matches: (NetworkEvent) -> Bool
        ) throws {
            var seen: [NetworkEvent] = []
            for _ in 0..<20 {
                let read = try events.read()
                if read.contains(where: matches) { return }
                seen += read
                var wait = pollfd(fd: events.fileDescriptor, events: Int16(POLLIN), revents: 0)
                poll(&wait, 1, 100)
            }
            Issue.record("\(what) was not announced, but \(seen)")
        }
    }
}
