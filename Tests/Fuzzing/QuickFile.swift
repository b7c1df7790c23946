import Enrolment
import TunnelModel

/// Takes files of wg-quick: the input as it is, and behind a file that is one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQuickFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    take(input)
    for beginning in beginnings { take(beginning + input) }
    return 0
}

/// Half of each section, so that the input is its rest: a key is found by nobody's chance.
private let beginnings = [
    "[Interface]\nPrivateKey = 6MtpuoaYmSKDAMVkEmw+zuRzY3pPeP5rJo7Tw0yGlFQ=\nAddress = 10.9.0.2\n",
    """
    [Interface]
    PrivateKey = 6MtpuoaYmSKDAMVkEmw+zuRzY3pPeP5rJo7Tw0yGlFQ=
    Address = 10.9.0.2
    [Peer]
    PublicKey = hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=
    AllowedIPs = 10.0.0.0/8

    """,
].map { Array($0.utf8) }

private func take(_ bytes: [UInt8]) {
    do throws(QuickFileError) {
        let file = try QuickFile(parsing: bytes)
        let tunnel = file.tunnel(named: "x", of: "x")
        precondition(tunnel.own.peers.count == file.peers.count)
        precondition(!tunnel.secrets.isEmpty && !tunnel.own.addresses.isEmpty)
        // What it comes to is what a configuration may be.
        var configuration = Configuration(identifier: "", name: "x")
        tunnel.configure(&configuration)
        precondition(configuration.providerConfigurationError == nil)
        // Each line is one of the file.
        let lines = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        for item in file.report(named: "x") {
            precondition(item.line.map { (1...lines).contains($0) } ?? false)
        }
    } catch {
        precondition(!error.text.isEmpty)
    }
}
