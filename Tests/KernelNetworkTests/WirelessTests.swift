import KernelNetwork
import Testing

extension KernelSuite {
    /// Wireless networks, where the kernel knows of any.
    @Suite struct WirelessTests {
        @Test func aLinkWithoutARadioIsInNoNetwork() throws {
            try ScratchLink.withCable { near, _ in
                // Where the kernel has no nl80211 there is nobody to ask, which is no error.
                guard let socket = try WirelessSocket.open() else { return }
                #expect(try socket.networkName(ofLink: near.index) == nil)
                #expect(try socket.networkName(ofLink: 0x7FFF_FFFF) == nil)
            }
        }
    }
}
