internal import Enrolment
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// Reads what is enrolled, whatever its format.
struct EnrolmentReading {
    private let context: Context
    private let source: EnrolmentSource
    /// Found by what the file holds.
    let format: EnrolmentFormat
    /// Whether On Demand rules of the file are to be in force.
    let isArmed: Bool
    /// What is to be said of the file's mode; `nil` where it is no matter.
    let laxMode: String?
    /// The provider that tunnels of a configuration profile are to have.
    private let provider: String?

    /// Reads the file that the command line names.
    init(_ context: Context) throws(Failure) {
        self.context = context
        isArmed = context.invocation.has("arm")
        source = try EnrolmentSource(context.operand)
        format = EnrolmentFormat(detecting: source.bytes)
        laxMode = format.holdsSecrets ? source.laxMode : nil
        provider = context.invocation.value("provider")
        guard let provider else { return }
        if let problem = Naming.problem(ofProvider: provider) {
            throw Failure(.refused, "documentInvalid", "--provider: \(problem)")
        }
        guard format == .mobileconfig else {
            throw Failure(
                UsageError(
                    "--provider is for configuration profiles of Apple",
                    hint: "leave it out: this file says what its tunnels are"))
        }
    }

    /// What the file asks to be enrolled; `name` goes before a name that stands in it.
    func proposal(named name: String?) throws(Failure) -> EnrolmentProposal {
        switch format {
        case .profile:
            throw Failure(.refused, "fileInvalid", "profiles in JSON are not supported yet")
        case .mobileconfig:
            let root = try PropertyListHelper(context.layout).parse(source.bytes)
            let options = MobileProfile.Options(name: name, provider: provider, arm: isArmed)
            do { return try MobileProfile.proposal(of: root, options) } catch {
                throw Failure(error)
            }
        case .quick:
            let name = try required(name)
            do { return try QuickFile(parsing: source.bytes).proposal(named: name) } catch {
                throw Failure(error)
            }
        }
    }

    /// The name, of formats that have none in the file.
    private func required(_ name: String?) throws(Failure) -> String {
        if let name { return name }
        let proposal = Self.proposedName(for: context.operand)
        throw Failure(UsageError("no name given", hint: "add --name \(proposal)"))
    }

    /// A name that a file could be enrolled under.
    private static func proposedName(for file: String) -> String {
        var stem = AtomicFile.split(file).name[...]
        if stem.hasSuffix(".conf") { stem = stem.dropLast(5) }
        let bytes = stem.utf8.map { byte in
            Naming.problem(ofProfile: "x\(Character(Unicode.Scalar(byte)))") == nil
                ? byte : UInt8(ascii: "-")
        }
        let name = String(
            decoding: bytes.drop { "_.-".utf8.contains($0) }.prefix(64), as: UTF8.self)
        return SavePlan.problem(ofNew: name) == nil ? name : "tunnel"
    }
}
