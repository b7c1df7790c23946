extension [UInt8] {
    /// Takes what a call writes into `capacity` bytes of room.
    ///
    /// Room that is not written to is not touched either: for a short answer the page faults
    /// of a large buffer cost more than the call.
    init(
        from call: String,
        capacity: Int,
        _ body: (UnsafeMutableRawPointer?) -> Int
    ) throws(SystemError) {
        var failure: SystemError?
        self.init(unsafeUninitializedCapacity: capacity) { buffer, count in
            do throws(SystemError) {
                count = try checkShim(call) { body(buffer.baseAddress) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
