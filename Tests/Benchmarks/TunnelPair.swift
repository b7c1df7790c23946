import TestSupport

/// A tunnel between this host and the far one, with both ends of one implementation.
final class TunnelPair {
    /// What both ends are told.
    struct Ends {
        let near: WireGuardFile
        let far: WireGuardFile
        let farAddress: String
        let place: Place

        init(_ host: FarHost, number: Int, peers: Int) throws {
            let keys = (near: try WireGuardKey(), far: try WireGuardKey())
            let port = 51820 + number
            farAddress = "10.77.\(number).2"
            place = host.place
            let living = WireGuardFile.Peer(
                keys.far.publicKey, endpoint: "\(host.v4):\(port)",
                allowedIPs: ["\(farAddress)/32"])
            // The living peer stands in the middle of the others.
            var all = (0..<(peers - 1)).map { other in
                WireGuardFile.Peer(
                    WireGuardKey.publicKeyOfNobody(),
                    allowedIPs: ["10.78.\(other / 256).\(other % 256)/32"])
            }
            all.insert(living, at: all.count / 2)
            near = WireGuardFile(
                key: keys.near, listenPort: port, addresses: ["10.77.\(number).1/24"], peers: all)
            far = WireGuardFile(
                key: keys.far, listenPort: port, addresses: ["\(farAddress)/24"],
                peers: [
                    WireGuardFile.Peer(
                        keys.near.publicKey, allowedIPs: ["10.77.\(number).1/32"])
                ])
        }
    }

    /// What one run of one kind of traffic cost.
    struct Cost {
        let bitsPerSecond: Double
        /// User and system seconds of the two providers alone, for each GiB received.
        let providerSecondsPerGibibyte: Double
        /// Seconds in which any processor worked at anything, iperf3 and the kernel included.
        let machineSecondsPerGibibyte: Double
    }

    let near: any WireGuardEnd
    let far: any WireGuardEnd
    let farAddress: String
    private let place: Place

    init(_ ends: Ends, near: any WireGuardEnd, far: any WireGuardEnd) {
        self.near = near
        self.far = far
        farAddress = ends.farAddress
        place = ends.place
    }

    /// One stream of TCP to the far end.
    func stream(_ extent: Iperf.Extent) throws -> Cost {
        let iperf = try Iperf.stream(to: farAddress, at: place, extent)
        let before = try readings()
        let stream = try iperf.streamed()
        let after = try readings()
        let gibibytes = stream.bytes / Double(1 << 30)
        return Cost(
            bitsPerSecond: stream.bitsPerSecond,
            providerSecondsPerGibibyte: (after.providers - before.providers) / gibibytes,
            machineSecondsPerGibibyte: (after.machine - before.machine) / gibibytes)
    }

    /// A stream of TCP that is to run beside others.
    func prepareStream(_ extent: Iperf.Extent, port: Int) throws -> Iperf {
        try Iperf.stream(to: farAddress, at: place, extent, port: port)
    }

    /// Datagrams to the far end.
    func datagrams(length: Int, perSecond rate: Int, seconds: Int) throws -> Iperf.Datagrams {
        try Iperf.datagrams(
            to: farAddress, at: place, length: length, perSecond: rate, seconds: seconds
        ).sent()
    }

    /// Milliseconds of echoes from the far end.
    func echoes(count: Int) throws -> [Double] {
        try EchoTimes.measure(to: farAddress, count: count)
    }

    /// The resident memory of the providers, in MiB.
    func resident() throws -> [Double] {
        try [near, far].map { try ProcessUsage.residentMebibytes(of: $0.pid) }
    }

    private func readings() throws -> (providers: Double, machine: Double) {
        let providers = try [near, far].map { try ProcessUsage.processorSeconds(of: $0.pid) }
        return (providers.reduce(0, +), try ProcessUsage.machineSeconds())
    }
}
