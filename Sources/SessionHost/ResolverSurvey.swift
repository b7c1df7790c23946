internal import LinuxSystem
package import Preferences
package import TunnelModel

/// Whom this host asks for names, read anew.
package struct ResolverSurvey: Equatable, Sendable {
    /// A link that systemd-resolved asks for names.
    package struct Link: Equatable, Sendable {
        package let index: UInt32
        package let name: String
        /// The domains that it is asked for; `.` are all of them.
        package var domains: [String] = []
        /// Whether it is asked for names that no domain of any link holds.
        package var isDefault = false
    }

    /// The servers that programs ask by themselves: the lines of resolv.conf(5).
    package private(set) var servers: [IPAddress] = []
    /// The links of systemd-resolved, where programs ask that.
    package private(set) var links: [Link] = []

    private static let milliseconds: Int64 = 3000

    /// Looks; the text of the failure where that cannot be done.
    package init(_ layout: FileLayout) throws(ResolverProblem) {
        switch try ResolverPlace.find(layout, in: nil) {
        case .file(let path):
            // Below another root programs still read the system's, unless there is one.
            let places = [path, "/etc/resolv.conf"]
            let bytes = places.lazy.compactMap { try? ResolverFileOnDisk($0).bytes }.first ?? []
            servers = ResolverFile.servers(in: bytes)
        case .resolved(let program):
            let domains = try Self.ask(program, "domain")
            let defaults = try Self.ask(program, "default-route")
            for (index, answer) in domains {
                var link = Link(index: index, name: answer.name)
                link.domains = answer.values.filter { $0.hasPrefix("~") }
                    .map { String($0.dropFirst()) }
                link.domains += answer.values.filter { !$0.hasPrefix("~") }
                link.isDefault = defaults[index]?.values == ["yes"]
                links.append(link)
            }
            links.sort { $0.index < $1.index }
        }
    }

    private static func ask(_ program: String, _ verb: String) throws(ResolverProblem)
        -> [UInt32: ResolvedLink.Answer]
    {
        do {
            let answer = try HelperRun.finish(program, [verb], milliseconds: milliseconds)
            return ResolvedLink.answers(in: String(decoding: answer, as: UTF8.self))
        } catch {
            throw .unusable(path: program, problem: error.text)
        }
    }
}
