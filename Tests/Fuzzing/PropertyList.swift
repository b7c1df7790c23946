import Enrolment
import JSON
import PropertyLists
import TunnelModel

/// Takes property lists and configuration profiles: the input as it is, and as the keys of a
/// VPN payload.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPropertyList(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    take(input)
    take(beginning + input + end)
    take(Array("bplist00".utf8) + input)
    return 0
}

/// Around keys that are found by nobody's chance.
private let beginning = Array(
    """
    <plist><dict><key>PayloadType</key><string>Configuration</string>
    <key>PayloadDisplayName</key><string>x</string><key>PayloadContent</key><array><dict>
    <key>PayloadType</key><string>com.apple.vpn.managed</string><key>VPNType</key>
    <string>VPN</string><key>VPNSubType</key><string>org.example.vpn</string><key>VPN</key><dict>
    """.utf8)
private let end = Array("</dict></dict></array></dict></plist>".utf8)

private func take(_ bytes: [UInt8]) {
    let reading = PropertyListReading(bytes)
    // What the helper hands on is what it read.
    let handed = try? PropertyListReading(document: JSONWriter.line(reading))
    precondition(handed == reading)
    guard case .value(let root) = reading else { return }
    let options = MobileProfile.Options(provider: "org.example.vpn", arm: true)
    do throws(MobileProfileError) {
        let proposal = try MobileProfile.proposal(of: root, options)
        let profile = proposal.material.profile
        precondition(Naming.problem(ofProfile: profile.identifier) == nil)
        for tunnel in proposal.material.tunnels {
            var configuration = Configuration(identifier: "", name: tunnel.name)
            tunnel.configure(&configuration)
            precondition(configuration.contradiction == nil)
        }
    } catch {
        precondition(!error.text.isEmpty)
    }
}
