extension KnownWords {
    /// The words of this program's own messages, and of ip(8), nft(8) and resolv.conf(5).
    ///
    /// No name of anybody's is among them; what is missing here is merely replaced.
    static let list = """
        a aarch64 about above absent absolute ACCEPT accept accepted accepts accounting accounts \
        ack ACME action ActionParameters actions active ActiveState ad ADCertificate add addconf \
        added adding addr ADDRESS address addresses addressMissing addressTaken addrgenmode \
        ADMIN admin administer administering administrator advert advice advmss after afterwards \
        again against age ageing ageMicroseconds ago agree ah ahead AIDCtjgoisdpm ALL all \
        allmulti allow AllowAllAppsAccess allowed AllowedIPs allowedIPs allows alone alpine \
        already alreadyRunning altname always AlwaysOn amd64 among an ANCHOR anchor anchors and \
        android anew another answer answered answeredPackets answers answersGoBack antispoof any \
        anycast anything apart app append applayer apple application applications applied \
        appmapping apr arch are ares ARGUMENT arguments argv arm arm64 around arp arptables \
        array arrays arrivals as ask asked asks at ATTEMPT attempt attempts aug auth \
        authentication authenticationFailed AuthenticationMethod authkey AuthName AuthPassword \
        auto avahi awake away b back backend bad bareudp barrier barriers base64 bash be become \
        before began BEGIN begin beginning begins begun behind belong belongs below beside \
        better between beyond big bin binary bind binding bird bits blackhole BLAKE2S BLAKE2s \
        BLAKE2SMAC block blocked blocks bond bool boolean boot both bound bounds bplist brackets \
        brd bridge brings broadcast broke brought build building bundle burst bus but by bypass \
        byte bytes C CA ca cache CAfile call called caller came can cannot canonical CAP cap \
        capabilities capability CapabilityBoundingSet capabilityMissing CApath \
        captive carrier carries carry case CAstore CDATA cellular centos cer cert CERTIFICATE \
        certificate certificates certs cgroup ChaCha20 ChaChaPoly chain change changed \
        changedMeanwhile changes changing channel character characters charon charset check \
        checked checking checks chmod choose chown cipher claims clamp class clear clearDeadline \
        cleared cleartext client clientCertificateExpired clientCertificateInvalid \
        clientCertificateNotYetValid clock clockBehind clockUnsynchronised clone closed \
        closedByPeer cloud cmd CMS cms cmsout cni CODE code codel codes collector COLOR COLORS \
        column COLUMNS come comes COMMAND command commandEnded commandline commandMissing commands \
        commandUnusable comment comments COMP comp compact compadd compare compdef compgen \
        complete completed completion completions CompletionWords compopt COMPREPLY compute \
        computed concatenation concatenations condition conf CONFIG configuration \
        configurationDisabled configurationRemoved configurations configured configuring \
        conflict connect connected connectedSince connecting connection ConnMan connman \
        conntrack ConsentText consists constant container contains content continue control \
        controlSocket controlSocketMissing controlSocketTaken cookie copy corrupt cost could \
        count counted countedBy counter counters counts countsFrom cover covered covers \
        crashSignal create created creates credential credentialExists credentialForeign \
        credentialInUse credentialMissing credentialNameInvalid CREDENTIALS credentials \
        credentialsDirectoryUnsafe credentialsUnreadable credentialUnsafe credentialUnusable \
        crit CRL crt cryptokey ct ctl ctstate CTYPE curcontext curl CURRENT current CURSOR \
        cursor cut cwnd CWORD cwr daddr dadfailed daemon damage damaged dash DATA data datagram \
        date dateopt dates day days dbus dccp dead deadpeer debian dec declarations declared \
        decrypt deep deeper default defaults degraded degrades del delay delete deleted deletes \
        deleting demand denied deprecated DER der describe description descriptors designated \
        destination destinations destroy detached detected dev device deviceForbidden \
        deviceMissing deviceUnusable deviceWithoutDriver DEVTYPE dhclient DHCP dhcp dhcpcd dict \
        dictionary did differ differences differs digest digit digital digits DIR direct \
        direction directories DIRECTORY directory directoryUnsafe disable disabled disables \
        disarmed disconnect disconnected disconnecting DisconnectOnIdle DisconnectOnIdleTimer \
        disconnectOnSleep dnat DNS dns dnsChanged DNSDomainMatch dnsovertls dnsoverttls \
        DNSProtocol dnsReduced dnsSearchDomain dnssec dnsServerAddress DNSServerAddressMatch \
        dnsUnavailable dnsUnusable do docker doctor DOCTYPE document documentInvalid does doing \
        domain DomainName domains don done dont dormant dot dots down dport dports driver DROP \
        drop dropped droppedPackets drops dry dryRun dsfield dst dstnat dumb dummy dup \
        duplicatePrefix DurationUntilRemoval dynamic E each earlier echo ecn edit edns0 effect \
        egress either elem element elements elif else empty enable enabled enables ENCRYPTED \
        encrypted EncryptedPayloadContent encryptionkey END end ended ending endpoint \
        endpointName endpointRouteLeaks endpoints ends enforce enforced EnforceRoutes \
        enforceRoutes eno enp enrol enroll enrolled enrolment enrolmentUnsettled ens entering \
        entities entity entry env environment EOF epoll errno error errors erspan esp \
        established estimate etc eth ether ethernet eui64 EvaluateConnection evaluateConnection \
        even events ever every everybody everything everywhere examples exceeded excepted \
        exclude ExcludeAPNs ExcludeCellularServices excluded ExcludedApplications \
        excludedApplications ExcludeDeviceCommunication excludedRoutes ExcludeLocalNetworks \
        excludeLocalNetworks exe exec ExecStop executable execveat execvp exist exists exit \
        exited exits exitStatus expand expectation expired expires explain explains export \
        exported exporter expr ext EXTEND extended extendedKeyUsage extension external exthdr F \
        fail failed fails failure failures fallback false family familyUnavailable far fast \
        faster fault fchown fcntl fcs fdinfo feb fedora fetched fib field FIFO FILE file \
        fileEncrypted fileExists fileInvalid fileLax filenames files fileSystemFull \
        fileSystemReadOnly fileUnsigned filter filtered filtering filters fin find finding \
        findings finds FINGERPRINT fingerprint fingerprints finish firewall firewalld \
        firewallDrops firewallLegacy firewallMayDrop firewallMissing firewalls \
        firewallUnavailable first fish fits five fix flag flags flow flush follow followed \
        follows for forbidden forbids force forced foreground foreign foreignSourcePackets \
        forever forged forgedMessages forges forgot form FORMAT format formatVersion former \
        formerName FORWARD forward forwarded forwarding forwards found fq frag fragment frames \
        free fri from fstat fsync ftruncate full fully funcstack function fwd FwMark fwMark \
        fwmark gateway gatewayAddress gauge gave gbit generated generation generic geneve genkey \
        get getrandom getsockopt GiB gid give given gives giving global gnu go goes gone goto \
        gre gretap GRO gro group groupadd groupMissing gso gt gtp h had hand handed handing \
        handle handshake hangOnStart hangs happens has hasCarrier hash hasMadeRouter \
        HasRemovalPasscode hasSuffix have hdr head held hello HELP help helper helperFailed \
        helperUnusable here hexadecimal hides high hint hold holdNotSet holds hook hooks \
        hop hoplimit HOST \
        host hostBitsMasked hostBlocked hostVersion hostkey hostname hostPID hosts hour how \
        however http HTTPS https I icmp icmpv6 icmpx ID id IDENTIFIER identifier identifiers \
        identity idle idleTimeout if ifb iff ifgroup ifkind ignore ignored ignores ignoreStop iif \
        iifkind iifname IKEv2 IKpsk2 illegalInstruction in inactive IncludeAllNetworks \
        includeAllNetworks includeAllNetworksTaken IncludedApplications includedApplications \
        includedRoutes incoming indented index INET inet inet6 info inform ingress inherit \
        initiation inline inode inotify INPUT input ins insecure insecurely insert install \
        installed installs instead instruction int integer INTERFACE interface interfaceChanged \
        interfaceIndex interfaceRemoved interfaces interfaceTaken interfaceType \
        InterfaceTypeMatch intern internal internalError interpreter interrupted interval \
        intervals into invalid INVOCATION io iOS ios IP ip ip4 ip6 ip6erspan ip6gre ip6gretap \
        ip6tables ip6tnl ip6to IPC ipc ipip ipproto IPSec ipset iptables ipv IPV4 IPv4 ipv4 IPV6 \
        IPv6 ipv6 ipv6Off ipvlan is isEmpty isNegative iso isOpen isStopping issued issuer \
        issues isUp it item items its itself jan january job jobs joined JOURNAL journal \
        journalctl journald journalMissing journalUnusable JSON json judged jul jump jun just \
        kbit keep keepalive keeps kept kernel kernelConfirmed kernelError kernelUnreadable KEY \
        key keyInConfiguration keyNotEnforced keyNotExported keyring keys keyUsage KiB KILL kill \
        killed killSwitch KIND kind know known knows kube L2TP l2tp l4proto labels lacks LANG \
        last lastDisconnect lastHandshake lastTransition lastVerified launching launchProvider \
        layout lead leads LEAK leaks least leave leaves left leftOut leftovers legacy legend \
        LENGTH length less let lets letter letters letting level lft lib libcrypto libexec \
        libipsec libvirt lies lift lifted lifts like limit limitedHandshakes line lineDropped \
        lines lineTooLong link linkDown linkdown linkMissing links linux list listed listen \
        listener listening ListenPort listenPort listens livenessInterval lives living llmnr lo \
        load loaded local localhost lock lockdown lockIsHeld log logForbidden logged login logs \
        long longer look looked looking looks lookup LOOP loop loopback loops lost low lower \
        lower_up lowerlayerdown lstat lt M mac1 macos macsec macvlan made mail main mainTable \
        make makes malformed malformedPackets managed manager mangle manifest manifests manPages \
        manual many map mar mark markWithCarrier markWithoutCarrier MASQUERADE masquerade \
        masquerades master match matchDomains math matter max maximum maxmtu maxseg may maybe mb \
        mbit MD5 mdns mean means meanwhile medium member memfd MEMLOCK memory mend merely merge \
        merged MESSAGE message messages meta metric metrics MiB microseconds might min minimum \
        minmtu minute missed MISSING missing mkdir mld mngtmpaddr mobileconfig mode modes \
        modprobe modules moment mon more most mount mounted move mq ms msb mss mssClamp MTU mtu \
        mtuOrigin multi multicast musl must NAME name named nameopt names nameserver \
        nameserverSilent nameserverUnreachable namesOutside NAMESPACE namespace namespaceName \
        NAMESPACES namespaces namespacesMissing namesResolved nameTaken nat nd ndots near nearer \
        need needed needs negation negotiationFailed neighbor neighbour neither nested NET net \
        netdev netfilter netif netlink NETNS netns nets network networkd NetworkManager \
        networkManager networkNamespace networkNamespaceMissing networkNamespaceReplaced \
        networkNamespaceUnusable networks networkSettingsRejected never NEW new newer next \
        nexthdr NF nf nfproto nft nftables nftablesKernelMissing nftablesLacking nftablesMissing \
        nftablesUnusable nil nlmon nm no noarp nobody nodad node nohup noInterface noise nologin \
        noMark non noName none noNetwork nonsense noop noout nop noprefixroute noqueue nor \
        normal noRoute nospace noSuchAttempt noSuchConfiguration NOT not notAfter notAsked \
        notAuthentic notBefore notBlocked notCovered note noted noteEarlyClaim NOTES notes \
        nothing notice NOTIFY notify notrack notRunning noun noUnderlyingNetwork nov noverify \
        now nowhere ns nsec nsid NTP ntp NUL null number numrxqueues numtxqueues object obsolete \
        oct of off offer offers offWhenClear offWhenSet often oif oifkind oifname ok old \
        olderGenerationRuns olderHost omissions omit on once onDemand ondemand OnDemandEnabled \
        OnDemandMatchDomainsAlways OnDemandMatchDomainsNever OnDemandMatchDomainsOnRetry \
        onDemandRule OnDemandRules OnDemandUserOverrideDisabled one onlink only onto op opc open \
        opendir opened opening OpenMetrics openmetrics openSocket openssl opensuse OPERAND \
        operand operands operation OPTION option optional options or order org organisation \
        origin original other otherNamespace otherRuleChanged others otherUser otherwise ours \
        OUT out outcome outform outgoing outgrew OUTPUT output outputFailed outside over \
        overflow overhead overheadIPv4 ovpn ovs own owner package packages PACKET packet packets \
        PAGER pager pages parameter parent parentbus parentdev part partial partlyCleaned pass \
        passcode passphrase passwd password passwords past PATH path pathChanged paths pause \
        paused pausedUntil payload PayloadCertificateFileName PayloadCertificateUUID \
        PayloadContent PayloadDescription PayloadDisplayName PayloadEnabled \
        PayloadExpirationDate PayloadIdentifier PayloadOrganization payloadRefused \
        PayloadRemovalDisallowed payloads PayloadScope PayloadType PayloadUUID PayloadVersion \
        pci peer peerAddresses peerDoesNotRead peers peersLeftOut peerStale peerUnverified PEM \
        pem people perApplicationVPN permanent permission permit permitted persist persistent \
        PersistentKeepalive persistentKeepalive pfifo pi PID pid pidfd pin pincode pins \
        pinsha256 pipe2 PKCS pkcs1 pkcs11 pkcs12 PKCS7 pki pkttype place places plain plan plist \
        pmtu pointopoint policy poll Poly1305 pool PORT port portal portTaken position possible \
        PostDown postDown postgres POSTROUTING postrouting PostUp postUp ppp PPTP prctl PreDown \
        preDown pref preferences preferencesBusy preferencesCorrupt preferencesLax \
        preferencesNewer preferencesUnreadable preferencesUnsafe preferencesUnwritable preferred \
        prefix prefixesOverlap prefixlength prerouting present preshared PresharedKey \
        presharedKey presharedkey PreUp preUp print printed printf prints PRIORITY priority \
        PRIVATE private PrivateKey privateKey privatekey privatekeypem privileges privkey probes \
        probeURL problem proc process processes processing processor procMissing PROFILE profile \
        profileExpired profileInUse profileMissing profileNotYetValid profiles profileUnusable \
        program programs prohibit prohibited prom prometheus promiscuity promise promised \
        promises prompt proof property protection proto protocol protocols protocolVersion \
        proved provider providerAnswered ProviderBundleIdentifier providerConfiguration \
        providerConfigurationInvalid providerConnected providerCrashed providerDirectories \
        providerExecutableUnusable providerLaunched providerManifestInvalid providerNotExported \
        providerNotInstalled providerOnHostNetwork providerPID providerProtocolError \
        providerProtocolUnknown providerRefused providerReport providers providerSilent \
        providersMissing providerStopped ProviderType providerUnknown providerUserMissing \
        proxies proxy psh psk pubkey PUBLIC public PublicKey publicKey publickey publickeys \
        publish purpose purposes put puts pwd qdisc qlen quarantine query question queue queues \
        quick quiet quits quot quota quotedForShell ra raise ran random randomByteCount range \
        rate raw reach reached read readable readBack readers reading readings reads READY real \
        realms realpath REALTIME reason reasserting RECEIVED received receivedBytes \
        receivedDropped receivedErrors receivedPackets receiving recognised reconnects record \
        recvmsg redirect refer references referred refers refuse refused refuses regular REJECT \
        reject rejected rejectunauthorized related release reload remedy remember remote \
        RemoteAddress remoteAddress remoteAddresses remount removal RemovalDate remove removed \
        removedCredentials removes removing rename renew repair repaired repeated replace \
        replaced replayedMessages reply report reports repudiation request require requires \
        reserved reset resolv resolvconf resolve resolvectl resolved resolvedUnreachable \
        resolveNames resolver resolverFile resolverFileManaged resolverFileMissing \
        resolverFileTaken resolvers resolverUnusable resolves resolveWhileBlocked resolving \
        respect response rest restart restarted restartNeeded restartReasons restarts restore \
        restored restoredAddresses restoredDNS restoredFirewall restoredRoutes restoredRules \
        restoring result ret retries retry retrying return returns reverse reversePathStrict \
        revert RFC rhel right RLIMIT ro roaming role room ROOT root rotate route routed \
        routeMissing router routes routesLeftOut routeShadowed routesOverlap routing row rst \
        rsync rtnetlink \
        rtt rule ruleAhead ruleMissing rules ruleset rulesetUnreadable ruleShadowed run running \
        runningGeneration runs runtime runtimeDirectoryUnusable rw rx s saddr said same samples \
        sat save SaveConfig saveConfig saved savedGeneration saw say says sbin scalar SCEP scep \
        scope scopes script sctp search SearchDomains searchDomains searched sec second \
        secondary seconds SECRET secret secretEmpty secretInConfiguration secretkey secrets \
        secretsOnTerminal secretTooLarge SECTION section sections security see seen sees SEGMENT \
        segmentation segments segs self selfsigned semicolon send sender sending sendmsg sends \
        sendStart SENT sent sentBytes sentDropped sentErrors sentPackets sep separated separator \
        sequence served server serverAddress ServerAddresses serverAddressResolution \
        serverCertificateExpired serverCertificateInvalid serverCertificateNotYetValid \
        serverDisconnected ServerName serverNotResponding servers service serviceManagerFailed \
        serviceManagerForbidden \
        serviceManagerMissing services session sessionChanges sessionFileLax sessionHostCrashed \
        sessionHostForbidden sessionHostSilent sessionHostUnreachable sessionRuns sessions set \
        setconf SETGID setName setns SETPCAP setrlimit setting settings settingsApplied \
        settingsRejected settled SETUID several severity sfd SHA sha1 SHA256 sha256 shadow share \
        sharedkey shell short should show shown shownInMessage shows shut shutdown shuts side \
        SIG SIGBUS SIGILL SIGINT signal signalfd signature signatureInvalid signatures SIGNED \
        signed signer signerChanged signerExpired signers signerUnknown signing signs SIGSEGV \
        SIGTERM silent SINCE since single sit site size skgid skip skips skuid slave sleep \
        sleeps slept slice small snapshot SNAT snat so sock SOCKET socket socketpair sockets \
        solicit some somebody someone something soon sought source sourceAddress space span \
        speaks spellings sport src srcnat srv SSE4 ssh sshd ssid SSIDMatch ssl stable stale \
        stalePeer stand standard stands start started starting starts startTimedOut startTimeout \
        state stateless STATIC static STATUS status stay stays stdin stdout still stillBlocked \
        stop stopped stoppedByUser STOPPING stopping stops stopTimeout store stp stranger STREAM \
        stream strict strictly string strongswan stub subcommand subject subscribe SubState \
        success such sudo sun superseded supervisor SupplementalMatchDomains supported suppress \
        suse swapped switch switched switches symbolic syn syncconf syncfs SYS sys sysctl \
        sysctls SYSLOG system systemctl SYSTEMD systemd systemError systems systemShutdown \
        systemTrust sysusers t table TABLES tables tag tail tailscale take taken takes tap \
        target TargetDeviceType tcgetattr TCP tcp tcpAndUDP TCPMSS tcpmss tcsetattr tearDown \
        tell tells temporary ten tentative TERM terminal terminate terminated terse test TEXT \
        text textfile texts th than that the their them then there these they thing think this \
        those though three through throw thu thumbprint TIME time timed timedatectl timedOut \
        TIMEOUT timeout timeouts timer timerfd timers times TIMESTAMP timestamp TITLE title TLS \
        tls to tofu token tokens told toml too took tooLarge TOPIC topic topics tornDown tos \
        total touched tpm2 tproxy traffic transition translates translation TransparentProxy \
        transport tried true trust trustall trustAnchorMissing trustAnchorUnusable trustExpired \
        trustExpiring trustInConfiguration trustNotYetValid trustonfirstuse truth try trying TSO \
        tso ttl tue TUN tun tunl tunnel tunnels TUNSETIFF turning twice two tx txt TYPE type \
        typeof ubuntu UDP udp udp6 udplite uevent ufw uid uidrange unasked unblock unblocked \
        unchanged underlying underneath understood undone unexpected unfinished unicast unicode \
        UNIT unit unitFailed unitRuns unitMissing unitOfDisabled unitOld unitOverridden units \
        unitWithoutConfiguration unknown unknownMessages unless unlink unproven unreachable \
        unreadable unroutedPackets unsentMessages unset unshare unsigned unsupported \
        unsupportedProcessor untakenPackets until untracked untrusted unusable unverified up \
        upgrade uplink urg URLStringProbe us usable usage usb use USEC used usedBy user useradd \
        UserDefinedName username USO usr UTC UTF utf utf8 utun UTUNCTL utunctl UUID v1 v4 v6 val \
        valid validate validated validation VALUE value values var vault vcan VendorConfig VERB \
        verb verbose verbs verification verificationSwitchedOff verified verify verifying \
        VERSION version versions veth via virbr virtio vlan vmap vnet vnetHeader vouch vouches \
        VPN vpn VPNSubType VPNType vrf vti vti6 vxlan wait waited waitid waiting waits wake \
        wanted wants warning warningRefused warnings was wasBlocked wasRunning watch watching \
        way ways weakPublicKey wed well went wepkey were WgQuickConfig WHAT what whatever when \
        where wherever whether which whichever while WHO who whoever whole whom whose why wider \
        WiFi wifi will wins WireGuard wireguard wireless with withCookie within without \
        withoutCookie wlan wlo wlp woken word WORDS words work works worst would writable write \
        writes written wrong wrote wwan wwp X25519 x509 X509v3 x86 xdp xfrm XML years yes yet \
        you your yours zebra zeros zone zsh zx2c4
        """
}
