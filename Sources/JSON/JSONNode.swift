internal import CJansson

/// A value inside a parsed document, valid while the document's closure runs.
package struct JSONNode {
    let raw: UnsafeMutablePointer<json_t>

    /// Where the value stands in its document.
    package let path: JSONPath

    /// The deepest nesting below (and with) this value: 1 for a scalar.
    package var depth: Int {
        switch raw.pointee.type {
        case JSON_OBJECT:
            var deepest = 0
            forEachMember { _, child in deepest = max(deepest, child.depth) }
            return deepest + 1
        case JSON_ARRAY:
            return elements.reduce(0) { max($0, $1.depth) } + 1
        default:
            return 1
        }
    }

    /// The elements of an array; none for any other value.
    package var elements: [JSONNode] {
        (0..<json_array_size(raw)).compactMap { index in
            json_array_get(raw, index).map { JSONNode(raw: $0, path: .index(path, index)) }
        }
    }

    /// The elements of an array of strings.
    package func stringElements() throws(JSONError) -> [String] {
        guard isArray else { throw .value(path: path.text, problem: "not an array") }
        var strings: [String] = []
        for element in elements {
            guard let string = element.string else {
                throw .value(path: element.path.text, problem: "not a string")
            }
            strings.append(string)
        }
        return strings
    }

    var isArray: Bool { raw.pointee.type == JSON_ARRAY }
    var isObject: Bool { raw.pointee.type == JSON_OBJECT }
    var isNull: Bool { raw.pointee.type == JSON_NULL }

    var bool: Bool? {
        switch raw.pointee.type {
        case JSON_TRUE: true
        case JSON_FALSE: false
        default: nil
        }
    }

    var integer: Int64? {
        raw.pointee.type == JSON_INTEGER ? json_integer_value(raw) : nil
    }

    var string: String? {
        guard raw.pointee.type == JSON_STRING, let bytes = json_string_value(raw) else {
            return nil
        }
        return String(cString: bytes)
    }

    func child(_ key: String) -> UnsafeMutablePointer<json_t>? {
        json_object_get(raw, key)
    }

    func forEachMember(_ body: (String, JSONNode) -> Void) {
        var iterator = json_object_iter(raw)
        while let current = iterator {
            if let key = json_object_iter_key(current), let value = json_object_iter_value(current)
            {
                let name = String(cString: key)
                body(name, JSONNode(raw: value, path: .key(path, name)))
            }
            iterator = json_object_iter_next(raw, current)
        }
    }

    /// A copy of the value that outlives the document.
    package var value: JSONValue {
        switch raw.pointee.type {
        case JSON_OBJECT:
            var object = JSONObject()
            forEachMember { object.append(key: $0, value: $1.value) }
            return .object(object)
        case JSON_ARRAY: return .array(elements.map(\.value))
        case JSON_STRING: return .string(string ?? "")
        case JSON_INTEGER: return .integer(json_integer_value(raw))
        case JSON_REAL: return .real(json_real_value(raw))
        case JSON_TRUE: return .bool(true)
        case JSON_FALSE: return .bool(false)
        default: return .null
        }
    }
}

/// The way from the root of a document to one of its values.
package indirect enum JSONPath: Sendable {
    case root
    case key(JSONPath, String)
    case index(JSONPath, Int)

    /// As people write it: `configurations[3].routing.ipv6`.
    package var text: String {
        switch self {
        case .root: ""
        case .key(.root, let key): key
        case .key(let parent, let key): "\(parent.text).\(key)"
        case .index(let parent, let index): "\(parent.text)[\(index)]"
        }
    }
}
