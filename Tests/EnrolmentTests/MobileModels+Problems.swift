extension MobileModels {
    /// What is told of those that are refused.
    static let problems: [String: String] = [
        "IKEv2": "line 30: PayloadContent[1].VPNType: IKEv2, which no provider here speaks",
        "L2TP": "line 10: PayloadContent[0].VPNType: L2TP, which no provider here speaks",
        "PPTP": "line 10: PayloadContent[0].VPNType: PPTP, which no provider here speaks",
        "IPSec": "line 10: PayloadContent[0].VPNType: IPSec, which no provider here speaks",
        "AlwaysOn": "line 10: PayloadContent[0].VPNType: AlwaysOn, which is IKEv2",
        "TransparentProxy":
            "line 10: PayloadContent[0].VPNType: TransparentProxy, which is a proxy and no tunnel",
        "an encrypted profile": "line 5: EncryptedPayloadContent: an encrypted profile",
        "an identity beside a tunnel":
            "line 34: PayloadContent[1].PayloadType: a private key (PKCS #12)",
        "SCEP": "line 34: PayloadContent[1].PayloadType: a private key to be fetched by SCEP",
        "ACME": "line 8: PayloadContent[0].PayloadType: a private key to be fetched by ACME",
        "a VPN of single applications":
            "line 9: PayloadContent[0].PayloadType: a VPN of single applications",
        "a proxy of single applications":
            "line 30: PayloadContent[0].VPN.ProviderType: app-proxy, a proxy of single "
            + "applications",
        "an application that nobody knows":
            "line 15: PayloadContent[0].VPNSubType: no provider is known for com.cisco.anyconnect",
        "a file of wg-quick with a mistake":
            "line 16: PayloadContent[0].VendorConfig.WgQuickConfig: its line 9: unknown key "
            + "in [Peer]",
        "no file of wg-quick": "line 16: PayloadContent[0].VendorConfig.WgQuickConfig is missing",
        "nothing in it": "neither a VPN nor a certificate is in the configuration profile",
        "no payloads at all": "line 4: PayloadContent is missing",
        "a list": "line 1: not a configuration profile, but an array",
        "the Info.plist of a program": "line 2: a property list, but not a configuration profile",
        "a payload at the top":
            "line 36: PayloadType: not Configuration, so not that of a configuration profile",
        "a string in the place of a boolean":
            "line 30: PayloadContent[0].VPN.IncludeAllNetworks: not true or false, but a string",
        "a string in the place of an integer":
            "line 30: PayloadContent[0].VPN.DisconnectOnIdleTimer: not an integer, but a string",
        "an array in the place of a dictionary":
            "line 7: PayloadContent[0]: not a dictionary, but an array",
        "a private key in the place of a certificate":
            "line 14: PayloadContent[0].PayloadContent: neither a certificate in DER nor PEM",
        "a server that is a URL":
            "line 11: PayloadContent[0].VPN.RemoteAddress: not HOST, HOST:PORT or [IPv6]:PORT",
        "an end that is missing": "line 34, column 5: a value must stand here, not <key>",
        "a file that was cut off":
            "line 21, column 37: the file ends here, before its last element",
        "a binary file that was cut off": "the binary property list is damaged",
        "a page of the web": "line 2, column 1: not an element of a property list",
        "an ampersand that is not escaped":
            "line 19, column 12: an & that is not written as &amp;",
        "the same key twice": "line 25, column 5: the same key as in line 14",
        "data that is not base64": "line 14, column 5: data that is not base64",
        "entities that grow":
            "line 2, column 17: declarations in the document type: entities are never taken "
            + "from it",
        "an entity that is a file":
            "line 2, column 17: declarations in the document type: entities are never taken "
            + "from it",
        "an entity that is somewhere else":
            "line 2, column 17: declarations in the document type: entities are never taken "
            + "from it",
        "an entity without a declaration":
            "line 11, column 57: an entity that is not one of XML's own five",
        "nested without end": "line 1, column 456: nested more than 64 deep",
        "more values than there can be": "line 1, column 700008: more than 100000 values",
        "a binary file that holds itself": "nested more than 64 deep",
        "a binary file that grows": "more than 100000 values",
        "text behind the end": "line 42, column 1: more behind the end of the property list",
        "nothing but its beginning": "line 1, column 1: not an element of a property list",
        "bytes that are no text":
            "line 1, column 16: this text has bytes that are not UTF-8: save the file as UTF-8",
    ]
}
