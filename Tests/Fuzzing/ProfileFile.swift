import Enrolment
import JSON
import TunnelModel

/// Takes profiles in JSON: the input as it is, and inside of one that is whole.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProfileFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    _ = CMSMessage(detecting: input)
    _ = EnrolmentFormat(detecting: input)
    take(input)
    take(Array(beginning.utf8) + input + Array("}".utf8))
    return 0
}

private let beginning = """
    {"formatVersion": 1, "identifier": "x", "anchors": [{"name": "a", "kind": "wireguard",
     "publicKey": "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="}],
    """

private func take(_ bytes: [UInt8]) {
    do throws(JSONError) {
        let file = try ProfileFile(parsing: bytes)
        for name in [nil, "y"] as [String?] {
            let proposal = file.proposal(named: name, isArmed: false)
            precondition(proposal.material.secrets.isEmpty)
            precondition(proposal.material.tunnels.count == file.configurations.count)
            for tunnel in proposal.material.tunnels {
                var configuration = Configuration(identifier: "i", name: tunnel.name)
                tunnel.configure(&configuration)
                precondition(configuration.identifier == "i" && !configuration.onDemand.enabled)
                precondition(
                    configuration.normalized().configuration.providerConfigurationError == nil)
            }
        }
    } catch {
        precondition(!error.text.isEmpty)
    }
}
