import CNetlink
import Glibc

/// A set of libnl callbacks and the state that they write to, freed with their owner.
struct Callbacks<State>: ~Copyable {
    let raw: OpaquePointer
    let state: UnsafeMutablePointer<State>

    init(writingTo initialState: State) throws(NetlinkError) {
        guard let raw = nl_cb_alloc(NL_CB_DEFAULT) else {
            throw NetlinkError(operation: "opening a netlink socket", subject: "", errno: ENOMEM)
        }
        self.raw = raw
        state = .allocate(capacity: 1)
        state.initialize(to: initialState)
    }

    deinit {
        nl_cb_put(raw)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Calls the function, with the state as its argument, for messages of this type.
    func set(_ type: nl_cb_type, _ callback: @escaping MessageCallback) {
        nl_cb_set(raw, type, NL_CB_CUSTOM, callback, state)
    }
}

/// A function that libnl calls for a message.
typealias MessageCallback = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> CInt

/// What a callback returns to libnl.
enum Verdict {
    static let proceed = CInt(bitPattern: NL_OK.rawValue)
    static let skip = CInt(bitPattern: NL_SKIP.rawValue)
}
