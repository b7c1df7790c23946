internal import LinuxSystem
internal import Preferences
package import SessionHost
internal import TunnelModel

extension Failure {
    package init(_ error: SessionError) {
        switch error {
        case .removed:
            self.init(
                .noSuchConfiguration, "noSuchConfiguration",
                "the configuration was removed meanwhile")
        case .preferences(let error): self.init(error)
        case .disabled:
            self.init(
                .refused, "configurationDisabled", "the configuration is disabled",
                hint: "utunctl save NAME --set enabled=true")
        case .notEnforced(let keys):
            self.init(
                .refused, "keyNotEnforced",
                "this version cannot put into force: \(keys.joined(separator: ", "))",
                hint: "utunctl save NAME " + keys.map { "--unset \($0)" }.joined(separator: " "))
        case .misplaced(let material): self.init(material)
        case .stale(let given, let saved):
            self.init(
                .stale, "stale", "generation \(given) was asked for, saved is \(saved)",
                hint: "load it again")
        case .provider(let error): self.init(error)
        case .providerConfiguration(let problem):
            self.init(.refused, "providerConfigurationInvalid", problem)
        case .trustNotTaken(let provider):
            self.init(
                .refused, "keyNotEnforced", "trust: the provider \(provider) takes no anchors",
                hint: "utunctl save NAME --unset trust")
        case .systemTrustNotTaken(let provider):
            self.init(
                .refused, "trustAnchorUnusable",
                "system: the system's store holds certificates, and \(provider) takes none",
                hint: "enrol the key of its peer: utunctl enroll FILE")
        case .systemTrustMissing(let places):
            self.init(
                .refused, "trustAnchorMissing",
                "system: this host has no store of certificates: \(places.joined(separator: ", "))",
                hint: "install the package ca-certificates")
        case .profile(let error): self.init(error)
        case .credentialNotConfigured(let name):
            self.init(
                .refused, "credentialMissing", "the provider needs the credential \(name)",
                hint: "utunctl save NAME --set credentials.\(name)=file:PATH")
        case .credential(let error):
            self.init(
                .refused, "credentialUnusable",
                "the credential \(error.name) cannot be used: \(error.path): \(error.problem)",
                hint: error.remedy)
        case .resolver(let path, let problem):
            self.init(
                .refused, "resolverUnusable",
                "server names cannot be looked up: \(path): \(problem)",
                hint: "install it, or write the server as an address")
        case .device(let error): self.init(device: error)
        case .capabilityMissing(let capability): self.init(capability)
        case .interfaceTaken(let name):
            self.init(
                .conflict, "interfaceTaken",
                "an interface \(name) exists already and is not ours; it was left alone",
                hint: "utunctl save NAME --set interface.name=utun%d")
        case .addressTaken(let address, let holder):
            self.init(
                .conflict, "addressTaken",
                "\(holder.text) has \(address) or its network already; it was left alone",
                hint: holder.remedy)
        case .firewall(let error): self.init(error)
        case .stillBlocked:
            self.init(
                .conflict, "stillBlocked",
                "the kill switch of its earlier session stands, and what is saved asks for none",
                hint: "utunctl stop NAME, or utunctl unblock NAME, then start it")
        case .providerOnHostNetwork(let key):
            self.init(
                .refused, "providerOnHostNetwork",
                "\(key): the provider runs on the network of the host, and its packets carry"
                    + " no mark to be told by",
                hint: "utunctl save NAME --unset \(key)")
        case .blockedByOther(let name):
            self.init(
                .conflict, "includeAllNetworksTaken",
                "\(name ?? "a tunnel of another installation") takes all networks already, or"
                    + " has left this host blocked",
                hint: "utunctl stop \(name ?? "that tunnel, with its own --root")")
        case .settingsUnknown(let provider):
            self.init(
                .refused, "settingsUnknown",
                "only \(provider) itself knows its addresses, so that nothing can wait for"
                    + " packets to it",
                hint: "utunctl start NAME, without --when traffic")
        case .onDemandHeld(let hold, let isOfAll):
            let since = hold.since.map { " (\($0.text))" } ?? ""
            self.init(
                .refused, "onDemandHeld",
                isOfAll
                    ? "On Demand is paused\(since)"
                    : "On Demand leaves it alone, as somebody has stopped it, or paused that\(since)",
                hint: isOfAll
                    ? "utunctl ondemand resume, or utunctl start NAME"
                    : "utunctl ondemand resume NAME, or utunctl start NAME")
        case .alreadyRunning:
            self.init(
                .conflict, "alreadyRunning", "a session of this configuration runs already",
                hint: "utunctl status NAME, or utunctl stop NAME before another start")
        case .unreachableSession(let interface):
            self.init(
                .conflict, "sessionHostUnreachable",
                "a session that cannot be reached holds \(interface)", hint: "utunctl stop NAME")
        case .networkNamespace(let name, let error):
            self.init(namespace: name, error)
        case .dns(let problem): self.init(problem)
        case .notTakenBack(let error):
            self.init(
                .failure, "partlyCleaned",
                "what the tunnel had changed was not all put back: \(error.text)",
                hint: "see to that, then utunctl repair")
        case .runtimeDirectory(let path, let problem):
            self.init(.notPossible, "runtimeDirectoryUnusable", "\(path): \(problem)")
        case .system(let error): self.init(error)
        case .kernel(let error): self.init(error)
        }
    }
}
