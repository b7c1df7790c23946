package import TunnelModel

extension QuickFile {
    /// What enrolling the file under a name comes to.
    package func proposal(named name: String) -> EnrolmentProposal {
        EnrolmentProposal(material: material(named: name), items: report(named: name))
    }

    /// What enrolling the file under a name puts in place.
    package func material(named name: String) -> EnrolledMaterial {
        var material = EnrolledMaterial(EnrolledProfile(identifier: name))
        material.add(tunnel(named: name, of: name))
        return material
    }

    /// The tunnel that it describes, in a profile.
    package func tunnel(named name: String, of profile: String) -> EnrolledWireGuard {
        var tunnel = EnrolledWireGuard(name, of: profile, addresses: addresses.map(\.value))
        tunnel.setPrivateKey(privateKey.value)
        tunnel.own.listenPort = listenPort?.value
        tunnel.mtu = mtu?.value
        tunnel.includedRoutes = table?.value == .off ? [] : nil
        tunnel.dnsServers = dnsServers.map(\.value)
        tunnel.forward = forward
        tunnel.masquerade = masquerade
        tunnel.mssClamp = mssClamp
        // Without a server nobody is asked for them.
        tunnel.searchDomains = dnsServers.isEmpty ? [] : searchDomains.map(\.value)
        for peer in peers {
            tunnel.addPeer(
                publicKey: peer.publicKey.value, presharedKey: peer.presharedKey?.value
            ) { new in
                new.endpoint = peer.endpoint?.value
                new.allowedIPs = peer.allowedIPs.map(\.value)
                new.persistentKeepalive = peer.persistentKeepalive?.value
            }
        }
        return tunnel
    }

    /// What becomes of each line, in their order.
    package func report(named name: String) -> [EnrolmentItem] {
        var items = remarks
        func keep(_ key: QuickKey, _ lines: [Int], _ text: String) {
            // What is told to have changed is not told to be kept as well.
            let told = Set(
                remarks.filter { $0.key == key.rawValue && $0.outcome == .changed }.compactMap(
                    \.line))
            for line in Set(lines).subtracting(told) {
                items.append(
                    EnrolmentItem(line: line, key: key.rawValue, outcome: .kept, text: text))
            }
        }
        let own = "providerConfiguration"
        keep(.privateKey, [privateKey.line], "credential \(name).privateKey")
        keep(.address, addresses.map(\.line), "\(own).addresses")
        keep(.listenPort, [listenPort?.line].compactMap(\.self), "\(own).listenPort")
        keep(.mtu, [mtu?.line].compactMap(\.self), "interface.mtu")
        keep(.dns, dnsServers.map(\.line), "dns.servers")
        let domains = Set(searchDomains.map(\.line)).subtracting(dnsServers.map(\.line))
        if dnsServers.isEmpty {
            let text = "domains to search mean nothing without a server"
            items += domains.map { line in
                EnrolmentItem(
                    line: line, key: QuickKey.dns.rawValue, outcome: .dropped, text: text)
            }
        } else {
            keep(.dns, Array(domains), "dns.searchDomains")
        }
        for (index, peer) in peers.enumerated() {
            let place = "\(own).peers[\(index)]"
            let number = index + 1
            keep(.publicKey, [peer.publicKey.line], "anchor \(name)/peer\(number)")
            keep(
                .presharedKey, [peer.presharedKey?.line].compactMap(\.self),
                "credential \(name).presharedKey\(number)")
            keep(.allowedIPs, peer.allowedIPs.map(\.line), "\(place).allowedIPs")
            keep(.endpoint, [peer.endpoint?.line].compactMap(\.self), "\(place).endpoint")
            keep(
                .persistentKeepalive, [peer.persistentKeepalive?.line].compactMap(\.self),
                "\(place).persistentKeepalive")
        }
        return items.sorted {
            ($0.line ?? 0, $0.key, $0.text) < ($1.line ?? 0, $1.key, $1.text)
        }
    }
}
