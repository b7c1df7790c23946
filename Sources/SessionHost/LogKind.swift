internal import TunnelModel

/// What an entry of a session's log is about: each kind has its message ID in the journal.
enum LogKind: Equatable {
    /// The status has changed; with the code of an end or of what led to it.
    case status(TunnelStatus, DisconnectCode?)
    /// The provider said something.
    case provider
    case note

    /// What `journalctl MESSAGE_ID=` finds it by; part of the contract, never changed.
    var messageID: String {
        switch self {
        case .status(.connecting, _): "722abb4acac9403ea97da3f4d3fb870d"
        case .status(.connected, _): "aef9d4acc5814f7fb9f174aa62c32160"
        case .status(.reasserting, _): "98a5cf7c2904493eb5e85db2d52a6158"
        case .status(.waiting, _): "e4b1a0c2f7d84c55a3c9d05b6a8e7f12"
        case .status(.disconnecting, _): "33e1435a3f644b41a46a33939c346023"
        case .status: "13a0dbb7b541478ca02eae7824adda59"
        case .provider: LogMarker.providerMessageID
        case .note: "a58c961cae9c4580a08cc2893a04de30"
        }
    }

    /// The code of a disconnect.
    var code: DisconnectCode? {
        if case .status(_, let code) = self { code } else { nil }
    }

    /// The priority of syslog(3).
    var priority: Int {
        switch self {
        case .status(_, let code?) where !code.wasAskedFor: 3
        case .status(.reasserting, _): 4
        case .status: 5
        case .provider, .note: 6
        }
    }
}
