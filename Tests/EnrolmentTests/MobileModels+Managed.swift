extension MobileModels {
    static let managed = #"""
        === certificates beside a tunnel
        profile Demo "Example Ltd. VPN"
          anchor Example-Root-CA x509
          anchor Beispiel x509
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
        -- noted PayloadContent[2].PayloadContent: certificate 1 is that of Demo/Example-Root-CA \#
        again
        === nothing but a bundle of certificates
        profile Example-Ltd-VPN "Example Ltd. VPN"
          anchor Bundle x509
          anchor Bundle-2 x509
        === all on one line
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
          dns.servers ["10.10.1.1"]
        -- noted PayloadDescription: a text for people, not kept
        -- noted PayloadEnabled: Apple's systems ignore it as well
        -- dropped PayloadRemovalDisallowed: whoever is root may remove it
        === a byte-order mark and the line ends of Windows
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
        === names of its own
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
          dns.servers ["10.10.1.1","fd00::1"]
          dns.searchDomains ["corp.example.org","example.org"]
          dns.matchDomains ["corp.example.org",""]
        -- dropped PayloadContent[0].DNS.SearchDomains[1]: not the name of a domain, such as \#
        example.org
        === names over TLS
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
          dns.servers ["10.10.1.1"]
          dns.matchDomains ["corp.example.org"]
          dns.tls true
        -- dropped PayloadContent[0].DNS.ServerName: the name in a server's certificate cannot be \#
        said here
        === names over HTTPS
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
        -- dropped PayloadContent[0].DNS: servers that are asked over HTTPS
        === a VPN of somebody else
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
        -- changed PayloadContent[1].VPNSubType: provider org.example.anyconnect, as --provider says
        === an end, and a passcode
        profile Demo "Example Ltd. VPN"
          until 2036-05-01T00:00:00.000000Z
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
        -- changed RemovalDate: notAfter of the profile, at which its anchors stop to count: \#
        nothing is removed by itself
        -- dropped HasRemovalPasscode: whoever is root may remove it
        -- dropped ConsentText: nobody is asked here
        -- noted TargetDeviceType: the kind of device is not looked at
        -- dropped PayloadScope: a tunnel is the whole system's
        -- dropped DurationUntilRemoval: nothing is removed by itself
        === payloads that are no matter of a VPN
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
        -- dropped PayloadContent[0]: a payload that is no matter of a VPN
        -- dropped PayloadContent[2]: a payload that is no matter of a VPN
        === a proxy and the primary route
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
        -- dropped PayloadContent[0].Proxies: a proxy is a matter of programs: set it where they \#
        look for it
        -- dropped PayloadContent[0].IPv4: the routes of the tunnel say what goes through it
        -- dropped PayloadContent[0].SomethingNew: not known here
        -- dropped PayloadContent[0].(key 2): not known here
        === a binary property list
        profile B-ro "Büro"
          until 2036-01-02T03:04:05.000000Z
          anchor peer1 wireguard
          credential B-ro.privateKey
        configuration B-ro
          title "Büro"
          provider "org.utunctl.wireguard"
          trust ["B-ro/peer1"]
          credentials {"privateKey":"file:B-ro.privateKey"}
          providerConfiguration {"addresses":["10.9.0.2/32"],"listenPort":null,\#
        "peers":[{"trust":"B-ro/peer1","endpoint":"192.0.2.1:51820","allowedIPs":["10.9.0.0/16"],\#
        "persistentKeepalive":null,"presharedKey":null,"optional":false}]}
        === CDATA, comments and an attribute
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
        === neither a document type nor <plist>
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
        === an encoding in small letters, and apostrophes
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
        """#
}
