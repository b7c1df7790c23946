/// The version of the program, of which each of its processes was built.
package enum ProgramVersion {
    /// The version, as `--version` prints it and session hosts report it.
    package static let current = "0.1.0"
}
