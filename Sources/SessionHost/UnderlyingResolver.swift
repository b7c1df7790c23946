package import LinuxSystem
package import Preferences
package import TunnelModel

/// Whom the network below all tunnels has programs ask for names, whatever a tunnel has set.
package struct UnderlyingResolver: Equatable, Sendable {
    package private(set) var servers: [IPAddress] = []
    /// The default one first.
    package private(set) var searchDomains: [String] = []
    /// Why not all of it could be read.
    package private(set) var problem: String?

    /// A look at it, which ends unless it goes before.
    package final class Look {
        private static let milliseconds: Int64 = 3000

        private let link: UInt32
        private let loop: EventLoop
        private let completion: (UnderlyingResolver) -> Void
        private var found = UnderlyingResolver()
        private var run: HelperRun?
        private var timer: EventLoop.Timer?

        /// Starts to look; `completion` is called once, on the loop, and never at once.
        package init(
            _ layout: FileLayout,
            link: UInt32,
            on loop: EventLoop,
            completion: @escaping (UnderlyingResolver) -> Void
        ) {
            self.link = link
            self.loop = loop
            self.completion = completion
            switch Result(catching: { () throws(ResolverProblem) in
                try ResolverPlace.find(layout, in: nil)
            }) {
            case .success(.resolved(let program)): ask(program)
            case .success(.file(let path)):
                found = UnderlyingResolver(inFile: path)
                finish()
            case .failure(let problem):
                found.problem = problem.text
                finish()
            }
        }

        deinit {
            loop.cancel(timer)
        }

        private func finish() {
            timer = loop.schedule(milliseconds: 0) { [weak self] in
                guard let self else { return }
                self.completion(self.found)
            }
        }

        private func ask(_ program: String) {
            ask(program, "dns") { [weak self] servers in
                self?.found.servers = servers.compactMap { ResolvedLink.server($0) }
                self?.ask(program, "domain") { [weak self] domains in
                    guard let self else { return }
                    // With a tilde a domain is for choosing servers, and not searched.
                    self.found.searchDomains = domains.filter { !$0.hasPrefix("~") }
                    self.completion(self.found)
                }
            }
        }

        private func ask(
            _ program: String,
            _ verb: String,
            then body: @escaping ([String]) -> Void
        ) {
            run = HelperRun.start(
                program, [verb], milliseconds: Self.milliseconds, on: loop
            ) { [weak self] outcome in
                guard let self else { return }
                switch outcome {
                case .success(let bytes):
                    let text = String(decoding: bytes, as: UTF8.self)
                    let own = ResolvedLink.answers(in: text)[self.link]?.values ?? []
                    body(own.isEmpty ? ResolvedLink.globalValues(in: text) : own)
                case .failure(let failure):
                    self.found.problem = failure.text
                    body([])
                }
            }
        }
    }

    private init() {}

    /// What a resolv.conf(5) says, or where it is that of a tunnel, the one that it stands for.
    private init(inFile path: String) {
        // Below another root programs still read the system's, unless there is one.
        var file: ResolverFile?
        for path in [path, "/etc/resolv.conf"] where file == nil {
            do throws(SystemError) { file = try ResolverFileOnDisk(path).content } catch {
                problem = error.text
                return
            }
        }
        guard let file else { return }
        servers = file.formerServers.filter { !ResolverPlace.stubs.contains($0) }
        if servers.isEmpty, !file.formerServers.isEmpty {
            problem = "\(path) leads to systemd-resolved, which does not answer"
        }
        searchDomains = file.formerSearchDomains
        if file.former == .lost {
            problem = "\(path) is that of \(file.name), and what was there before is not in it"
        }
    }
}
