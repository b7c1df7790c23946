internal import TunnelModel

/// Something beside the verbs that help explains.
enum HelpTopic: String, CaseIterable {
    case exitStatus = "exit-status"
    case disconnectCodes = "disconnect-codes"
    case warnings
    case statusJSON = "status-json"
    case environment, files

    /// The explanation.
    var text: String { lines.joined(separator: "\n") + "\n" }

    private var lines: [String] {
        switch self {
        case .exitStatus:
            ["Exit status:"]
                + columns(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) })
                + ["", "Of several tunnels, the worst counts, in the order 11, 4, 3, 5, 0."]
        case .disconnectCodes:
            ["Why a tunnel ended:"]
                + columns(DisconnectCode.allCases.map { ($0.rawValue, $0.meaning) })
        case .warnings:
            ["These make a connected tunnel degraded, which is exit status 5:"]
                + Self.warnings { $0.degrades }
                + ["", "These do not:"]
                + Self.warnings { !$0.degrades }
        case .statusJSON:
            ["What `utunctl status --json` says of a tunnel; null is what does not apply:"]
                + columns(StatusKey.all.map { ($0.path, $0.meaning) })
                + ["", "Its schema, and those of all answers: \(StatusKey.schemas)"]
        case .environment:
            ["Variables of the environment:"] + columns(Self.variables)
        case .files:
            ["Files, all of them below --root where that is given:"] + columns(Self.paths)
        }
    }

    private static func warnings(_ belong: (TunnelWarning.Code) -> Bool) -> [String] {
        columns(TunnelWarning.Code.allCases.filter(belong).map { ($0.rawValue, $0.meaning) })
    }

    private static let variables = [
        (
            "UTUNCTL_ROOT",
            "as --root, which goes before it; ignored where the program has more privileges"
                + " than its caller"
        ),
        ("CREDENTIALS_DIRECTORY", "set by systemd: where the secrets of a service lie"),
        ("NOTIFY_SOCKET", "set by systemd: whom a session host tells that it is connected"),
        ("INVOCATION_ID", "set by systemd: that a session host is a service"),
        ("JOURNAL_STREAM", "set by systemd: that standard error is the journal"),
        ("LC_ALL, LC_CTYPE, LANG", "the first that is set: whether anything but ASCII is shown"),
        ("TERM", "what the terminal can do; dumb, or unset, has no colours and no live view"),
        ("NO_COLOR", "no colours, where it is set to anything"),
        ("PATH", "where the command of run and exec is looked for"),
    ]

    private static let paths = [
        ("/etc/utunctl/preferences.json", "all configurations: utunctl-preferences(5)"),
        ("/etc/utunctl/profiles/", "what was enrolled: utunctl-profile(5)"),
        ("/etc/utunctl/credentials/", "secrets, each readable by root alone"),
        ("/etc/utunctl/providers.d/", "manifests of providers; they win over those in /usr/lib"),
        ("/usr/lib/utunctl/providers.d/", "manifests of providers: utunctl-provider(7)"),
        ("/usr/libexec/utunctl/", "providers and helpers"),
        ("/usr/share/utunctl/schema/", "JSON schemas of all answers"),
        (
            "/run/utunctl/",
            "of each session its socket, its lock, its record and what it wrote; gone at reboot"
        ),
    ]
}
