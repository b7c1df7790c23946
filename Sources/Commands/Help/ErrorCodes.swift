/// The codes of errors, by the exit status that they end with; part of the contract.
enum ErrorCodes {
    private static let byStatus: [(status: ExitStatus, codes: String)] = [
        (
            .failure,
            """
            helperFailed holdNotSet internalError kernelError leftovers noSuchAttempt \
            outputFailed partlyCleaned preferencesUnwritable serviceManagerFailed \
            sessionHostCrashed sessionHostSilent systemError
            """
        ),
        (
            .usage,
            """
            usage
            """
        ),
        (
            .notConnected,
            """
            notRunning
            """
        ),
        (
            .noSuchConfiguration,
            """
            noSuchConfiguration
            """
        ),
        (
            .refused,
            """
            configurationDisabled credentialExists credentialForeign credentialInUse \
            credentialMissing credentialNameInvalid credentialUnusable dnsUnavailable \
            documentInvalid fileEncrypted fileExists fileInvalid fileLax fileUnsigned \
            helperUnusable keyInConfiguration keyNotEnforced keyNotExported lineDropped \
            nameTaken networkNamespaceNotConfigured notBlocked onDemandHeld payloadRefused \
            profileExpired profileInUse profileMissing profileNotYetValid profileUnusable \
            providerConfigurationInvalid providerExecutableUnusable providerManifestInvalid \
            providerNotExported providerNotInstalled providerOnHostNetwork \
            providerProtocolUnknown providerUnknown reloadRefused resolverUnusable secretEmpty \
            secretInConfiguration secretTooLarge secretsOnTerminal settingsUnknown \
            signatureInvalid signerChanged signerExpired signerUnknown trustAnchorMissing trustAnchorUnusable \
            trustInConfiguration verificationSwitchedOff warningRefused
            """
        ),
        (
            .stale,
            """
            stale
            """
        ),
        (
            .timedOut,
            """
            timedOut
            """
        ),
        (
            .notPossible,
            """
            capabilityMissing commandMissing commandUnusable deviceForbidden deviceMissing \
            deviceUnusable deviceWithoutDriver dnsUnusable firewallUnavailable journalUnusable \
            logForbidden networkNamespaceMissing networkNamespaceUnusable otherNamespace \
            preferencesUnreadable preferencesUnsafe preferencesUnwritable procMissing \
            runtimeDirectoryUnusable serviceManagerForbidden serviceManagerMissing \
            sessionHostForbidden ssidFileUnusable systemError unitFailed
            """
        ),
        (
            .preferencesCorrupt,
            """
            preferencesCorrupt preferencesNewer
            """
        ),
        (
            .conflict,
            """
            addressTaken alreadyRunning includeAllNetworksTaken interfaceTaken \
            networkNamespaceReplaced olderGenerationRuns onDemandRuns preferencesBusy \
            resolverFileTaken restartNeeded sessionChanges sessionHostSilent sessionHostUnreachable sessionRuns \
            stillBlocked unitRuns
            """
        ),
        (
            .commandUnusable,
            """
            commandUnusable
            """
        ),
        (
            .commandMissing,
            """
            commandMissing
            """
        ),
        (
            .interrupted,
            """
            interrupted
            """
        ),
        (
            .terminated,
            """
            interrupted
            """
        ),
    ]

    /// The codes that end with a status; none where its codes are those of disconnects.
    static func codes(of status: ExitStatus) -> [String] {
        byStatus.filter { $0.status == status }
            .flatMap { $0.codes.split(separator: " ").map { String($0) } }
    }

    /// Those with which a code ends, more than one where it tells of different things.
    static func statuses(of code: String) -> [ExitStatus] {
        byStatus.filter { $0.codes.split(separator: " ").contains { $0 == code } }.map(\.status)
    }

    /// All of them.
    static var all: [String] { byStatus.flatMap { codes(of: $0.status) } }
}
