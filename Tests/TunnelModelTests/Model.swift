import JSON
import TunnelModel

/// Short ways to read and write values of the model.
enum Model {
    static let identifier = "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001"

    /// The value that `body` reads from the root of a text.
    static func read<Value>(_ text: String, _ body: (JSONNode) throws(JSONError) -> Value)
        throws(JSONError) -> Value
    {
        try JSONDocument(parsing: text.utf8).withRoot(body)
    }

    /// What is wrong with a text, on one line, or `nil`.
    static func problem<Value>(_ text: String, _ body: (JSONNode) throws(JSONError) -> Value)
        -> String?
    {
        do throws(JSONError) {
            _ = try read(text, body)
            return nil
        } catch {
            return error.text
        }
    }

    /// The configuration of a text.
    static func configuration(_ text: String) throws(JSONError) -> Configuration {
        try read(text) { node throws(JSONError) in try Configuration(node) }
    }

    /// A configuration that differs from the default by some members, written as JSON.
    static func configuration(with members: String) throws(JSONError) -> Configuration {
        try configuration(
            "{\"identifier\": \"\(identifier)\", \"name\": \"office\", \(members)}")
    }

    /// What a value is written as, without the line end.
    static func written(_ value: some JSONEncodable, layout: JSONWriter.Layout = .compact)
        -> String
    {
        String(decoding: JSONWriter.line(value, layout: layout).dropLast(), as: UTF8.self)
    }

    /// A resolver with a word in each key.
    static var resolver: DNSSettings {
        var settings = DNSSettings()
        settings.servers = ["192.0.2.53", "2001:db8::53"].compactMap { IPAddress($0) }
        settings.searchDomains = ["example.org"]
        settings.matchDomains = ["example.org", "corp.example"]
        settings.tls = true
        return settings
    }

    /// Prefixes from texts; one that is none is left out.
    static func prefixes(_ texts: [String]) -> [IPPrefix] {
        texts.compactMap { IPPrefix($0) }
    }
}

/// Numbers that come out the same in every run (Knuth's MMIX constants).
struct RepeatableNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
