import JSON

/// Texts and short ways to read them.
enum Texts {
    /// A document with every kind of value, several levels deep.
    static let preferences = """
        { "formatVersion": 1, "generation": 12, "configurations": [ {
            "identifier": "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001", "name": "office",
            "title": "Büro \\"Süd\\" \\u00e9\\ud83d\\ude00", "generation": 12, "enabled": true,
            "provider": "org.utunctl.loopback", "serverAddress": null,
            "credentials": { "privateKey": "file:office.key" },
            "providerConfiguration": { "ratio": 0.5, "small": -1e-3, "nested": [[], {}, [1]] },
            "routing": { "includedRoutes": ["10.9.0.0/16", "fd00:9::/64"], "forward": false },
            "livenessInterval": 120 } ] }
        """

    /// The value of a text.
    static func value(_ text: String, allowsScalars: Bool = false) throws(JSONError) -> JSONValue {
        try value(of: Array(text.utf8), allowsScalars: allowsScalars)
    }

    /// The value of bytes that may not be text at all.
    static func value(of bytes: [UInt8], allowsScalars: Bool = false) throws(JSONError)
        -> JSONValue
    {
        try JSONDocument(parsing: bytes, allowsScalars: allowsScalars).withRoot { $0.value }
    }

    /// The error of bytes that are not JSON, or `nil` where they are.
    static func error(of bytes: [UInt8], allowsScalars: Bool = false) -> JSONError? {
        do throws(JSONError) {
            _ = try value(of: bytes, allowsScalars: allowsScalars)
            return nil
        } catch {
            return error
        }
    }

    /// Line and column of the error of a text.
    static func position(_ text: String) -> [Int]? {
        guard case .syntax(let line, let column, _) = error(of: Array(text.utf8)) else {
            return nil
        }
        return [line, column]
    }

    /// The error that reading an object comes to, or `nil`.
    static func error<Value>(
        in text: String,
        reading body: (inout JSONObjectReader) throws -> Value
    ) -> JSONError? {
        do {
            _ = try read(text, body)
            return nil
        } catch {
            return error as? JSONError
        }
    }

    /// Reads an object.
    static func read<Value>(
        _ text: String,
        _ body: (inout JSONObjectReader) throws -> Value
    ) throws -> Value {
        try JSONDocument(parsing: text.utf8).withRoot { node in
            var reader = try JSONObjectReader(node)
            return try body(&reader)
        }
    }

    /// What a value is written as, without the line end.
    static func written(_ value: some JSONEncodable, layout: JSONWriter.Layout = .compact)
        -> String
    {
        String(decoding: JSONWriter.line(value, layout: layout).dropLast(), as: UTF8.self)
    }
}
