@testable import WireGuardTunnel

/// Takes what clients of the control socket send: whole, and byte by byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzUserspaceRequest(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    var whole = UserspaceRequest()
    var piecemeal = UserspaceRequest()
    let operations = whole.add(input)
    precondition(operations == input.flatMap { piecemeal.add([$0]) })
    precondition(operations.count <= count / 2)
    return 0
}
