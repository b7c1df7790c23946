import JSON
import PropertyLists
import TestSupport
import Testing
import TunnelModel

@Suite struct PropertyListTests {
    private func read(_ text: String) throws(PropertyListError) -> PropertyListNode {
        try PropertyList.parse(Array(text.utf8))
    }

    private func error(_ text: String) -> String? {
        do throws(PropertyListError) {
            _ = try read(text)
            return nil
        } catch {
            return error.text
        }
    }

    @Test(
        arguments: [
            ("<string>a &lt;&#x26;&#233;&gt;</string>", .string("a <&é>")),
            ("<string/>", .string("")), ("<string></string>", .string("")),
            ("<string><![CDATA[<&]]>x<![CDATA[]]></string>", .string("<&x")),
            ("<string> a\r\n</string>", .string(" a\r\n")),
            ("<integer> -12 </integer>", .integer(-12)), ("<integer>0x1F</integer>", .integer(31)),
            ("<integer>9223372036854775807</integer>", .integer(.max)),
            ("<real>-1.5e3</real>", .real(-1500)), ("<true/>", .bool(true)),
            ("<false></false>", .bool(false)), ("<data>\n AQ ID\n</data>", .data([1, 2, 3])),
            ("<data/>", .data([])), ("<array/>", .array([])), ("<dict />", .dictionary([])),
            ("<date>1970-01-01T00:00:01Z</date>", .date(Timestamp(microseconds: 1_000_000))),
        ] as [(String, PropertyListNode.Value)])
    func eachKindOfValueIsRead(text: String, value: PropertyListNode.Value) throws {
        #expect(try read("<plist>\(text)</plist>").value == value)
        #expect(try read(text).value == value)
    }

    @Test(
        arguments: [
            ("", "line 1, column 1: the file ends here"),
            ("x", "line 1, column 1: text that belongs to no value"),
            ("<plist>\n</plist>", "line 2, column 1: the value is missing"),
            ("<plist/>", "line 1, column 1: a property list without a value"),
            ("<plist>\r<dict>\r\n<string/></dict></plist>", "line 3, column 1: neither <key>"),
            ("<dict><key>a</key></dict>", "line 1, column 19: the value is missing"),
            ("<dict><key>a</key>\n<true/><key>a</key><true/></dict>", "the same key as in line 1"),
            ("<array><string>a</array>", "line 1, column 17: not the end of <string>"),
            ("<array></dict>", "line 1, column 8: not the end of the array"),
            ("<string>&a;</string>", "line 1, column 9: an entity that is not one of XML's own"),
            ("<string>a & b</string>", "line 1, column 11: an & that is not written as &amp;"),
            ("<string>&#0;</string>", "the number of no character"),
            ("<string>&#xD800;</string>", "the number of no character"),
            ("<string>&#+5;</string>", "the number of no character"),
            ("<!DOCTYPE plist [<!ENTITY a \"b\">]><string/>", "column 17: declarations in the"),
            ("<!DOCTYPE plist", "line 1, column 1: a document type without an end"),
            ("<!-- a", "a comment without an end"), ("<?xml", "a processing instruction without"),
            ("<string><![CDATA[a</string>", "line 1, column 9: a CDATA section without an end"),
            ("<integer>1.5</integer>", "an integer that is none"),
            ("<integer/>", "an integer that is none"),
            ("<integer>0x-1</integer>", "an integer that is none"),
            ("<integer>9223372036854775808</integer>", "beyond 64 bits"),
            ("<real>nan</real>", "a real number that is none"),
            ("<date>2026-02-30T00:00:00Z</date>", "a date that is not of the form"),
            ("<data>A</data>", "data that is not base64"), ("<true>1</true>", "a boolean with"),
            ("<html></html>", "line 1, column 1: not an element of a property list"),
            ("<string", "a tag without an end"), ("<string <a>", "a tag without an end"),
            ("<key>a</key>", "a value must stand here, not <key>"),
            ("<string/><string/>", "line 1, column 10: more behind the end"),
            ("</string>", "an end of an element that has not begun"),
            ("<string>a\u{0}</string>", "a NUL in this text"),
        ])
    func whatIsWrongIsToldWithItsPlace(text: String, problem: String) {
        #expect(error(text)?.contains(problem) == true, "\(error(text) ?? "taken")")
    }

    @Test func linesAreThoseOfTheFile() throws {
        let node = try read("<plist>\n<array>\r\n<true/>\r<string>\na</string>\n</array></plist>")
        guard case .array(let elements) = node.value else {
            Issue.record("\(node)")
            return
        }
        #expect(node.line == 2)
        #expect(elements.map(\.line) == [3, 4])
    }

    @Test(arguments: [64, 65])
    func theDepthIsBounded(depth: Int) {
        let text =
            String(repeating: "<array>", count: depth)
            + String(repeating: "</array>", count: depth)
        #expect((error(text) == nil) == (depth == 64))
    }

    @Test(arguments: MobileCorpus.good)
    func whatIsHandedOnComesBack(sample: MobileSample) throws {
        let reading = PropertyListReading(sample.bytes)
        let document = JSONWriter.line(reading)
        #expect(try PropertyListReading(document: document) == reading)
    }

    @Test func whyItIsRefusedComesBack() throws {
        for text in ["<a>", "bplist00"] {
            let reading = PropertyListReading(Array(text.utf8))
            #expect(try PropertyListReading(document: JSONWriter.line(reading)) == reading)
            #expect(throws: PropertyListError.self) { try reading.get() }
        }
    }

    @Test(arguments: [[0xFE, 0xFF, 0, 0x3C], [0xFF, 0xFE, 0x3C, 0], [0x3C, 0, 0x70, 0]])
    func otherEncodingsAreNamed(bytes: [UInt8]) {
        #expect(
            throws: PropertyListError("the text is UTF-16 or UTF-32, not UTF-8: save it as UTF-8")
        ) {
            try PropertyList.parse(bytes)
        }
    }
}
