import Glibc

/// A system call that failed, with what it was about and why.
package struct SystemError: Error, Equatable, Sendable {
    /// The name of the C function.
    package let call: String
    /// The path, interface or other thing that it was about; may be empty.
    package let subject: String
    /// The value of `errno`.
    package let errno: CInt

    /// An error whose `errno` was copied right after the call.
    package init(_ call: String, _ subject: String = "", errno: CInt) {
        self.call = call
        self.subject = subject
        self.errno = errno
    }

    /// The kernel's words for `errno`.
    package var reason: String { Self.reason(of: errno) }

    /// What failed, on what, why: `open /etc/x: Permission denied`.
    package var text: String {
        subject.isEmpty ? "\(call): \(reason)" : "\(call) \(subject): \(reason)"
    }

    /// The text of an errno value.
    package static func reason(of errno: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        // The XSI form, which the Glibc overlay imports, writes into the buffer.
        guard strerror_r(errno, &buffer, buffer.count) == 0 else { return "error \(errno)" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Runs a call that answers -1 and sets `errno`; repeats it when a signal came between.
///
/// Not for `close` and `connect`, which go on by themselves after EINTR.
func check<Value: SignedInteger>(
    _ call: String,
    _ subject: @autoclosure () -> String = "",
    _ body: () -> Value
) throws(SystemError) -> Value {
    while true {
        let value = body()
        guard value == -1 else { return value }
        let failure = errno
        if failure != EINTR { throw SystemError(call, subject(), errno: failure) }
    }
}

/// Runs a shim that answers a value or `-errno`; repeats it when a signal came between.
@discardableResult
func checkShim<Value: SignedInteger>(
    _ call: String,
    _ subject: @autoclosure () -> String = "",
    _ body: () -> Value
) throws(SystemError) -> Value {
    while true {
        let value = body()
        guard value < 0 else { return value }
        if value != -Value(EINTR) { throw SystemError(call, subject(), errno: CInt(-value)) }
    }
}
