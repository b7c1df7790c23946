import Glibc
import KernelNetwork
import Testing
import TunnelModel

extension KernelSuite {
    @Suite struct StatisticsTests {
        @Test func agreeWithTheIPCommand() throws {
            try ScratchLink.withCable { near, far in
                let socket = try RouteSocket()
                try send(datagrams: 10, ofSize: 1000, on: near)
                for link in [near, far] {
                    let counters = try #require(try socket.link(index: link.index)).statistics
                    let expected = try IPCommand.link(link.name).stats64
                    #expect(counters.receivedBytes == expected.rx.bytes)
                    #expect(counters.receivedPackets == expected.rx.packets)
                    #expect(counters.receivedErrors == expected.rx.errors)
                    #expect(counters.receivedDropped == expected.rx.dropped)
                    #expect(counters.sentBytes == expected.tx.bytes)
                    #expect(counters.sentPackets == expected.tx.packets)
                    #expect(counters.sentErrors == expected.tx.errors)
                    #expect(counters.sentDropped == expected.tx.dropped)
                }
                let sent = try #require(try socket.link(index: near.index)).statistics
                #expect(sent.sentPackets == 10)
                #expect(sent.sentBytes == 10 * (1000 + 8 + 20 + 14))
                let received = try #require(try socket.link(index: far.index)).statistics
                #expect(received.receivedBytes == sent.sentBytes)
            }
        }

        /// A counter of 32 bits would have begun anew.
        @Test func goBeyondFourGibibytes() throws {
            try ScratchLink.withCable { near, far in
                let socket = try RouteSocket()
                for end in [near, far] { try socket.setLink(index: end.index, mtu: 65_535) }
                let size = 65_507
                let count = 1 << 32 / size + 1
                try send(datagrams: count, ofSize: size, on: near)
                let counters = try #require(try socket.link(index: near.index)).statistics
                #expect(counters.sentBytes == UInt64(count * (size + 8 + 20 + 14)))
                #expect(counters.sentBytes > 1 << 32)
            }
        }

        private func send(datagrams: Int, ofSize size: Int, on link: ScratchLink) throws {
            try IPCommand.run("address", "add", "10.77.0.1/24", "dev", link.name)
            try IPCommand.run(
                "neighbour", "add", "10.77.0.2", "lladdr", "02:00:00:00:00:02", "dev", link.name
            )
            let descriptor = socket(AF_INET, CInt(bitPattern: SOCK_DGRAM.rawValue), 0)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(9).bigEndian
            address.sin_addr.s_addr = UInt32(0x0a4d_0002).bigEndian
            let connected = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(connected == 0)
            let payload = [UInt8](repeating: 0, count: size)
            for _ in 0..<datagrams {
                guard Glibc.send(descriptor, payload, size, 0) == size else {
                    Issue.record("send: errno \(errno)")
                    return
                }
            }
        }
    }
}
