internal import LinuxSystem
internal import TunnelModel

/// The question to the provider that is under way, with those who wait for its answer.
///
/// One question serves everybody who asks meanwhile.
struct ProviderQuery {
    /// How long a provider has to answer.
    static let milliseconds: Int64 = 300

    private(set) var lastID: Int64 = 0
    private(set) var isUnderWay = false
    private(set) var waiting: [(client: ControlServer.Client, asker: String)] = []
    var timer: EventLoop.Timer?

    /// Adds someone who waits; answers the number of a new question, or `nil` when one is
    /// under way already.
    ///
    /// Who asks again before the answer gets one answer: it is dear, and as true for both.
    mutating func join(_ client: ControlServer.Client, asker: String) -> Int64? {
        waiting.removeAll { $0.client === client }
        waiting.append((client, asker))
        guard !isUnderWay else { return nil }
        isUnderWay = true
        lastID += 1
        return lastID
    }

    /// Ends the question; answers who waits.
    mutating func end() -> [(client: ControlServer.Client, asker: String)] {
        defer { waiting = [] }
        isUnderWay = false
        return waiting
    }
}
