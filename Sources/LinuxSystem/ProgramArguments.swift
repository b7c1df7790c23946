internal import CLinux

/// What this program was called with.
package enum ProgramArguments {
    /// The arguments, the first of which is the name of the program.
    package static var all: [String] {
        (0..<ut_argument_count()).map { String(cString: ut_argument($0)) }
    }
}
