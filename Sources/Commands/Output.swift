internal import Glibc
package import JSON
internal import LinuxSystem

/// What the program says: the answer on standard output, everything else on standard error.
package struct Output: Sendable {
    package let isJSON: Bool
    package let isQuiet: Bool

    package init(isJSON: Bool, isQuiet: Bool) {
        self.isJSON = isJSON
        self.isQuiet = isQuiet
    }

    /// Prints the answer: `text` for people, or the value as JSON.
    package func answer(_ value: some JSONEncodable, text: @autoclosure () -> String)
        throws(Failure)
    {
        if isJSON { try print(JSONWriter.line(value)) } else { try answer(text: text()) }
    }

    /// Prints text that is the answer in any case.
    package func answer(text: String) throws(Failure) {
        guard !text.isEmpty, !isQuiet else { return }
        let text = TerminalStyle.current.isUnicode ? text : text.inPlainSigns
        try print(Array((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }

    /// Prints bytes that are the answer.
    package func print(_ bytes: [UInt8]) throws(Failure) {
        do { try writeToStandard(STDOUT_FILENO, bytes) } catch {
            // A reader that has seen enough is no failure worth words.
            throw Failure(.failure, "outputFailed", error.errno == EPIPE ? "" : error.text)
        }
    }

    /// Says beside the answer what is not as it should be, and did not stop anything.
    package func warn(_ text: String) {
        note("warning: \(text)")
    }

    /// Says something beside the answer.
    package func note(_ text: String) {
        if !isQuiet { complain("\(programName): \(text)") }
    }

    /// Prints a failure: on standard error, and with `--json` as the one object on standard
    /// output as well, unless an answer that holds it stands there already.
    package func report(
        _ failure: Failure,
        verb: String?,
        subject: String?,
        isAnswered: Bool = false
    ) {
        guard !failure.text.isEmpty else { return }
        let failure = failure.filling(name: subject)
        if isJSON, !isAnswered { try? print(JSONWriter.line(failure)) }
        let place = [verb, subject].compactMap { $0 }.joined(separator: " ")
        complain("\(programName): \(place.isEmpty ? "" : "\(place): ")\(failure.text)")
        if let hint = failure.hint { complain(hint) }
    }

    private func complain(_ text: String) {
        // What is told of may come from a file or a provider, and must not steer a terminal.
        let text = text.escapingControls.folded(to: TerminalSize.ofStandardError?.columns)
        let shown = TerminalStyle.current.isUnicode ? text : text.inPlainSigns
        try? writeToStandard(STDERR_FILENO, Array("\(shown)\n".utf8))
    }
}

extension Failure {
    /// The failure with a hint that can be typed as it is.
    func filling(name: String?) -> Failure {
        Failure(exitStatus, code, text, hint: hint?.replacingName(with: name))
    }
}

extension String {
    /// The text with each placeholder NAME filled in, so that a hint can be typed as it is.
    ///
    /// Only where it stands as a word of its own.
    func replacingName(with name: String?) -> String {
        guard let name else { return self }
        let placeholder = "NAME"
        var result = ""
        var rest = self[...]
        while let first = rest.first {
            let isWhole =
                rest.hasPrefix(placeholder) && !(result.last?.continuesWord ?? false)
                && !(rest.dropFirst(placeholder.count).first?.continuesWord ?? false)
            if isWhole {
                result += name
                rest = rest.dropFirst(placeholder.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}

extension Character {
    fileprivate var continuesWord: Bool { isLetter || isNumber || self == "_" }
}
