import PropertyLists
import TunnelModel

extension MobileCorpus {
    /// What consoles of device management make, in their own handwriting.
    static let managed = [
        MobileSample("certificates beside a tunnel", beside),
        MobileSample("nothing but a bundle of certificates", bundle),
        MobileSample("all on one line", oneLine),
        MobileSample("a byte-order mark and the line ends of Windows", windows),
        MobileSample("names of its own", profile(tunnel(keys: names(splitKeys)))),
        MobileSample("names over TLS", profile(tunnel(keys: names(tlsKeys)))),
        MobileSample("names over HTTPS", profile(tunnel(keys: names(httpsKeys)))),
        MobileSample(
            "a VPN of somebody else", profile(certificate(), somebodyElse),
            provider: "org.example.anyconnect"),
        MobileSample("an end, and a passcode", profile(tunnel(), keys: ends)),
        MobileSample("payloads that are no matter of a VPN", profile(wifi, tunnel(), restrictions)),
        MobileSample("a proxy and the primary route", profile(tunnel(keys: proxies))),
    ]

    private static let beside = profile(
        certificate(keys: "<key>PayloadCertificateFileName</key><string>root.cer</string>"),
        certificate(secondCertificate, type: "pkcs1", name: "Beispiel Ⅱ"),
        certificate(type: "root", name: "The same again"), tunnel())

    private static let bundle = profile(
        certificate(
            Base64.encode(
                Array((pem(firstCertificate) + "\r\n" + pem(secondCertificate)).utf8)),
            type: "pem", name: "Bundle"))

    private static let oneLine = String(
        profile(
            tunnel(
                quick: quick(interface: "DNS = 10.10.1.1")
                    .replacing("\n", "&#10;").replacing("=", "&#x3D;")),
            keys: "<key>PayloadRemovalDisallowed</key><true/>"
                + "<key>PayloadScope</key><string>System</string>"
                + "<key>PayloadOrganization</key><string>Example &quot;Ltd.&quot;</string>"
                + "<key>PayloadEnabled</key><true/>"
                + "<key>PayloadDescription</key><string/>"
        ).replacing("\n", ""))

    private static let windows =
        "\u{FEFF}" + profile(tunnel(), keys: "<!-- made by hand -->").replacing("\n", "\r\n")

    private static func names(_ keys: String) -> String { "<key>DNS</key><dict>\(keys)</dict>" }

    private static let splitKeys = """
        <key>ServerAddresses</key><array><string>10.10.1.1</string><string>fd00::1</string></array>
        <key>DomainName</key><string>corp.example.org</string>
        <key>SearchDomains</key><array><string>example.org</string><string>*.no</string></array>
        <key>SupplementalMatchDomains</key><array><string>corp.example.org</string><string/></array>
        """

    private static let tlsKeys = """
        <key>DNSProtocol</key><string>TLS</string>
        <key>ServerName</key><string>dns.example.org</string>
        <key>ServerAddresses</key><array><string>10.10.1.1</string></array>
        <key>SupplementalMatchDomains</key><array><string>corp.example.org</string></array>
        <key>SupplementalMatchDomainsNoSearch</key><integer>1</integer>
        """

    private static let httpsKeys = """
        <key>DNSProtocol</key><string>HTTPS</string>
        <key>ServerURL</key><string>https://dns.example.org/query</string>
        <key>ServerAddresses</key><array><string>10.10.1.1</string></array>
        """

    private static let somebodyElse = """
        <dict>
            <key>PayloadType</key><string>com.apple.vpn.managed</string>
            <key>PayloadIdentifier</key><string>org.example.anyconnect</string>
            <key>UserDefinedName</key><string>Campus</string>
            <key>VPNType</key><string>VPN</string>
            <key>VPNSubType</key><string>com.cisco.anyconnect</string>
            <key>VPN</key>
            <dict>
                <key>RemoteAddress</key><string>vpn.example.org:443</string>
                <key>AuthName</key><string>someone</string>
                <key>AuthPassword</key><string>\(password)</string>
                <key>AuthenticationMethod</key><string>Password</string>
                <key>EnforceRoutes</key><true/>
                <key>ExcludeLocalNetworks</key><false/>
            </dict>
            <key>VendorConfig</key>
            <dict>
                <key>Group</key><string>staff</string>
                <key>Retries</key><integer>3</integer>
                <key>Blob</key><data>AQID</data>
                <key>Since</key><date>2026-11-30T01:02:03Z</date>
                <key>Ratio</key><real>0.5</real>
                <key>Hosts</key><array><string>a</string><dict><key>b</key><true/></dict></array>
            </dict>
        </dict>
        """

    private static let ends = """
        <key>RemovalDate</key><date>2036-05-01T00:00:00Z</date>
        <key>PayloadExpirationDate</key><date>2037-01-01T00:00:00Z</date>
        <key>HasRemovalPasscode</key><true/>
        <key>ConsentText</key><dict><key>default</key><string>Do you agree?</string></dict>
        <key>TargetDeviceType</key><integer>1</integer>
        <key>PayloadScope</key><string>User</string>
        <key>DurationUntilRemoval</key><real>86400</real>
        """

    private static let wifi = """
        <dict>
            <key>PayloadType</key><string>com.apple.wifi.managed</string>
            <key>SSID_STR</key><string>Office</string>
            <key>Password</key><string>\(password)</string>
        </dict>
        """

    private static let restrictions = """
        <dict><key>PayloadType</key><string>com.apple.applicationaccess</string></dict>
        """

    private static let proxies = """
        <key>Proxies</key><dict><key>HTTPEnable</key><integer>1</integer></dict>
        <key>IPv4</key><dict><key>OverridePrimary</key><integer>1</integer></dict>
        <key>SomethingNew</key><true/>
        <key>\(privateKey)</key><string>a key in the place of a name</string>
        """
}
