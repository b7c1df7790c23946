extension MobileModels {
    static let exported = #"""
        === the manual's profile for iOS
        profile Demo-from-MobileConfig-file "WireGuard Demo Configuration Profile"
          anchor peer1 wireguard
          credential Demo-from-MobileConfig-file.presharedKey1
          credential Demo-from-MobileConfig-file.privateKey
        configuration Demo-from-MobileConfig-file
          title "Demo from MobileConfig file"
          provider "org.utunctl.wireguard"
          trust ["Demo-from-MobileConfig-file/peer1"]
          credentials {"presharedKey1":"file:Demo-from-MobileConfig-file.presharedKey1",\#
        "privateKey":"file:Demo-from-MobileConfig-file.privateKey"}
          providerConfiguration {"addresses":["10.10.1.0/24"],"listenPort":null,\#
        "peers":[{"trust":"Demo-from-MobileConfig-file/peer1","endpoint":"demo.wireguard.com:12912",\#
        "allowedIPs":["0.0.0.0/0","::/0"],"persistentKeepalive":null,"presharedKey":"presharedKey1",\#
        "optional":false}]}
          dns.servers ["1.1.1.1","1.0.0.1"]
        === the manual's profile for macOS
        profile Demo-from-MobileConfig-file "WireGuard Demo Configuration Profile"
          anchor peer1 wireguard
          credential Demo-from-MobileConfig-file.presharedKey1
          credential Demo-from-MobileConfig-file.privateKey
        configuration Demo-from-MobileConfig-file
          title "Demo from MobileConfig file"
          provider "org.utunctl.wireguard"
          trust ["Demo-from-MobileConfig-file/peer1"]
          credentials {"presharedKey1":"file:Demo-from-MobileConfig-file.presharedKey1",\#
        "privateKey":"file:Demo-from-MobileConfig-file.privateKey"}
          providerConfiguration {"addresses":["10.10.1.0/24"],"listenPort":null,\#
        "peers":[{"trust":"Demo-from-MobileConfig-file/peer1","endpoint":"demo.wireguard.com:12912",\#
        "allowedIPs":["0.0.0.0/0","::/0"],"persistentKeepalive":null,"presharedKey":"presharedKey1",\#
        "optional":false}]}
          dns.servers ["1.1.1.1","1.0.0.1"]
        -- noted PayloadContent[0].VPN.ProviderBundleIdentifier: the provider follows from \#
        VPNSubType or --provider
        -- dropped PayloadContent[0].VPN.ProviderDesignatedRequirement: providers are found by \#
        their manifests, which are root's
        === rules for networks at home
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
          onDemand.rules [{"action":"disconnect","interfaceType":"wifi","ssid":["Home","Office & \#
        Lab"],"dnsSearchDomain":[],"dnsServerAddress":[],"gatewayAddress":[],"probeURL":null,\#
        "when":"now"},{"action":"ignore","interfaceType":null,"ssid":[],\#
        "dnsSearchDomain":["*.example.org"],"dnsServerAddress":["192.168.*"],"gatewayAddress":[],\#
        "probeURL":"https://intranet.example.org/","when":"now"},{"action":"connect",\#
        "interfaceType":"cellular","ssid":[],"dnsSearchDomain":[],"dnsServerAddress":[],\#
        "gatewayAddress":[],"probeURL":null,"when":"now"},{"action":"connect","interfaceType":null,\#
        "ssid":[],"dnsSearchDomain":[],"dnsServerAddress":[],"gatewayAddress":[],"probeURL":null,\#
        "when":"now"}]
        -- changed PayloadContent[0].VPN.OnDemandEnabled: off until --arm says so, or \#
        onDemand.enabled
        -- changed PayloadContent[0].VPN.DisconnectOnIdle: off until --arm says so, or idleTimeout \#
        900
        -- changed PayloadContent[0].VPN.DisconnectOnIdleTimer: off until --arm says so, or \#
        idleTimeout 900
        === rules for single names
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
          onDemand.rules [{"action":"evaluateConnection","interfaceType":null,"ssid":[],\#
        "dnsSearchDomain":[],"dnsServerAddress":[],"gatewayAddress":[],"probeURL":null,\#
        "when":"now"}]
        -- changed PayloadContent[0].VPN.OnDemandEnabled: off until --arm says so, or \#
        onDemand.enabled
        -- dropped PayloadContent[0].VPN.OnDemandRules[0].ActionParameters: a rule is for all \#
        names: there are none of single domains
        === a rule with a condition that is not known
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
          onDemand.rules [{"action":"connect","interfaceType":null,"ssid":[],"dnsSearchDomain":[],\#
        "dnsServerAddress":[],"gatewayAddress":[],"probeURL":null,"when":"now"}]
        -- dropped PayloadContent[0].VPN.OnDemandRules[0]: the whole rule, for a condition that is \#
        not known here
        -- dropped PayloadContent[0].VPN.OnDemandRules[0].NetworkTrustMatch: not known here
        === two tunnels of one name
        profile Example-Ltd-VPN "Example Ltd. VPN"
          anchor Example-Ltd-VPN-Office.peer1 wireguard
          anchor Example-Ltd-VPN-Office-2.peer1 wireguard
          credential Example-Ltd-VPN-Office-2.privateKey
          credential Example-Ltd-VPN-Office.privateKey
        configuration Example-Ltd-VPN-Office
          title "Office"
          provider "org.utunctl.wireguard"
          trust ["Example-Ltd-VPN/Example-Ltd-VPN-Office.peer1"]
          credentials {"privateKey":"file:Example-Ltd-VPN-Office.privateKey"}
          providerConfiguration {"addresses":["10.10.1.0/24"],"listenPort":null,\#
        "peers":[{"trust":"Example-Ltd-VPN/Example-Ltd-VPN-Office.peer1",\#
        "endpoint":"demo.wireguard.com:12912","allowedIPs":["0.0.0.0/0","::/0"],\#
        "persistentKeepalive":null,"presharedKey":null,"optional":false}]}
        configuration Example-Ltd-VPN-Office-2
          title "Office"
          provider "org.utunctl.wireguard"
          trust ["Example-Ltd-VPN/Example-Ltd-VPN-Office-2.peer1"]
          credentials {"privateKey":"file:Example-Ltd-VPN-Office-2.privateKey"}
          providerConfiguration {"addresses":["10.10.1.0/24"],"listenPort":null,\#
        "peers":[{"trust":"Example-Ltd-VPN/Example-Ltd-VPN-Office-2.peer1",\#
        "endpoint":"demo.wireguard.com:12912","allowedIPs":["0.0.0.0/0","::/0"],\#
        "persistentKeepalive":null,"presharedKey":null,"optional":false}]}
        === everything by the tunnel
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
          routing.includeAllNetworks true
          routing.excludeLocalNetworks true
        -- dropped PayloadContent[0].VPN.ExcludeAPNs: there are no such services here
        === what a file of wg-quick can hold
        profile Demo "Example Ltd. VPN"
          anchor peer1 wireguard
          anchor peer2 wireguard
          credential Demo.presharedKey1
          credential Demo.privateKey
        configuration Demo
          title "Demo"
          provider "org.utunctl.wireguard"
          trust ["Demo/peer1","Demo/peer2"]
          credentials {"presharedKey1":"file:Demo.presharedKey1",\#
        "privateKey":"file:Demo.privateKey"}
          providerConfiguration {"addresses":["10.9.0.2/24","fd00:9::2/64"],"listenPort":null,\#
        "peers":[{"trust":"Demo/peer1","endpoint":"[2001:db8::1]:443","allowedIPs":["10.20.0.0/16"],\#
        "persistentKeepalive":25,"presharedKey":"presharedKey1","optional":false},\#
        {"trust":"Demo/peer2","endpoint":null,"allowedIPs":["fd00:9::/64"],\#
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
        -- changed PayloadContent[0].VPNSubType: provider org.utunctl.wireguard, for its \#
        WgQuickConfig
        """#
}
