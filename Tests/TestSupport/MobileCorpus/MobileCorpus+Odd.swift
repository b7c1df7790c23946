import PropertyLists
import TunnelModel

extension MobileCorpus {
    /// What is written in another way than most, and right all the same.
    static let odd = [
        MobileSample("a binary property list", bytes: binary),
        MobileSample("CDATA, comments and an attribute", cdata),
        MobileSample("neither a document type nor <plist>", bare),
        MobileSample("an encoding in small letters, and apostrophes", small),
    ]

    private static let cdata = profile(
        tunnel(quick: "<![CDATA[\(quick())\n# a < b && c\n]]>"),
        keys: "<!-- <key>PayloadType</key> --><?xml-stylesheet href='x'?>"
    ).replacing("<key>PayloadContent</key>", "<key class=\"x y\">PayloadContent</key >")

    private static let bare = String(
        profile(tunnel()).split(separator: "\n").dropFirst(3).dropLast().joined(separator: "\n"))

    private static let small = profile(tunnel())
        .replacing("version=\"1.0\" encoding=\"UTF-8\"", "version='1.0' encoding='utf-8'")

    /// Written by another program.
    private static let binary =
        Base64.decode(
            """
            YnBsaXN0MDDXAQIDBAUGBwgTHyAhIhJeUGF5bG9hZENvbnRlbnRfEBJQYXlsb2FkRGlzcGxheU5hbWVf
            EBVQYXlsb2FkRXhwaXJhdGlvbkRhdGVfEBFQYXlsb2FkSWRlbnRpZmllcltQYXlsb2FkVHlwZVtQYXls
            b2FkVVVJRF5QYXlsb2FkVmVyc2lvbqEJ2QQFBgcKCwwNDg8QERITFBsLHF8QD1VzZXJEZWZpbmVkTmFt
            ZVNWUE5aVlBOU3ViVHlwZVdWUE5UeXBlXFZlbmRvckNvbmZpZ18QFm9yZy5leGFtcGxlLmJpbmFyeS52
            cG5fEBVjb20uYXBwbGUudnBuLm1hbmFnZWRfECQwRTVCNkMwNS1BQjE1LTRBNTctOEQwNS04QTNBMEYz
            QzJCMTkQAWQAQgD8AHIAb9MVFhcYGRpfEBRBdXRoZW50aWNhdGlvbk1ldGhvZF8QD09uRGVtYW5kRW5h
            YmxlZF1SZW1vdGVBZGRyZXNzWFBhc3N3b3JkEABZMTkyLjAuMi4xXxARY29tLndpcmVndWFyZC5pb3PR
            HR5dV2dRdWlja0NvbmZpZ18Q0FtJbnRlcmZhY2VdClByaXZhdGVLZXkgPSA2TXRwdW9hWW1TS0RBTVZr
            RW13K3p1UnpZM3BQZVA1ckpvN1R3MHlHbEZRPQpBZGRyZXNzID0gMTAuOS4wLjIvMzIKW1BlZXJdClB1
            YmxpY0tleSA9IGhTRHdDWWt3cDFSMGkzM2N0RDczV2cyL09nMG1PQnIwNjZTcGpxcWJUbW89CkVuZHBv
            aW50ID0gMTkyLjAuMi4xOjUxODIwCkFsbG93ZWRJUHMgPSAxMC45LjAuMC8xNgozQdB1hMlAAABfEBJv
            cmcuZXhhbXBsZS5iaW5hcnldQ29uZmlndXJhdGlvbl8QJDVFMUM2QzA1LUFCMTUtNEE1Ny04RDA1LThB
            M0EwRjNDMkIxOQAIABcAJgA7AFMAZwBzAH8AjgCQAKMAtQC5AMQAzADZAPIBCgExATMBPAFDAVoBbAF6
            AYMBhQGPAaMBpgG0AocCkAKlArMAAAAAAAACAQAAAAAAAAAjAAAAAAAAAAAAAAAAAAAC2g==
            """.utf8) ?? []
}
