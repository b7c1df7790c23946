internal import Enrolment
internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// A configuration with what it refers to, as a file that can be given away.
struct ExportedMaterial {
    let configuration: Configuration
    let file: Secret
    /// What the file does not hold.
    let omissions: [QuickExport.Omission]

    /// More than any key with what may stand around it.
    private static let largestKey = 128

    /// Reads all of it while nobody else changes any of it.
    static func read(_ context: Context) throws(Failure) -> ExportedMaterial {
        // One that is not there is said before a lock is made.
        _ = try context.configuration(context.operand)
        let turn = try turn(context)
        let material = try ExportedMaterial(context)
        _ = consume turn
        return material
    }

    /// The right to changes, so that nobody makes any; `nil` where nothing can be written at all.
    private static func turn(_ context: Context) throws(Failure) -> PreferencesTurn? {
        do throws(PreferencesError) {
            let turn = try PreferencesTurn.take(context.layout)
            if let told = try EnrolmentStore(context.layout).settle(turn) {
                context.output.note(told)
            }
            return turn
        } catch {
            if case .unwritable(_, let error) = error, error.errno == EROFS { return nil }
            throw Failure(error)
        }
    }

    private init(_ context: Context) throws(Failure) {
        configuration = try context.configuration(context.operand)
        let own = try Self.ownKeys(of: configuration)
        let trust = own.peers.map(\.trust)
        let profiles = ProfileStore(context.layout)
        var publicKeys: [String: String] = [:]
        do throws(ProfileError) {
            for anchor in try profiles.anchors(named: trust, for: .wireguard) {
                publicKeys[anchor.name] = anchor.value
            }
        } catch {
            throw Failure(error)
        }
        let store = CredentialStore(context.layout)
        var secrets: [String: Secret] = [:]
        for name in ["privateKey"] + own.peers.compactMap(\.presharedKey) {
            secrets[name] = try Self.secret(name, of: configuration, in: store)
        }
        let export = QuickExport(configuration, own, publicKeys: publicKeys, secrets: secrets)
        file = export.file
        omissions = export.omissions + Self.endings(of: trust, in: profiles)
    }

    /// The ends of the profiles that anchors stand in: a file counts for ever.
    private static func endings(of trust: [String], in profiles: ProfileStore)
        -> [QuickExport.Omission]
    {
        Set(trust.compactMap { AnchorReference($0)?.profile }).sorted().compactMap { name in
            guard let profile = try? profiles.profile(name), let end = profile.notAfter else {
                return nil
            }
            return ("notAfter of the profile \(name)", "the file does not end at \(end.text)")
        }
    }

    private static func ownKeys(of configuration: Configuration) throws(Failure)
        -> WireGuardConfiguration
    {
        guard configuration.provider == WireGuardConfiguration.provider else {
            throw Failure(
                .refused, "providerNotExported",
                "wg-quick runs WireGuard alone, and the provider is \(configuration.provider)")
        }
        let problem = configuration.providerConfigurationProblem
        if problem == nil,
            let own = try? WireGuardConfiguration(configuration.providerConfiguration)
        {
            return own
        }
        throw Failure(
            .refused, "providerConfigurationInvalid", problem ?? "not that of WireGuard")
    }

    /// The key in a credential; `nil` for a preshared one that stands for none.
    private static func secret(
        _ name: String,
        of configuration: Configuration,
        in store: CredentialStore
    ) throws(Failure) -> Secret? {
        func unusable(_ problem: String, hint: String? = nil) -> Failure {
            Failure(
                .refused, "credentialUnusable",
                "the credential \(name) cannot be exported: \(problem)", hint: hint)
        }
        guard let reference = configuration.credentials[name] else {
            throw Failure(
                .refused, "credentialMissing", "the provider needs the credential \(name)",
                hint: "utunctl save NAME --set credentials.\(name)=file:PATH")
        }
        guard case .file? = CredentialReference(reference) else {
            throw unusable(
                "\(reference) is handed to services by systemd, and to nobody else",
                hint: "export what the service's credential was made of")
        }
        let file: FileDescriptor
        do throws(CredentialError) { file = try store.open(name, reference) } catch {
            throw unusable("\(error.path): \(error.problem)")
        }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try file.readAll(limit: largestKey) } catch {
            throw unusable(error.errno == EFBIG ? "not a key: too long" : error.text)
        }
        let text = String(decoding: trimmed(bytes), as: UTF8.self)
        if let problem = WireGuardKey.problem(of: text) { throw unusable(problem) }
        guard WireGuardKey.decode(text.utf8)?.allSatisfy({ $0 == 0 }) == true else {
            return Secret(Array(text.utf8))
        }
        guard name != "privateKey" else { throw unusable("not a key: nothing but zeros") }
        return nil
    }

    /// Without the blanks that the provider, too, takes around a key.
    private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
        let rest = bytes.drop(while: isBlank)
        return rest[..<(rest.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? rest.startIndex)]
    }
}
