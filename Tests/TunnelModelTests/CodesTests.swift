import Testing
import TunnelModel

/// Words that scripts rely on: a change of these lists is a change of the contract.
@Suite struct CodesTests {
    @Test func disconnectCodes() {
        #expect(
            DisconnectCode.allCases.map(\.rawValue) == [
                "stoppedByUser", "commandEnded", "onDemandRule", "idle", "sleep", "superseded",
                "configurationRemoved", "configurationDisabled", "systemShutdown", "noNetwork",
                "serverAddressResolution", "serverNotResponding", "serverDisconnected",
                "negotiationFailed", "authenticationFailed", "clientCertificateInvalid",
                "clientCertificateNotYetValid", "clientCertificateExpired",
                "serverCertificateInvalid", "serverCertificateNotYetValid",
                "serverCertificateExpired", "trustAnchorMissing", "networkSettingsRejected",
                "interfaceRemoved", "providerNotInstalled", "providerRefused",
                "providerCrashed", "providerSilent", "providerProtocolError",
                "sessionHostCrashed", "startTimedOut", "internalError",
            ])
    }

    @Test func kindsOfDisconnects() {
        #expect(
            DisconnectCode.Kind.allCases.map(\.rawValue) == [
                "user", "configuration", "network", "server", "authentication", "trust",
                "provider", "host",
            ])
    }

    @Test func endsThatWereAskedForAreNoFailures() {
        #expect(
            DisconnectCode.allCases.filter(\.wasAskedFor) == [
                .stoppedByUser, .commandEnded, .onDemandRule, .idle, .sleep, .superseded,
                .configurationRemoved, .configurationDisabled, .systemShutdown,
            ])
    }

    @Test func onlyWhoeverWantsTheTunnelAwayLiftsItsBlock() {
        let lifting: [DisconnectCode] = [
            .stoppedByUser, .commandEnded, .onDemandRule, .idle, .configurationRemoved,
            .configurationDisabled,
        ]
        #expect(DisconnectCode.allCases.filter(\.liftsBlock) == lifting)
        var routing = RoutingSettings()
        #expect(DisconnectCode.allCases.allSatisfy { !routing.keepsBlock(after: $0) })
        routing.enforceRoutes = true
        #expect(DisconnectCode.allCases.allSatisfy { !routing.keepsBlock(after: $0) })
        routing.includeAllNetworks = true
        #expect(DisconnectCode.allCases.filter { !routing.keepsBlock(after: $0) } == lifting)
        routing.lockdown = .always
        #expect(DisconnectCode.allCases.allSatisfy { routing.keepsBlock(after: $0) })
    }

    @Test func aProviderCannotSpeakForTheUserOrTheHost() {
        #expect(
            DisconnectCode.allCases.filter { !$0.mayComeFromProvider } == [
                .stoppedByUser, .commandEnded, .onDemandRule, .sleep, .superseded,
                .configurationRemoved,
                .configurationDisabled, .systemShutdown, .serverAddressResolution,
                .networkSettingsRejected, .interfaceRemoved, .providerNotInstalled,
                .providerCrashed, .providerSilent, .providerProtocolError, .sessionHostCrashed,
                .startTimedOut,
            ])
    }

    @Test func statuses() {
        #expect(
            TunnelStatus.allCases.map(\.rawValue) == [
                "invalid", "disconnected", "connecting", "connected", "reasserting",
                "disconnecting", "waiting", "unknown",
            ])
    }

    @Test func warningCodesAndWhetherTheyDegrade() {
        let degrading: Set<TunnelWarning.Code> = [
            .sessionHostSilent, .sessionHostUnreachable, .sessionHostForbidden, .providerSilent,
            .linkMissing, .linkDown, .addressMissing, .routeMissing, .ruleMissing, .peerStale,
            .peerUnverified, .kernelUnreadable, .routeShadowed, .ruleShadowed,
            .noUnderlyingNetwork, .firewallMissing, .dnsChanged, .paused,
        ]
        #expect(
            TunnelWarning.Code.allCases.map(\.rawValue) == [
                "leftovers", "sessionHostSilent", "sessionHostUnreachable",
                "sessionHostForbidden", "providerSilent", "linkMissing", "linkDown",
                "addressMissing", "routeMissing", "ruleMissing", "configurationRemoved",
                "configurationDisabled", "preferencesUnreadable", "peerStale", "peerUnverified",
                "ipv6Unavailable",
                "controlSocketTaken", "controlSocketMissing", "kernelUnreadable",
                "firewallMissing", "firewallUnavailable",
                "routeShadowed", "ruleShadowed", "routesOverlap", "endpointRouteLeaks",
                "noUnderlyingNetwork", "hostBlocked", "paused",
                "dnsChanged", "dnsReduced",
                "trustExpiring", "trustExpired", "trustNotYetValid", "trustMissing",
                "olderHost",
            ])
        for code in TunnelWarning.Code.allCases {
            let warning = TunnelWarning(code, "why")
            #expect(warning.degrades == degrading.contains(code), "\(code)")
            #expect(
                Model.written(warning)
                    == "{\"code\":\"\(code)\",\"text\":\"why\",\"degrades\":\(warning.degrades)}")
        }
    }

    @Test func otherWords() {
        #expect(SessionOrigin.allCases.map(\.rawValue) == ["user", "ondemand", "systemd"])
        #expect(
            RoutingSettings.IPv6Policy.allCases.map(\.rawValue) == ["tunnel", "block", "leave"])
        #expect(RoutingSettings.Lockdown.allCases.map(\.rawValue) == ["session", "always"])
        #expect(
            OnDemandRule.Action.allCases.map(\.rawValue)
                == ["connect", "disconnect", "ignore", "evaluateConnection"])
        #expect(OnDemandRule.Moment.allCases.map(\.rawValue) == ["now", "traffic"])
        #expect(
            OnDemandRule.InterfaceType.allCases.map(\.rawValue)
                == ["any", "ethernet", "wifi", "cellular"])
    }
}
