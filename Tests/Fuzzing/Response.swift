import WireGuard

/// Takes responses: the input as it is, and a real one changed by the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResponse(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    precondition(!isAccepted(input))
    Parties.change(Parties.shared.response, by: input, covered: 12..<60) { message, isChanged in
        let isTaken = isAccepted(UnsafeRawBufferPointer(message))
        precondition(isTaken == !isChanged)
    }
    return 0
}

private func isAccepted(_ datagram: UnsafeRawBufferPointer) -> Bool {
    guard case .response(let message)? = Message(datagram) else { return false }
    do throws(HandshakeError) {
        _ = try Parties.shared.handshake.finish(with: message)
        return true
    } catch {
        return false
    }
}
