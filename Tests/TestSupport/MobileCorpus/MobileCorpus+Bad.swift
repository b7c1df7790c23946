extension MobileCorpus {
    /// What is a property list, and still no VPN that is taken.
    static let otherKinds = [
        MobileSample("IKEv2", profile(certificate(), kind("IKEv2", ikev2))),
        MobileSample("L2TP", profile(kind("L2TP", "<key>PPP</key><dict/>"))),
        MobileSample("PPTP", profile(kind("PPTP"))),
        MobileSample("IPSec", profile(kind("IPSec", ipsec))),
        MobileSample("AlwaysOn", profile(kind("AlwaysOn"))),
        MobileSample("TransparentProxy", profile(kind("TransparentProxy"))),
        MobileSample("an encrypted profile", encrypted),
        MobileSample("an identity beside a tunnel", profile(tunnel(), identity("pkcs12"))),
        MobileSample("SCEP", profile(tunnel(), identity("scep"))),
        MobileSample("ACME", profile(identity("acme"), tunnel())),
        MobileSample(
            "a VPN of single applications",
            profile(
                tunnel().replacing("com.apple.vpn.managed", "com.apple.vpn.managed.applayer"))),
        MobileSample(
            "a proxy of single applications",
            profile(tunnel(vpn: "<key>ProviderType</key><string>app-proxy</string>"))),
        MobileSample(
            "an application that nobody knows",
            profile(
                tunnel(subtype: "com.cisco.anyconnect").replacing("WgQuickConfig", "Group"))),
        MobileSample(
            "a file of wg-quick with a mistake",
            profile(tunnel(quick: quick(peer: "AllowedIP = 10.0.0.0/8")))),
        MobileSample(
            "no file of wg-quick", profile(tunnel().replacing("WgQuickConfig", "Config"))),
        MobileSample("nothing in it", profile()),
        MobileSample("no payloads at all", profile().replacing("PayloadContent", "Contents")),
        MobileSample("a list", "<plist version=\"1.0\"><array><string>x</string></array></plist>"),
        MobileSample("the Info.plist of a program", information),
        MobileSample(
            "a payload at the top",
            profile(tunnel()).replacing(
                "<string>Configuration</string>", "<string>com.apple.vpn.managed</string>")),
        MobileSample(
            "a string in the place of a boolean",
            profile(tunnel(vpn: "<key>IncludeAllNetworks</key><string>true</string>"))),
        MobileSample(
            "a string in the place of an integer",
            profile(
                tunnel(
                    vpn: "<key>DisconnectOnIdle</key><true/>"
                        + "<key>DisconnectOnIdleTimer</key><string>60</string>"))),
        MobileSample(
            "an array in the place of a dictionary",
            profile("<array/>")),
        MobileSample(
            "a private key in the place of a certificate",
            profile(certificate(somePrivateKey))),
        MobileSample(
            "a server that is a URL",
            profile(somebody("https://vpn.example.org/staff")), provider: "org.example.vpn"),
    ]

    private static func kind(_ type: String, _ keys: String = "") -> String {
        """
        <dict>
            <key>PayloadType</key><string>com.apple.vpn.managed</string>
            <key>UserDefinedName</key><string>Office</string>
            <key>VPNType</key><string>\(type)</string>
            \(keys)
        </dict>
        """
    }

    private static func somebody(_ server: String) -> String {
        kind(
            "VPN",
            "<key>VPNSubType</key><string>com.example.vpn</string>"
                + "<key>VPN</key><dict><key>RemoteAddress</key><string>\(server)</string></dict>")
    }

    private static func identity(_ type: String) -> String {
        """
        <dict>
            <key>PayloadType</key><string>com.apple.security.\(type)</string>
            <key>PayloadContent</key><data>MIIJ</data>
            <key>Password</key><string>\(password)</string>
        </dict>
        """
    }

    private static let ikev2 = """
        <key>IKEv2</key>
        <dict>
            <key>RemoteAddress</key><string>vpn.example.org</string>
            <key>RemoteIdentifier</key><string>vpn.example.org</string>
            <key>LocalIdentifier</key><string>someone</string>
            <key>AuthenticationMethod</key><string>SharedSecret</string>
            <key>SharedSecret</key><string>\(password)</string>
            <key>DeadPeerDetectionRate</key><string>Medium</string>
        </dict>
        """

    private static let ipsec = """
        <key>IPSec</key>
        <dict>
            <key>AuthenticationMethod</key><string>SharedSecret</string>
            <key>SharedSecret</key><data>Y2FuYXJ5LXBhc3MtcGhyYXNl</data>
            <key>XAuthPassword</key><string>\(password)</string>
        </dict>
        """

    private static let encrypted = """
        <plist version="1.0">
        <dict>
            <key>PayloadType</key><string>Configuration</string>
            <key>IsEncrypted</key><true/>
            <key>EncryptedPayloadContent</key><data>MIIC</data>
        </dict>
        </plist>
        """

    private static let information = """
        <plist version="1.0">
        <dict>
            <key>CFBundleIdentifier</key><string>com.wireguard.ios</string>
            <key>LSRequiresIPhoneOS</key><true/>
        </dict>
        </plist>
        """

    private static let somePrivateKey =
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgtDjawmDuEl7CEaLPqBupKqLPqIvX6Nvindo/"
        + "JAh7rC+hRANCAASiz2tzWmNpN5Fb68GbsVk984Ol9QNjJwqvII3p7/waZKlBWawdqz1SBzuceJ0qbuAOXs"
        + "cqwpwiloDzqtDN834J"
}
