import JSON
import Testing
import TunnelModel

@Suite struct CertificateTests {
    private static let digits = String(repeating: "0a", count: 32)
    private static let fingerprint = CertificateFingerprint(digits)

    @Test func aFingerprintIsReadInEveryForm() {
        let colons = (0..<32).map { _ in "0A" }.joined(separator: ":")
        for text in [Self.digits, Self.digits.uppercased(), colons, colons.lowercased()] {
            #expect(CertificateFingerprint(text)?.text == Self.digits)
        }
    }

    @Test(
        arguments: [
            "", "0a", "0A:", String(repeating: "0g", count: 32), digits + "0",
            String(digits.dropLast()), String(repeating: ":", count: 95),
            (0..<32).map { _ in "0A" }.joined(separator: "-"), digits + digits.prefix(31),
        ])
    func anythingElseIsNoFingerprint(text: String) {
        #expect(CertificateFingerprint(text) == nil)
    }

    @Test(
        arguments: [
            ("-----BEGIN CERTIFICATE-----\nMAIw\nAA==\n-----END CERTIFICATE-----", nil),
            (
                "\r\n-----BEGIN CERTIFICATE-----  \r\nMAIwAA\r\n-----END CERTIFICATE-----\r\n\r\n",
                nil
            ),
            ("", "not a certificate in PEM form"),
            ("x\n-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----", "not a certificate"),
            ("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----", "not a certificate in PEM"),
            ("-----BEGIN CERTIFICATE-----\nA A\n-----END CERTIFICATE-----", "not a certificate"),
            ("-----BEGIN CERTIFICATE-----\nAA\n", "without its end"),
            // A key behind the certificate, and one in its place.
            (
                "-----BEGIN CERTIFICATE-----\nMAIwADADAgEA\n-----END CERTIFICATE-----",
                "something behind it"
            ),
            ("-----BEGIN CERTIFICATE-----\nMAMCAQA=\n-----END CERTIFICATE-----", "not one cert"),
            ("-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\nx", "more than one"),
        ] as [(String, String?)])
    func onlyOneCertificateIsPEM(text: String, problem: String?) {
        let found = CertificatePEM.problem(of: text)
        guard let problem else { return #expect(found == nil) }
        #expect(found?.contains(problem) == true, "\(found ?? "nil")")
    }

    private func moment(_ days: Int64) -> Timestamp {
        Timestamp(microseconds: (1_000 + days) * 86_400 * 1_000_000)
    }

    @Test func profileAndAnchorsAreTimedApart() throws {
        let fingerprint = try #require(Self.fingerprint)
        func anchor(_ name: String, _ from: Int64, _ to: Int64) -> TrustAnchor {
            TrustAnchor(
                name: name, kind: .x509, value: "",
                certificate: CertificateDescription(
                    subject: name, fingerprint: fingerprint, notBefore: moment(from),
                    notAfter: moment(to)))
        }
        let profile = EnrolledProfile(
            identifier: "office", notBefore: moment(1),
            anchors: [
                anchor("good", -1, 100), anchor("old", -9, -1), anchor("soon", -1, 3),
                anchor("coming", 2, 4), TrustAnchor(name: "key", kind: .wireguard, value: ""),
            ])
        let notices = profile.validityNotices(at: moment(0))
        #expect(notices.map(\.anchor) == [nil, "office/old", "office/soon", "office/coming"])
        #expect(
            notices.map(\.validity) == [
                .notYet(from: moment(1)), .ended(at: moment(-1)), .ending(at: moment(3)),
                .notYet(from: moment(2)),
            ])
        #expect(notices.last?.problem == "is not valid before \(moment(2).text)")
    }

    @Test func whatTheCertificateSaysStaysWithThisHost() throws {
        let description = CertificateDescription(
            subject: "CN=x", fingerprint: try #require(Self.fingerprint), notBefore: moment(0),
            notAfter: moment(1))
        let anchor = TrustAnchor(
            name: "ca", kind: .x509,
            value: "-----BEGIN CERTIFICATE-----\nMAIwAA==\n-----END CERTIFICATE-----\n",
            certificate: description)
        let profile = EnrolledProfile(
            identifier: "office", organisation: "Example", notBefore: moment(0), anchors: [anchor],
            signer: description)
        let read = try Model.read(Model.written(profile)) { node throws(JSONError) in
            try EnrolledProfile(node)
        }
        #expect(read == profile)
        // A provider is handed what it needs to know.
        #expect(anchor.named(in: "office").certificate == nil)
    }
}
