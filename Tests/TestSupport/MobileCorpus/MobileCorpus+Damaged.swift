extension MobileCorpus {
    /// What is no property list, or made to do damage.
    static let damaged = [
        MobileSample(
            "an end that is missing", profile(tunnel()).replacing("</array>", "")),
        MobileSample(
            "a file that was cut off", bytes: Array(Array(profile(tunnel()).utf8).prefix(900))),
        MobileSample(
            "a binary file that was cut off",
            bytes: Array(
                (good.first { $0.name == "a binary property list" }?.bytes ?? []).dropLast(40))),
        MobileSample("a page of the web", "<!DOCTYPE html>\n<html><body>Sign in</body></html>"),
        MobileSample(
            "an ampersand that is not escaped",
            profile(tunnel(quick: quick(interface: "PostUp = a && b")))),
        MobileSample(
            "the same key twice",
            profile(tunnel(keys: "<key>VPNType</key><string>IKEv2</string>"))),
        MobileSample(
            "data that is not base64", profile(certificate("-----BEGIN CERTIFICATE-----"))),
        MobileSample(
            "entities that grow", bomb("<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">", "&b;")),
        MobileSample(
            "an entity that is a file", bomb("<!ENTITY a SYSTEM \"file:///etc/passwd\">", "&a;")),
        MobileSample(
            "an entity that is somewhere else",
            bomb("<!ENTITY a SYSTEM \"http://127.0.0.1:9/x\">", "&a;")),
        MobileSample("an entity without a declaration", profile(tunnel("&a;"))),
        MobileSample(
            "nested without end",
            "<plist>" + String(repeating: "<array>", count: 100_000)),
        MobileSample(
            "more values than there can be",
            "<plist><array>" + String(repeating: "<true/>", count: 100_001) + "</array></plist>"),
        MobileSample(
            "a binary file that holds itself", bytes: holdingItself),
        MobileSample(
            "a binary file that grows", bytes: growing),
        MobileSample("text behind the end", profile(tunnel()) + "x"),
        MobileSample("nothing but its beginning", "<"),
        MobileSample(
            "bytes that are no text",
            bytes: Array("<plist><string>".utf8) + [0xFF]
                + Array("</string></plist>".utf8)),
    ]

    private static func bomb(_ declarations: String, _ use: String) -> String {
        profile(tunnel(use)).replacing(
            documentType, "<!DOCTYPE plist [\(declarations)]>")
    }

    /// An array whose only element is the array.
    private static let holdingItself = binary([[0xA1, 0]])

    /// Arrays of eight of the next one each: more values than fit into memory.
    private static let growing = binary(
        (0..<24).map { [0xA8] + [UInt8](repeating: UInt8($0) + 1, count: 8) } + [[0x09]])

    /// A binary property list of some objects, the first of which is its value.
    private static func binary(_ objects: [[UInt8]]) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [UInt8(objects.count), 0, table] {
            bytes += [UInt8](repeating: 0, count: 7) + [number]
        }
        return bytes
    }
}
