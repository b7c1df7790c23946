/// What the profiles of the corpus come to.
enum MobileModels {
    /// The profile that most of the corpus is made of, as a whole.
    static let plain = lines(
        #"""
        profile Demo "Example Ltd. VPN"
          anchor peer1 wireguard
          credential Demo.privateKey
        configuration Demo
          title "Demo"
          provider "org.utunctl.wireguard"
          trust ["Demo/peer1"]
          credentials {"privateKey":"file:Demo.privateKey"}
          providerConfiguration {"addresses":["10.10.1.0/24"],"listenPort":null,\#
        "peers":[{"trust":"Demo/peer1","endpoint":"demo.wireguard.com:12912",\#
        "allowedIPs":["0.0.0.0/0","::/0"],"persistentKeepalive":null,"presharedKey":null,\#
        "optional":false}]}
        """#)

    /// By the name of the sample: how many lines of the plain one it has not, its own, and each
    /// key that is not kept as it is.
    static let all: [String: [String]] = {
        var models: [String: [String]] = [:]
        var name = ""
        for line in lines(differences) {
            if line.hasPrefix("=== ") {
                name = String(line.dropFirst(4))
                models[name] = []
            } else {
                models[name]?.append(line)
            }
        }
        return models
    }()

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    private static let differences = #"""
        === the manual's profile for iOS
        - 7 lines
        profile Demo-from-MobileConfig-file "WireGuard Demo Configuration Profile"
          credential Demo-from-MobileConfig-file.presharedKey1
          credential Demo-from-MobileConfig-file.privateKey
        configuration Demo-from-MobileConfig-file
          title "Demo from MobileConfig file"
          trust ["Demo-from-MobileConfig-file/peer1"]
          credentials {"presharedKey1":"file:Demo-from-MobileConfig-file.presharedKey1",\#
        "privateKey":"file:Demo-from-MobileConfig-file.privateKey"}
          providerConfiguration {"addresses":["10.10.1.0/24"],"listenPort":null,\#
        "peers":[{"trust":"Demo-from-MobileConfig-file/peer1",\#
        "endpoint":"demo.wireguard.com:12912","allowedIPs":["0.0.0.0/0","::/0"],\#
        "persistentKeepalive":null,"presharedKey":"presharedKey1","optional":false}]}
          dns.servers ["1.1.1.1","1.0.0.1"]
        === a profile for macOS
        -- noted PayloadContent[0].VPN.ProviderBundleIdentifier: the provider follows from \#
        VPNSubType or --provider
        -- dropped PayloadContent[0].VPN.ProviderDesignatedRequirement: providers are found by \#
        their manifests, which are root's
        === rules for networks at home
          onDemand.rules [{"action":"disconnect","matching":"profile","interfaceType":"wifi",\#
        "ssid":["Home","Office & Lab"],"dnsSearchDomain":[],"dnsServerAddress":[],\#
        "gatewayAddress":[],"probeURL":null,"when":"now"},{"action":"ignore",\#
        "matching":"profile","interfaceType":null,"ssid":[],"dnsSearchDomain":["*.example.org"],\#
        "dnsServerAddress":["192.168.*"],"gatewayAddress":[],\#
        "probeURL":"https://intranet.example.org/","when":"now"},{"action":"connect",\#
        "matching":"profile","interfaceType":"cellular","ssid":[],"dnsSearchDomain":[],\#
        "dnsServerAddress":[],"gatewayAddress":[],"probeURL":null,"when":"now"},\#
        {"action":"connect","matching":"profile","interfaceType":null,"ssid":[],\#
        "dnsSearchDomain":[],"dnsServerAddress":[],"gatewayAddress":[],"probeURL":null,\#
        "when":"now"}]
        -- changed PayloadContent[0].VPN.OnDemandEnabled: off until --arm says so, or \#
        onDemand.enabled
        -- changed PayloadContent[0].VPN.DisconnectOnIdle: off until --arm says so, or \#
        idleTimeout 900
        -- changed PayloadContent[0].VPN.DisconnectOnIdleTimer: off until --arm says so, or \#
        idleTimeout 900
        === rules for single names
          onDemand.rules [{"action":"ignore","matching":"profile","interfaceType":null,\#
        "ssid":[],"dnsSearchDomain":[],"dnsServerAddress":[],"gatewayAddress":[],\#
        "probeURL":null,"when":"now"}]
        -- changed PayloadContent[0].VPN.OnDemandEnabled: off until --arm says so, or \#
        onDemand.enabled
        -- changed PayloadContent[0].VPN.OnDemandRules[0].Action: connections are not evaluated \#
        by host name: nothing is done on these networks
        -- dropped PayloadContent[0].VPN.OnDemandRules[0].ActionParameters: a rule is for all \#
        names: there are none of single domains
        === a rule with a condition that is not known
          onDemand.rules [{"action":"connect","matching":"profile","interfaceType":null,\#
        "ssid":[],"dnsSearchDomain":[],"dnsServerAddress":[],"gatewayAddress":[],\#
        "probeURL":null,"when":"now"}]
        -- dropped PayloadContent[0].VPN.OnDemandRules[0]: the whole rule, for a condition that \#
        is not known here
        -- dropped PayloadContent[0].VPN.OnDemandRules[0].NetworkTrustMatch: not known here
        === two tunnels of one name
        - 8 lines
        profile Example-Ltd-VPN "Example Ltd. VPN"
          anchor Example-Ltd-VPN-Office.peer1 wireguard
          anchor Example-Ltd-VPN-Office-2.peer1 wireguard
          credential Example-Ltd-VPN-Office-2.privateKey
          credential Example-Ltd-VPN-Office.privateKey
        configuration Example-Ltd-VPN-Office
          title "Office"
          trust ["Example-Ltd-VPN/Example-Ltd-VPN-Office.peer1"]
          credentials {"privateKey":"file:Example-Ltd-VPN-Office.privateKey"}
          providerConfiguration {"addresses":["10.10.1.0/24"],"listenPort":null,\#
        "peers":[{"trust":"Example-Ltd-VPN/Example-Ltd-VPN-Office.peer1",\#
        "endpoint":"demo.wireguard.com:12912","allowedIPs":["0.0.0.0/0","::/0"],\#
        "persistentKeepalive":null,"presharedKey":null,"optional":false}]}
        configuration Example-Ltd-VPN-Office-2
          title "Office"
          trust ["Example-Ltd-VPN/Example-Ltd-VPN-Office-2.peer1"]
          credentials {"privateKey":"file:Example-Ltd-VPN-Office-2.privateKey"}
          providerConfiguration {"addresses":["10.10.1.0/24"],"listenPort":null,\#
        "peers":[{"trust":"Example-Ltd-VPN/Example-Ltd-VPN-Office-2.peer1",\#
        "endpoint":"demo.wireguard.com:12912","allowedIPs":["0.0.0.0/0","::/0"],\#
        "persistentKeepalive":null,"presharedKey":null,"optional":false}]}
        === everything by the tunnel
          routing.includeAllNetworks true
          routing.excludeLocalNetworks true
        -- dropped PayloadContent[0].VPN.ExcludeAPNs: there are no such services here
        === what a file of wg-quick can hold
        - 3 lines
          anchor peer2 wireguard
          credential Demo.presharedKey1
          trust ["Demo/peer1","Demo/peer2"]
          credentials {"presharedKey1":"file:Demo.presharedKey1",\#
        "privateKey":"file:Demo.privateKey"}
          providerConfiguration {"addresses":["10.9.0.2/24","fd00:9::2/64"],"listenPort":null,\#
        "peers":[{"trust":"Demo/peer1","endpoint":"[2001:db8::1]:443",\#
        "allowedIPs":["10.20.0.0/16"],"persistentKeepalive":25,"presharedKey":"presharedKey1",\#
        "optional":false},{"trust":"Demo/peer2","endpoint":null,"allowedIPs":["fd00:9::/64"],\#
        "persistentKeepalive":null,"presharedKey":null,"optional":false}]}
          interface.mtu 1380
          routing.includedRoutes []
          dns.servers ["10.9.0.1"]
          dns.searchDomains ["example.org"]
        -- dropped PayloadContent[0].VendorConfig.WgQuickConfig.PostUp: its line 7: commands of a \#
        file are never run
        -- changed PayloadContent[0].VendorConfig.WgQuickConfig.AllowedIPs: its line 13: \#
        10.20.3.4/16 has host bits, taken as 10.20.0.0/16
        -- noted PayloadContent[0].VPN.RemoteAddress: no peer has this endpoint: those in \#
        WgQuickConfig count
        === another application that takes files of wg-quick
        -- changed PayloadContent[0].VPNSubType: provider org.utunctl.wireguard, for its \#
        WgQuickConfig
        === certificates beside a tunnel
          anchor Example-Root-CA x509
          anchor Beispiel x509
        -- noted PayloadContent[2].PayloadContent: certificate 1 is that of Demo/Example-Root-CA \#
        again
        === nothing but a bundle of certificates
        - 9 lines
        profile Example-Ltd-VPN "Example Ltd. VPN"
          anchor Bundle x509
          anchor Bundle-2 x509
        === all on one line
          dns.servers ["10.10.1.1"]
        -- noted PayloadDescription: a text for people, not kept
        -- noted PayloadEnabled: Apple's systems ignore it as well
        -- dropped PayloadRemovalDisallowed: whoever is root may remove it
        === a byte-order mark and the line ends of Windows
        === names of its own
          dns.servers ["10.10.1.1","fd00::1"]
          dns.searchDomains ["corp.example.org","example.org"]
          dns.matchDomains ["corp.example.org",""]
        -- dropped PayloadContent[0].DNS.SearchDomains[1]: not the name of a domain, such as \#
        example.org
        === names over TLS
          dns.servers ["10.10.1.1"]
          dns.matchDomains ["corp.example.org"]
          dns.tls true
        -- dropped PayloadContent[0].DNS.ServerName: the name in a server's certificate cannot be \#
        said here
        === names over HTTPS
        -- dropped PayloadContent[0].DNS: servers that are asked over HTTPS
        === a VPN of somebody else
        - 9 lines
        profile Campus "Example Ltd. VPN"
          anchor Example-Root-CA x509
          credential Campus.password
        configuration Campus
          title "Campus"
          provider "org.example.anyconnect"
          serverAddress "vpn.example.org:443"
          username "someone"
          trust ["Campus/Example-Root-CA"]
          credentials {"password":"file:Campus.password"}
          providerConfiguration {"Group":"staff","Retries":3,"Blob":"AQID",\#
        "Since":"2026-11-30T01:02:03.000000Z","Ratio":0.5,"Hosts":["a",{"b":true}]}
          routing.enforceRoutes true
        -- changed PayloadContent[1].VPNSubType: provider org.example.anyconnect, as --provider \#
        says
        === an end, and a passcode
          until 2036-05-01T00:00:00.000000Z
        -- changed RemovalDate: notAfter of the profile, at which its anchors stop to count: \#
        nothing is removed by itself
        -- dropped HasRemovalPasscode: whoever is root may remove it
        -- dropped ConsentText: nobody is asked here
        -- noted TargetDeviceType: the kind of device is not looked at
        -- dropped PayloadScope: a tunnel is the whole system's
        -- dropped DurationUntilRemoval: nothing is removed by itself
        === payloads that are no matter of a VPN
        -- dropped PayloadContent[0]: a payload that is no matter of a VPN
        -- dropped PayloadContent[2]: a payload that is no matter of a VPN
        === a proxy and the primary route
        -- dropped PayloadContent[0].Proxies: a proxy is a matter of programs: set it where they \#
        look for it
        -- dropped PayloadContent[0].IPv4: the routes of the tunnel say what goes through it
        -- dropped PayloadContent[0].SomethingNew: not known here
        -- dropped PayloadContent[0].(key 2): not known here
        === a binary property list
        - 7 lines
        profile B-ro "Büro"
          until 2036-01-02T03:04:05.000000Z
          credential B-ro.privateKey
        configuration B-ro
          title "Büro"
          trust ["B-ro/peer1"]
          credentials {"privateKey":"file:B-ro.privateKey"}
          providerConfiguration {"addresses":["10.9.0.2/32"],"listenPort":null,\#
        "peers":[{"trust":"B-ro/peer1","endpoint":"192.0.2.1:51820","allowedIPs":["10.9.0.0/16"],\#
        "persistentKeepalive":null,"presharedKey":null,"optional":false}]}
        === CDATA, comments and an attribute
        === neither a document type nor <plist>
        === an encoding in small letters, and apostrophes
        """#
}
