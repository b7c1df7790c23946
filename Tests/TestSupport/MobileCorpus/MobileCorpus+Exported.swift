extension MobileCorpus {
    /// What is made for the applications of WireGuard.
    static let exported = [
        MobileSample("the manual's profile for iOS", manual),
        MobileSample(
            "a profile for macOS",
            profile(tunnel(subtype: "com.wireguard.macos", vpn: macOS))),
        MobileSample("rules for networks at home", profile(tunnel(vpn: homeRules))),
        MobileSample("rules for single names", profile(tunnel(vpn: nameRules))),
        MobileSample("a rule with a condition that is not known", profile(tunnel(vpn: oddRules))),
        MobileSample(
            "two tunnels of one name",
            profile(
                tunnel("Office"), tunnel("Office", quick: quick(key: otherPrivateKey)))),
        MobileSample("everything by the tunnel", profile(tunnel(vpn: killSwitch))),
        MobileSample("what a file of wg-quick can hold", profile(tunnel(quick: fullQuick))),
        MobileSample(
            "another application that takes files of wg-quick",
            profile(tunnel(subtype: "com.example.wg-client"))),
    ]

    /// As MOBILECONFIG.md of WireGuard for Apple's systems has it.
    private static let manual = """
        <?xml version="1.0" encoding="UTF-8"?>
        \(documentType)
        <plist version="1.0">
        <dict>
        \t<key>PayloadDisplayName</key>
        \t<string>WireGuard Demo Configuration Profile</string>
        \t<key>PayloadType</key>
        \t<string>Configuration</string>
        \t<key>PayloadVersion</key>
        \t<integer>1</integer>
        \t<key>PayloadIdentifier</key>
        \t<string>com.your-org.wireguard.FCC9BF80-C540-44C1-B243-521FDD1B2905</string>
        \t<key>PayloadUUID</key>
        \t<string>F346AAF4-53A2-4FA1-ACA3-EEE74DBED029</string>
        \t<key>PayloadContent</key>
        \t<array>
        \t\t<dict>
        \t\t\t<key>PayloadDisplayName</key>
        \t\t\t<string>VPN</string>
        \t\t\t<key>PayloadType</key>
        \t\t\t<string>com.apple.vpn.managed</string>
        \t\t\t<key>PayloadVersion</key>
        \t\t\t<integer>1</integer>
        \t\t\t<key>PayloadIdentifier</key>
        \t\t\t<string>com.your-org.wireguard.demo.FCC9BF80-C540-44C1-B243-521FDD1B2905</string>
        \t\t\t<key>PayloadUUID</key>
        \t\t\t<string>44CDFE9F-4DC7-472A-956F-61C68055117C</string>
        \t\t\t<key>UserDefinedName</key>
        \t\t\t<string>Demo from MobileConfig file</string>
        \t\t\t<key>VPNType</key>
        \t\t\t<string>VPN</string>
        \t\t\t<key>VPNSubType</key>
        \t\t\t<string>com.wireguard.ios</string>
        \t\t\t<key>VendorConfig</key>
        \t\t\t<dict>
        \t\t\t\t<key>WgQuickConfig</key>
        \t\t\t\t<string>
        \t\t\t\t[Interface]
        \t\t\t\tPrivateKey = \(privateKey)
        \t\t\t\tAddress = 10.10.1.0/24
        \t\t\t\tDNS = 1.1.1.1, 1.0.0.1

        \t\t\t\t[Peer]
        \t\t\t\tPublicKey = \(publicKey)
        \t\t\t\tPresharedKey = \(presharedKey)
        \t\t\t\tEndpoint = demo.wireguard.com:12912
        \t\t\t\tAllowedIPs = 0.0.0.0/0, ::/0
        \t\t\t\t</string>
        \t\t\t</dict>
        \t\t\t<key>VPN</key>
        \t\t\t<dict>
        \t\t\t\t<key>RemoteAddress</key>
        \t\t\t\t<string>demo.wireguard.com:12912</string>
        \t\t\t\t<key>AuthenticationMethod</key>
        \t\t\t\t<string>Password</string>
        \t\t\t</dict>
        \t\t</dict>
        \t</array>
        </dict>
        </plist>

        """

    private static let macOS = """
        <key>ProviderType</key><string>packet-tunnel</string>
        <key>ProviderBundleIdentifier</key>
        <string>com.wireguard.macos.network-extension</string>
        <key>ProviderDesignatedRequirement</key><string>anchor apple generic</string>
        """

    private static let homeRules = """
        <key>OnDemandEnabled</key><integer>1</integer>
        <key>OnDemandRules</key>
        <array>
            <dict>
                <key>Action</key><string>Disconnect</string>
                <key>InterfaceTypeMatch</key><string>WiFi</string>
                <key>SSIDMatch</key><array><string>Home</string><string>Office &amp; Lab</string></array>
            </dict>
            <dict>
                <key>Action</key><string>Ignore</string>
                <key>DNSDomainMatch</key><array><string>*.example.org</string></array>
                <key>DNSServerAddressMatch</key><array><string>192.168.*</string></array>
                <key>URLStringProbe</key><string>https://intranet.example.org/</string>
            </dict>
            <dict>
                <key>Action</key><string>Connect</string>
                <key>InterfaceTypeMatch</key><string>Cellular</string>
            </dict>
            <dict><key>Action</key><string>Connect</string></dict>
        </array>
        <key>DisconnectOnIdle</key><integer>1</integer>
        <key>DisconnectOnIdleTimer</key><integer>900</integer>
        """

    private static let nameRules = """
        <key>OnDemandEnabled</key><true/>
        <key>OnDemandRules</key>
        <array>
            <dict>
                <key>Action</key><string>EvaluateConnection</string>
                <key>ActionParameters</key>
                <array>
                    <dict>
                        <key>Domains</key><array><string>example.org</string></array>
                        <key>DomainAction</key><string>ConnectIfNeeded</string>
                    </dict>
                </array>
            </dict>
        </array>
        """

    private static let oddRules = """
        <key>OnDemandEnabled</key><integer>0</integer>
        <key>OnDemandRules</key>
        <array>
            <dict>
                <key>Action</key><string>Disconnect</string>
                <key>NetworkTrustMatch</key><string>trusted</string>
            </dict>
            <dict><key>Action</key><string>Connect</string></dict>
        </array>
        """

    private static let killSwitch = """
        <key>IncludeAllNetworks</key><integer>1</integer>
        <key>ExcludeLocalNetworks</key><true/>
        <key>EnforceRoutes</key><false/>
        <key>ExcludeAPNs</key><true/>
        <key>ExcludeCellularServices</key><false/>
        """

    private static let fullQuick = """
        [interface] # with blanks
        PrivateKey=\(privateKey)
        Address = 10.9.0.2/24 ,fd00:9::2/64
        DNS = 10.9.0.1, example.org
        MTU = 1380
        Table = off
        PostUp = logger &lt;up&gt; &amp;&amp; true

        [Peer]
        PublicKey = \(publicKey)
        PresharedKey = \(presharedKey)
        Endpoint = [2001:db8::1]:443
        AllowedIPs = 10.20.3.4/16
        PersistentKeepalive = 25

        [Peer]
        PublicKey = \(otherKey)
        AllowedIPs = fd00:9::/64
        """
}
