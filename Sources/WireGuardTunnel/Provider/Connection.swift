/// What the session is told of the tunnel, as the proofs of its peers come and go.
///
///     waiting ── a peer answers ──> connected <── it answers again ──┐
///                                      └── none answers any more ──> reasserting
enum Connection: Equatable {
    case waiting, connected, reasserting

    /// What is to be said after a look at the peers.
    enum Change: Equatable {
        case none, connected, reasserting
    }

    /// Goes on to what the peers prove.
    ///
    /// - Parameter isProven: Whether a peer that is sought has answered and still does, or none
    ///   is sought and the tunnel only listens.
    /// - Returns: What the host has to be told.
    mutating func update(isProven: Bool) -> Change {
        switch (self, isProven) {
        case (.waiting, true), (.reasserting, true):
            self = .connected
            return .connected
        case (.connected, false):
            self = .reasserting
            return .reasserting
        case (.waiting, false), (.connected, true), (.reasserting, false): return .none
        }
    }
}
