internal import Enrolment
internal import JSON
internal import TunnelModel

/// What `export` answers as JSON: the file, or where it was written to, and what it leaves out.
struct ExportAnswer: JSONEncodable {
    let material: ExportedMaterial
    let file: String?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", material.configuration.name)
            writer.member("identifier", material.configuration.identifier)
            writer.member("format", "wg-quick")
            writer.member("file", file)
            let text = String(decoding: material.file.bytes, as: UTF8.self)
            writer.member("text", file == nil ? text : nil)
            writer.member("omissions", material.omissions.map(Omission.init))
        }
    }
}

private struct Omission: JSONEncodable {
    let omission: QuickExport.Omission

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("path", omission.path)
            writer.member("text", omission.text)
        }
    }
}
