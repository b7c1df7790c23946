internal import LinuxSystem
internal import TunnelModel

/// Why a reload changes nothing.
enum ReloadRefusal: Error, Equatable {
    case restartNeeded([String])
    case refused(String)

    /// What whoever asked is told.
    var reply: ControlReply {
        switch self {
        case .restartNeeded(let keys): .restartNeeded(keys: keys)
        case .refused(let text): .refused(text: text)
        }
    }
}

/// A saved change on its way into a session that goes on, with all that it takes to go back.
final class Reload {
    /// What was so before.
    struct Former {
        let running: RunningConfiguration
        let asked: NetworkSettings
        let resolved: [String: [IPAddress]]
        let servers: Set<IPAddress>
    }

    let client: ControlServer.Client
    let plan: ReloadPlan
    let former: Former
    let new: RunningConfiguration
    /// The opened credentials for the provider, until they are sent.
    var credentials: [(name: String, descriptor: FileDescriptorBox)]
    /// The number of what the provider is asked; `nil` before and after.
    var question: Int64?
    /// By when it has to have answered.
    var deadline: EventLoop.Timer?

    init(
        _ client: ControlServer.Client,
        _ plan: ReloadPlan,
        from former: Former,
        to new: RunningConfiguration,
        _ credentials: [(name: String, descriptor: FileDescriptorBox)]
    ) {
        self.client = client
        self.plan = plan
        self.former = former
        self.new = new
        self.credentials = credentials
    }
}
