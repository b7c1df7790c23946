/// A configuration profile as people have it, and the options that it is enrolled with.
package struct MobileSample: Sendable, CustomStringConvertible {
    /// What is peculiar about it.
    package let name: String
    package let bytes: [UInt8]
    /// What `--provider` says.
    package let provider: String?

    package init(_ name: String, _ text: String, provider: String? = nil) {
        self.init(name, bytes: Array(text.utf8), provider: provider)
    }

    package init(_ name: String, bytes: [UInt8], provider: String? = nil) {
        self.name = name
        self.bytes = bytes
        self.provider = provider
    }

    package var description: String { name }
}

/// Configuration profiles written after what the WireGuard applications, their manuals and the
/// consoles of device management make, good ones and bad ones.
package enum MobileCorpus {
    package static let good = exported + managed + odd
    package static let bad = otherKinds + damaged

    /// Secrets in the profiles, which nothing but a credential may hold.
    package static let secrets = [privateKey, presharedKey, otherPrivateKey, password]

    package static let privateKey = "6MtpuoaYmSKDAMVkEmw+zuRzY3pPeP5rJo7Tw0yGlFQ="
    package static let otherPrivateKey = "uGHyDVI6KxQt1LjJNSeJAcp0VxTjXS+hIw1nlPyU1WM="
    package static let presharedKey = "cZTdHlWkvGmmvVdVL1SgDSj/EY6ge9yqGVR5dJQbLWM="
    package static let publicKey = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
    package static let otherKey = "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="
    package static let password = "canary-pass-phrase"

    /// Apple's own document type.
    static let documentType = """
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        """

    /// A file of wg-quick as the application exports it.
    package static func quick(key: String = privateKey, interface: String = "", peer: String = "")
        -> String
    {
        """
        [Interface]
        PrivateKey = \(key)
        Address = 10.10.1.0/24
        \(interface)
        [Peer]
        PublicKey = \(publicKey)
        Endpoint = demo.wireguard.com:12912
        AllowedIPs = 0.0.0.0/0, ::/0
        \(peer)
        """
    }

    /// A VPN payload for the application of WireGuard, with more keys in it and in VPN.
    package static func tunnel(
        _ name: String = "Demo",
        subtype: String = "com.wireguard.ios",
        quick text: String = quick(),
        keys: String = "",
        vpn: String = ""
    ) -> String {
        """
        <dict>
            <key>PayloadDisplayName</key><string>VPN</string>
            <key>PayloadType</key><string>com.apple.vpn.managed</string>
            <key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>org.example.vpn.\(name)</string>
            <key>PayloadUUID</key><string>44CDFE9F-4DC7-472A-956F-61C68055117C</string>
            <key>UserDefinedName</key><string>\(name)</string>
            <key>VPNType</key><string>VPN</string>
            <key>VPNSubType</key><string>\(subtype)</string>
            <key>VendorConfig</key><dict><key>WgQuickConfig</key><string>\(text)</string></dict>
            \(keys)
            <key>VPN</key>
            <dict>
                <key>RemoteAddress</key><string>demo.wireguard.com:12912</string>
                <key>AuthenticationMethod</key><string>Password</string>
                \(vpn)
            </dict>
        </dict>
        """
    }

    /// A profile of some payloads, with more keys at its top.
    package static func profile(_ payloads: String..., keys: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        \(documentType)
        <plist version="1.0">
        <dict>
            <key>PayloadContent</key>
            <array>
            \(payloads.joined(separator: "\n"))
            </array>
            <key>PayloadDisplayName</key><string>Example Ltd. VPN</string>
            <key>PayloadIdentifier</key><string>org.example.vpn</string>
            <key>PayloadType</key><string>Configuration</string>
            <key>PayloadUUID</key><string>F3B0E0A5-3B5E-4F0B-8E0E-7D1B3A8E5B11</string>
            <key>PayloadVersion</key><integer>1</integer>
            \(keys)
        </dict>
        </plist>

        """
    }

    /// A payload with a certificate, or with what should be one.
    package static func certificate(
        _ data: String = firstCertificate,
        type: String = "root",
        name: String = "Example Root CA",
        keys: String = ""
    ) -> String {
        """
        <dict>
            <key>PayloadType</key><string>com.apple.security.\(type)</string>
            <key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>org.example.root</string>
            <key>PayloadUUID</key><string>9C4E0D1B-95D4-4A1A-8B86-D7A0E0B3F6F2</string>
            <key>PayloadDisplayName</key><string>\(name)</string>
            <key>PayloadContent</key>
            <data>
            \(data)
            </data>
            \(keys)
        </dict>
        """
    }

    package static let firstCertificate = """
        MIIBiDCCAS2gAwIBAgIUavp0Y0nA/8i3SaLmPlgiBOlXtaEwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwORXhhbXBsZSBSb290IDEwHhcNMjYxMTMwMTQ0NjExWhcNMzYx
        MTI3MTQ0NjExWjAZMRcwFQYDVQQDDA5FeGFtcGxlIFJvb3QgMTBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABKLPa3NaY2k3kVvrwZuxWT3zg6X1A2MnCq8gjenv/Bpk
        qUFZrB2rPVIHO5x4nSpu4A5exyrCnCKWgPOq0M3zfgmjUzBRMB0GA1UdDgQWBBSe
        lfELd6CFAGkSYzZcI0bR9Z+9kDAfBgNVHSMEGDAWgBSelfELd6CFAGkSYzZcI0bR
        9Z+9kDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQCBaEG2tX77
        A+9I2CSDwI0X8DKMj5EZCcGXuNv9vj9znwIhAKa/c6B+efVReIgS+cLmXAHh5Unl
        eTuJS2LGCMdlYHxW
        """
    package static let secondCertificate = """
        MIIBhjCCAS2gAwIBAgIUP9hUwK6T9UjGJJE5/iC5PstYG/UwCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwORXhhbXBsZSBSb290IDIwHhcNMjYxMTMwMTQ0NjExWhcNMzYx
        MTI3MTQ0NjExWjAZMRcwFQYDVQQDDA5FeGFtcGxlIFJvb3QgMjBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABCrhboNiIa//IIUj6vgMRMECjh244brNusHxVoEHX0iK
        qOKFXwWtYh88asy6UXVnRFUvhYolxd3ekeAfmmCWAyWjUzBRMB0GA1UdDgQWBBQD
        FX81yOgkx4lZsb87oGMa513vRDAfBgNVHSMEGDAWgBQDFX81yOgkx4lZsb87oGMa
        513vRDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIBcHi8s9VhgX
        ZYUaWFpeEdvh/wJs7prf62XMpcgkqDCcAiBNkOqFvUnYURdEt15SP9J6HqSE5nAr
        unUIqu3G08bOLg==
        """

    /// A certificate as PEM.
    package static func pem(_ certificate: String) -> String {
        "-----BEGIN CERTIFICATE-----\n\(certificate)\n-----END CERTIFICATE-----\n"
    }
}
