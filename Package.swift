// swift-tools-version: 6.2

import PackageDescription

/// Settings of every Swift target.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Settings of the targets that touch no C pointer.
let pure: [SwiftSetting] = strict + [.strictMemorySafety()]

// The multi-buffer library exists for one architecture only.
#if arch(x86_64)
    let packetCiphers: [Target] = [.systemLibrary(name: "CIPsecMB")]
#else
    let packetCiphers: [Target] = []
#endif

let package = Package(
    name: "utunctl",
    targets: packetCiphers + [
        .target(name: "CLinux"),
        .systemLibrary(name: "CNetlink", pkgConfig: "libnl-route-3.0"),
        .systemLibrary(name: "CJansson", pkgConfig: "jansson"),
        .systemLibrary(name: "CAres", pkgConfig: "libcares"),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),

        .target(name: "LinuxSystem", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "JSON", dependencies: ["CJansson"], swiftSettings: strict),
        .target(name: "TunnelModel", dependencies: ["JSON"], swiftSettings: pure),
        .target(
            name: "KernelNetwork",
            dependencies: ["CNetlink", "LinuxSystem", "TunnelModel"],
            swiftSettings: strict
        ),
        .target(
            name: "Preferences",
            dependencies: ["JSON", "LinuxSystem", "TunnelModel"],
            swiftSettings: strict
        ),
        .target(
            name: "SessionHost",
            dependencies: ["JSON", "KernelNetwork", "LinuxSystem", "Preferences", "TunnelModel"],
            swiftSettings: strict
        ),
        .target(
            name: "ProviderKit",
            dependencies: ["JSON", "LinuxSystem", "TunnelModel"],
            swiftSettings: strict
        ),
        .target(
            name: "Loopback",
            dependencies: ["JSON", "LinuxSystem", "ProviderKit", "TunnelModel"],
            swiftSettings: strict
        ),
        .target(
            name: "Resolver",
            dependencies: ["CAres", "JSON", "LinuxSystem", "TunnelModel"],
            swiftSettings: strict
        ),
        .target(name: "PropertyLists", dependencies: ["JSON", "TunnelModel"], swiftSettings: pure),
        .target(
            name: "Enrolment",
            dependencies: ["JSON", "PropertyLists", "TunnelModel"],
            swiftSettings: pure
        ),
        .target(name: "OnDemand", dependencies: ["JSON", "TunnelModel"], swiftSettings: pure),
        .target(
            name: "WireGuard",
            dependencies: ["CCrypto", "TunnelModel"]
                + packetCiphers.map { .byName(name: $0.name) },
            swiftSettings: strict
        ),
        .target(
            name: "WireGuardTunnel",
            dependencies: [
                "CLinux", "JSON", "LinuxSystem", "ProviderKit", "TunnelModel", "WireGuard",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Commands",
            dependencies: [
                "Enrolment", "JSON", "KernelNetwork", "LinuxSystem", "OnDemand", "Preferences",
                "PropertyLists", "SessionHost", "TunnelModel",
            ],
            swiftSettings: strict
        ),

        .executableTarget(name: "utunctl", dependencies: ["Commands"], swiftSettings: strict),
        .executableTarget(
            name: "utunctl-loopback",
            dependencies: ["Loopback", "ProviderKit"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "utunctl-wireguard",
            dependencies: ["ProviderKit", "WireGuardTunnel"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "utunctl-keys",
            dependencies: ["LinuxSystem", "WireGuard"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "utunctl-mobileconfig",
            dependencies: ["JSON", "LinuxSystem", "PropertyLists"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "utunctl-resolver",
            dependencies: ["Resolver"],
            swiftSettings: strict
        ),

        .testTarget(
            name: "LinuxSystemTests",
            dependencies: ["LinuxSystem", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: strict),
        .testTarget(
            name: "TunnelModelTests",
            dependencies: ["JSON", "TestSupport", "TunnelModel"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "KernelNetworkTests",
            dependencies: ["KernelNetwork", "LinuxSystem", "TestSupport", "TunnelModel"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PreferencesTests",
            dependencies: ["JSON", "LinuxSystem", "Preferences", "TunnelModel", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LoopbackTests",
            dependencies: ["JSON", "LinuxSystem", "Loopback", "TunnelModel", "utunctl-loopback"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ResolverTests",
            dependencies: ["JSON", "LinuxSystem", "Resolver", "TunnelModel", "utunctl-resolver"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PropertyListsTests",
            dependencies: ["JSON", "PropertyLists", "TestSupport", "TunnelModel"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EnrolmentTests",
            dependencies: [
                "Enrolment", "JSON", "LinuxSystem", "PropertyLists", "TestSupport", "TunnelModel",
            ],
            exclude: ["Corpus"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "OnDemandTests",
            dependencies: ["JSON", "OnDemand", "TunnelModel"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "WireGuardTests",
            dependencies: ["TestSupport", "TunnelModel", "WireGuard"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "WireGuardTunnelTests",
            dependencies: ["ProviderKit", "WireGuardTunnel"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CommandsTests",
            dependencies: [
                "Commands", "JSON", "LinuxSystem", "Preferences", "TestSupport", "TunnelModel",
                "utunctl", "utunctl-keys", "utunctl-mobileconfig",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "TestSupport",
            dependencies: ["CLinux", "JSON", "LinuxSystem", "PropertyLists", "TunnelModel"],
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Commands", "JSON", "LinuxSystem", "TestSupport", "TunnelModel",
                "utunctl", "utunctl-loopback", "utunctl-resolver", "utunctl-wireguard",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Benchmarks",
            dependencies: ["JSON", "LinuxSystem", "OnDemand", "TestSupport", "TunnelModel"],
            path: "Tests/Benchmarks",
            swiftSettings: strict
        ),
    ]
)
