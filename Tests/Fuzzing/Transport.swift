import WireGuard

/// Takes transport messages: the input as it is, and a real one changed by the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTransport(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { input.deallocate() }
    input.copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
    precondition(!isOpened(input))
    let real = Parties.shared.transport
    Parties.change(
        real, by: UnsafeRawBufferPointer(start: start, count: count), covered: 8..<real.count
    ) { message, isChanged in
        let isTaken = isOpened(message)
        precondition(isTaken == !isChanged)
    }
    return 0
}

/// Whether the packet in it is authentic; what is no transport message has none.
private func isOpened(_ datagram: UnsafeMutableRawBufferPointer) -> Bool {
    guard let start = datagram.baseAddress,
        let message = TransportMessage(UnsafeRawBufferPointer(datagram))
    else { return false }
    precondition(message.sealedCount == datagram.count - TransportMessage.headerCount)
    let parties = Parties.shared
    return parties.cipher.open(
        key: parties.receivingKey.pointer, counter: message.counter,
        buffer: start + TransportMessage.headerCount, count: message.sealedCount)
}
