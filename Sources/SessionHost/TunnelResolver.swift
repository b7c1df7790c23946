internal import TunnelModel

/// What sets the resolver of a tunnel, looks after it and takes it away.
protocol TunnelResolver: AnyObject {
    var backend: DNSReport.Backend { get }
    /// What is in force.
    var settings: DNSSettings { get }
    /// How often others had changed it, and it was put back.
    var restored: UInt64 { get }
    /// What is not as it was asked for.
    var warnings: [TunnelWarning] { get }

    /// Puts settings into force and looks whether they are; why not, where they are not.
    func apply(_ settings: DNSSettings, completion: @escaping (String?) -> Void)

    /// How what is in force differs from what was set; `nil` where it does not.
    func difference() -> String?

    /// Looks whether it is as it was set, where no event may have told.
    func reconsider()

    /// Ends the care for it, and takes away what nothing else does.
    func remove(completion: @escaping () -> Void)
}

/// How often something may be put back against another program, before that has its way.
struct Quarrel {
    private static let most = 5
    private static let nanoseconds: Int64 = 60_000_000_000

    private var times: [Int64] = []

    /// Whether once more is not too much.
    mutating func admits(at now: Int64) -> Bool {
        times.removeAll { now - $0 > Self.nanoseconds }
        guard times.count < Self.most else { return false }
        times.append(now)
        return true
    }
}
