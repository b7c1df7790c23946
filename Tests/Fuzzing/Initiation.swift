import WireGuard

/// Takes initiations: the input as it is, and a real one changed by the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInitiation(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    precondition(!isAnswered(input))
    Parties.change(Parties.shared.initiation, by: input, covered: 8..<116) { message, isChanged in
        let isTaken = isAnswered(UnsafeRawBufferPointer(message))
        precondition(isTaken == !isChanged)
    }
    return 0
}

private func isAnswered(_ datagram: UnsafeRawBufferPointer) -> Bool {
    guard case .initiation(let message)? = Message(datagram) else { return false }
    let parties = Parties.shared
    let verdict = parties.checker.check(datagram, from: Parties.source, at: 0)
    precondition(verdict != .withCookie)
    do throws(HandshakeError) {
        let received = try ReceivedInitiation(opening: message, at: parties.responder)
        let authenticated = try received.authenticate(as: parties.toInitiator)
        let response = UnsafeMutableRawBufferPointer.allocate(
            byteCount: ResponseMessage.byteCount, alignment: 1)
        defer { response.deallocate() }
        _ = try authenticated.respond(
            sender: 1, seed: Parties.key(9), writing: response.baseAddress.unsafelyUnwrapped)
        return true
    } catch {
        return false
    }
}
