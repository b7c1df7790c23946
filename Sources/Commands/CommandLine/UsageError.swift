internal import TunnelModel

/// The program's name as hints and help texts spell it.
let programName = "utunctl"

/// A command line that can't be understood: exit status 2.
package struct UsageError: Error, Equatable, Sendable {
    /// What is wrong, without the program's name.
    package let message: String
    /// What to do about it.
    package let hint: String?

    /// Makes an error from its message and the hint printed below it.
    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }
}

extension String {
    /// The word as a message shows it: as typed if that is readable, else quoted and escaped.
    ///
    /// What was typed may hold anything, terminal control sequences included, and be very long;
    /// what is a key or a certificate by its form is not shown at all.
    var shownInMessage: String {
        guard MaterialForm.kind(of: self) == nil else { return "(not shown: it holds a key)" }
        let limit = 60
        let scalars = unicodeScalars.prefix(limit)
        let isCut = scalars.endIndex != unicodeScalars.endIndex
        let isReadable = !isEmpty && scalars.allSatisfy(\.isReadable)
        var shown = ""
        for scalar in scalars {
            if isReadable || scalar == " " {
                shown.unicodeScalars.append(scalar)
            } else if scalar.isReadable, scalar != "\"", scalar != "\\" {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += scalar.escaped(asASCII: true)
            }
        }
        if isCut { shown += "…" }
        return isReadable ? shown : "\"\(shown)\""
    }
}

extension String {
    /// The text with everything escaped that is neither visible nor a space.
    var escapingControls: String {
        var shown = ""
        for scalar in unicodeScalars {
            if scalar.isReadable || scalar.properties.generalCategory == .spaceSeparator {
                shown.unicodeScalars.append(scalar)
            } else {
                shown += scalar.escaped(asASCII: true)
            }
        }
        return shown
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is visible and takes part in no control sequence or reordering.
    fileprivate var isReadable: Bool {
        switch properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator, .spaceSeparator:
            false
        default:
            true
        }
    }
}
