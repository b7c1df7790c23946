import JSON
import TestSupport
import Testing

/// What a start would do is said before, and is what it then does.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct PlanTests {
    private func strings(_ value: JSONValue?) -> [String] {
        (value?.array ?? []).compactMap(\.string)
    }

    @Test(arguments: [
        ["routing.includedRoutes=[\"10.98.0.0/16\",\"fd98::/64\"]"],
        [
            "routing.includedRoutes=[\"0.0.0.0/0\",\"::/0\"]",
            "routing.excludedRoutes=[\"192.0.2.0/24\"]",
        ],
        [
            "routing.includedRoutes=[\"10.98.0.0/16\"]",
            "routing.excludedRoutes=[\"10.98.1.0/24\"]", "routing.enforceRoutes=true",
        ],
        ["routing.includeAllNetworks=true"],
    ])
    func theStartDoesWhatThePlanSays(settings: [String]) throws {
        let site = try Installation()
        try site.save(
            "office", "providerConfiguration.addresses=[\"10.99.0.1/30\",\"fd99::1/64\"]")
        for setting in settings { try site.save("office", setting) }
        let before = try Kernel.snapshot()
        let plan = try site.json("plan", "office")
        #expect(try Kernel.snapshot() == before)
        #expect(strings(plan["unknown"]).isEmpty)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let status = try site.status("office")
        let link = try #require(status.value("interface")?.object)
        #expect(plan.value("interface.addresses") == link["addresses"])
        #expect(plan.value("interface.mtu") == link["mtu"])
        // By their number: tables have the index of an interface that is there by now.
        #expect(strings(plan["rules"]).count == strings(link["rules"]).count)
        let planned = strings(plan["routes"]).filter { $0.contains(" dev ") }
        #expect(planned.count == Set(strings(link["routes"])).count)
        #expect(plan["firewall"]?.string?.contains("10.99.0.1") == true)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Kernel.snapshot() == before)
    }

    @Test func whatRefusesTheStartRefusesThePlan() throws {
        let site = try Installation()
        try site.save("off", "enabled=false")
        try site.save("nowhere", "provider=org.example.missing")
        try site.save("dreamer", "routing.includedRoutes=[\"127.0.0.0/8\"]")
        for (name, status) in [("nobody", Int32(4)), ("off", 7), ("nowhere", 7), ("dreamer", 6)] {
            let plan = try site.utunctl("plan", name)
            #expect(plan.status == status, "\(plan)")
            #expect(plan.output.isEmpty)
        }
    }

    @Test func anAddressThatAnotherInterfaceHasRefusesThePlanToo() throws {
        let site = try Installation()
        for name in ["first", "second"] {
            try site.save(name, "providerConfiguration.addresses=[\"10.99.0.1/30\"]")
        }
        #expect(try site.utunctl("start", "--wait", "first").status == 0)
        for verb in ["start", "plan"] {
            let refusal = try site.utunctl(verb, "second")
            #expect(refusal.status == 12 && refusal.errors.contains("10.99.0.1"), "\(refusal)")
        }
        // Of a tunnel that runs it says what a restart would do.
        #expect(try site.utunctl("plan", "first").status == 0)
        #expect(try site.utunctl("stop", "first").status == 0)
    }

    @Test func whatOnlyTheProviderKnowsIsSaidToBeUnknown() throws {
        let site = try Installation()
        try site.installPythonProvider("thing", "import time; time.sleep(60)")
        try site.save("office", "provider=org.example.thing")
        let plan = try site.json("plan", "office")
        #expect(strings(plan["unknown"]).contains { $0.contains("org.example.thing") })
        #expect(try site.utunctl("plan", "office").output.contains("unknown:"))
    }
}
