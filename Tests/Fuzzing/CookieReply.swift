import WireGuard

/// Takes cookie replies: the input as it is, and a real one changed by the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookieReply(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    precondition(!isAccepted(input))
    Parties.change(Parties.shared.cookieReply, by: input, covered: 8..<64) { message, isChanged in
        let isTaken = isAccepted(UnsafeRawBufferPointer(message))
        precondition(isTaken == !isChanged)
        guard isTaken else { return }
        // A reply is taken once: the next input shall find a message that waits for its own.
        var next = Parties.shared.initiation
        next.withUnsafeMutableBytes { Parties.shared.signer.sign($0, at: .max) }
    }
    return 0
}

private func isAccepted(_ datagram: UnsafeRawBufferPointer) -> Bool {
    guard case .cookieReply(let message)? = Message(datagram) else { return false }
    return Parties.shared.signer.accept(message, at: 0)
}
