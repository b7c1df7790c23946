/// Where the programs of a test run: on this host, or on another that the test has made.
package struct Place {
    /// What comes before a command line so that it runs there.
    private let prefix: [String]
    /// Keeps the host there for as long as somebody works on it.
    private let owner: AnyObject?

    /// The namespaces of the test itself.
    package static var here: Place { Place(prefix: [], owner: nil) }

    /// The namespaces of a process.
    init(namespacesOf pid: Int32, owner: AnyObject) {
        prefix = ["/usr/bin/nsenter", "--target=\(pid)", "--net", "--mount", "--"]
        self.owner = owner
    }

    private init(prefix: [String], owner: AnyObject?) {
        self.prefix = prefix
        self.owner = owner
    }

    /// Whether it is where the test itself runs.
    package var isHere: Bool { prefix.isEmpty }

    /// The command line that runs a program there; the program is a path where this is `here`.
    package func command(_ arguments: [String]) -> [String] {
        prefix + arguments
    }

    /// Runs a program there and expects success; what it printed.
    @discardableResult
    package func run(_ arguments: String..., seconds: Int64 = 60) throws -> String {
        let result = try Command.run(command(arguments), seconds: seconds)
        guard result.status == 0 else { throw Unexpected("\(arguments): \(result)") }
        return result.output
    }

    /// Starts a program there that ends with the test, however that ends.
    ///
    /// The signal of a parent's death follows the thread that starts the program: a fixture
    /// must not outlive the function of the test that made it.
    package func daemon(_ arguments: [String], environment: [String: String] = [:]) throws
        -> Command
    {
        try Command(
            command(["setpriv", "--pdeathsig", "KILL", "--"] + arguments),
            environment: environment)
    }
}
