import Glibc
import KernelNetwork
import Testing

extension KernelSuite {
    @Suite struct LinkTests {
        @Test func readsALinkByIndexAndByName() throws {
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                let link = try #require(try socket.link(index: tun.index))
                #expect(try socket.link(name: tun.name) == link)
                #expect(try socket.links().contains(link))
                #expect(link.index == tun.index)
                #expect(link.name == tun.name)
                #expect(link.alias == nil)
                #expect(link.mtu == 1500)
                #expect(link.kind == "tun")
                #expect(link.isPersistent == true)
                #expect(!link.isUp)
                #expect(!link.hasCarrier)
                #expect(!link.isLoopback)
            }
        }

        @Test func readsTheLoopbackInterface() throws {
            let socket = try RouteSocket()
            let loopback = try #require(try socket.link(name: "lo"))
            #expect(loopback.isLoopback)
            #expect(loopback.kind == nil)
            #expect(loopback.isPersistent == nil)
            #expect(loopback.hardwareType == 772)
        }

        @Test func seesCarrierOnlyWhereItIs() throws {
            try ScratchLink.withCable { near, far in
                let socket = try RouteSocket()
                #expect(try socket.link(index: near.index)?.hasCarrier == true)
                try socket.setLink(index: far.index, up: false)
                let link = try #require(try socket.link(index: near.index))
                #expect(link.isUp)
                #expect(!link.hasCarrier)
            }
        }

        @Test func aMissingLinkIsNoError() throws {
            let socket = try RouteSocket()
            #expect(try socket.link(index: 0) == nil)
            #expect(try socket.link(index: 99_999) == nil)
            #expect(try socket.link(index: .max) == nil)
            #expect(try socket.link(name: "nosuchlink") == nil)
            #expect(try socket.link(name: "") == nil)
            #expect(try socket.link(name: "sixteenletters__") == nil)
        }

        @Test func changesOnlyWhatIsAsked() throws {
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                let before = try IPCommand.link(tun.name)
                try socket.setLink(index: tun.index, up: true)
                var after = try IPCommand.link(tun.name)
                // NO-CARRIER is ip's own word for a link that is up and not running.
                #expect(after.flags == before.flags.union(["UP", "NO-CARRIER"]))
                #expect(after.mtu == before.mtu)

                try socket.setLink(index: tun.index, alias: "a mark", mtu: 1420)
                after = try IPCommand.link(tun.name)
                #expect(after.mtu == 1420)
                #expect(after.ifalias == "a mark")
                #expect(after.flags.contains("UP"))
                #expect(try socket.link(index: tun.index)?.alias == "a mark")

                try socket.setLink(index: tun.index, up: false)
                after = try IPCommand.link(tun.name)
                #expect(after.flags == before.flags)
                #expect(after.mtu == 1420)

                try socket.setLink(index: tun.index, alias: "")
                #expect(try socket.link(index: tun.index)?.alias == nil)
            }
        }

        @Test func stopsAddressGenerationBeforeTheLinkIsUp() throws {
            try ScratchLink.withCable { near, _ in
                let socket = try RouteSocket()
                try IPCommand.run("link", "set", near.name, "down", "addrgenmode", "eui64")
                try socket.setLink(
                    index: near.index,
                    mtu: 1400,
                    up: true,
                    withoutIPv6AddressGeneration: true
                )
                #expect(try IPCommand.link(near.name).inet6_addr_gen_mode == "none")
                #expect(try socket.addresses(ofLink: near.index).isEmpty)

                // The probe is not blind: without the setting there is an address.
                try IPCommand.run("link", "set", near.name, "down", "addrgenmode", "eui64")
                try socket.setLink(index: near.index, up: true)
                #expect(try !socket.addresses(ofLink: near.index).isEmpty)
            }
        }

        /// Below an MTU of 1280 a link has no IPv6, as on a host where IPv6 is off.
        @Test func appliesTheRestWhereThereIsNoIPv6() throws {
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                try socket.setLink(index: tun.index, mtu: 1000)
                try socket.setLink(
                    index: tun.index,
                    alias: "mark",
                    mtu: 1100,
                    up: true,
                    withoutIPv6AddressGeneration: true
                )
                let link = try #require(try socket.link(index: tun.index))
                #expect(link.isUp)
                #expect(link.mtu == 1100)
                #expect(link.alias == "mark")
            }
        }

        @Test func refusalsCarryTheKernelsNumberAndText() throws {
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                let error = try #require(throws: NetlinkError.self) {
                    try socket.setLink(index: tun.index, mtu: 70_000)
                }
                #expect(error.errno == EINVAL)
                #expect(error.kernelText == "mtu greater than device maximum")
                #expect(
                    error.description == "changing the link \(tun.name): Invalid argument "
                        + "(mtu greater than device maximum)"
                )
            }
        }

        @Test func changingAMissingLinkIsENODEV() throws {
            let socket = try RouteSocket()
            let error = try #require(throws: NetlinkError.self) {
                try socket.setLink(index: 99_999, up: true)
            }
            #expect(error.errno == ENODEV)
            #expect(error.subject == "with index 99999")
        }

        @Test func anAliasThatIsTooLongIsRefused() throws {
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                let longest = String(repeating: "x", count: 255)
                try socket.setLink(index: tun.index, alias: longest)
                #expect(try socket.link(index: tun.index)?.alias == longest)
                let error = try #require(throws: NetlinkError.self) {
                    try socket.setLink(index: tun.index, alias: longest + "x")
                }
                #expect(error.errno == ERANGE)
            }
        }

        @Test func deletesALinkOnce() throws {
            try ScratchLink.withTun { tun in
                let socket = try RouteSocket()
                #expect(try socket.deleteLink(index: tun.index))
                #expect(try socket.link(index: tun.index) == nil)
                #expect(try !socket.deleteLink(index: tun.index))
            }
        }

        @Test func socketsAreClosedWithTheirOwner() throws {
            let before = try descriptorCount()
            for _ in 0..<50 {
                let socket = try RouteSocket()
                _ = try socket.link(index: 1)
                _ = try NetworkEventSocket().read()
            }
            // Other suites run beside this one and may hold a few.
            #expect(try descriptorCount() < before + 50)
        }

        private func descriptorCount() throws -> Int {
            let directory = try #require(opendir("/proc/self/fd"))
            defer { closedir(directory) }
            var count = 0
            while readdir(directory) != nil { count += 1 }
            return count
        }
    }
}
