import Glibc

/// What the kernel said when it did not do as asked.
package struct NetlinkError: Error, Equatable, Sendable {
    /// What was tried, such as "deleting the link".
    package let operation: String

    /// What it was tried on, such as "utun0"; empty where there is nothing to name.
    package let subject: String

    /// The kernel's own error number, never one of libnl's.
    package let errno: CInt

    /// The kernel's explanation (extended acknowledgement), where it gave one.
    package let kernelText: String?

    /// An error with these parts.
    package init(operation: String, subject: String, errno: CInt, kernelText: String? = nil) {
        self.operation = operation
        self.subject = subject
        self.errno = errno
        self.kernelText = kernelText
    }
}

extension NetlinkError: CustomStringConvertible {
    /// The whole sentence: "deleting the link utun0: Operation not permitted".
    package var description: String {
        let what = subject.isEmpty ? operation : "\(operation) \(subject)"
        // Since glibc 2.32 strerror(3) may be called from any thread.
        let why = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        guard let kernelText else { return "\(what): \(why)" }
        return "\(what): \(why) (\(kernelText))"
    }
}
