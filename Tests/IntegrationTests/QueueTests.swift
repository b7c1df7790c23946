import JSON
import TestSupport
import Testing

/// The queues of the TUN as a manifest asks for them.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct QueueTests {
    /// Answers with what the kernel says of each queue, and with the next packet of the first.
    private static let look = """
        import fcntl, select, struct, threading
        def flags(number):
            return struct.unpack("16sH22x", fcntl.ioctl(number, 0x800454d2, bytes(40)))[1]
        found = {"flags": [flags(number) for number in start["tun"]], "packet": None}
        def listen():
            while found["packet"] is None:
                for number in select.select(start["tun"], [], [])[0]:
                    packet = os.read(number, 65536)
                    if b"a packet of the test" in packet:
                        found["packet"] = packet.hex()
        threading.Thread(target=listen, daemon=True).start()
        return found
        """

    private func packet(_ tun: String?) throws -> (flags: [Int64], packet: String) {
        let site = try Installation()
        try site.installProbe(Self.look, tun)
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        let report = try site.report(ofStarted: "office")
        let flags = report["flags"]?.array?.compactMap(\.integer) ?? []
        let send = """
            import socket
            made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            made.sendto(b"a packet of the test", ("10.98.0.2", 9))
            """
        #expect(try Command.run(["python3", "-c", send]).status == 0)
        var text = ""
        _ = try eventually {
            text = try site.status("office").value("provider.report.packet")?.string ?? ""
            return !text.isEmpty
        }
        return (flags, text)
    }

    private let multiQueue: Int64 = 0x0100
    private let packetInformation: Int64 = 0x1000
    private let vnetHeader: Int64 = 0x4000

    @Test func withoutAWishThereIsOneQueueOfBarePackets() throws {
        let (flags, packet) = try packet(nil)
        #expect(flags.count == 1)
        #expect(flags.allSatisfy { $0 & (multiQueue | vnetHeader) == 0 })
        #expect(flags.allSatisfy { $0 & packetInformation != 0 })
        #expect(packet.hasPrefix("45"), "\(packet)")
    }

    @Test func packetsCarryTheHeaderThatTheManifestAsksFor() throws {
        let (flags, packet) = try packet(#""tun": {"vnetHeader": true, "queues": 1}"#)
        #expect(flags.count == 1)
        #expect(flags.allSatisfy { $0 & vnetHeader != 0 && $0 & multiQueue == 0 })
        // A virtio_net_hdr has ten bytes; this one says nothing of segments.
        #expect(packet.dropFirst(20).hasPrefix("45"), "\(packet)")
        #expect(packet.dropFirst(2).hasPrefix("00"), "\(packet)")
    }

    @Test(arguments: [true, false])
    func thereAreAsManyQueuesAsTheManifestAsksFor(hasHeader: Bool) throws {
        let (flags, packet) = try packet("\"tun\": {\"vnetHeader\": \(hasHeader), \"queues\": 3}")
        #expect(flags.count == 3)
        #expect(flags.allSatisfy { $0 & multiQueue != 0 })
        #expect(flags.allSatisfy { ($0 & vnetHeader != 0) == hasHeader })
        #expect(packet.dropFirst(hasHeader ? 20 : 0).hasPrefix("45"), "\(packet)")
    }
}
