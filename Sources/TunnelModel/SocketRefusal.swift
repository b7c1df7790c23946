/// Why a provider is given no socket.
package struct SocketRefusal: Error, Equatable, Sendable {
    /// What a provider can make of it.
    package enum Code: String, CaseIterable, Sendable {
        /// The host has no addresses of the family: the other one may do.
        case familyUnavailable
        /// Another program has the port.
        case portTaken
        /// Anything else, of which the text tells.
        case refused
    }

    package let code: Code
    package let text: String

    package init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }
}
