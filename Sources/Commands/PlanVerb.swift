internal import JSON
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let plan = Verb(
        syntax: VerbSyntax(
            "plan",
            summary: "show what start would do to this host, without doing it",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            description: [
                "Addresses, routes, rules, firewall, resolver and settings of the kernel, as they"
                    + " follow from what is saved. What would refuse the start, or is known to end"
                    + " it, refuses this, with the same status.",
                "Routes and rules name tables by number: to each the index of the interface is"
                    + " added, which is known only when there is one.",
            ],
            examples: [
                Example("utunctl plan office", "look before the first start")
            ]),
        run: { context throws(Failure) in
            let configuration = try context.configuration(context.operand)
            let plan: SessionPlan
            do throws(SessionError) {
                plan = try SessionPlan(
                    configuration, context.layout,
                    opensHandedOver: ServiceManager.find(context.layout) == nil)
            } catch {
                throw Failure(error)
            }
            if let reason = plan.failure {
                throw Failure(
                    .tunnelFailed, reason.code.rawValue, "the tunnel would fail: \(reason.summary)")
            }
            let answer = PlanAnswer(configuration: configuration, plan: plan)
            try context.output.answer(answer, text: answer.text)
            return .done
        })
}

private struct PlanAnswer: JSONEncodable {
    let configuration: Configuration
    let plan: SessionPlan

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", configuration.name)
            writer.member("identifier", configuration.identifier)
            writer.member("generation", configuration.generation)
            writer.member("mode", configuration.routing.mode.rawValue)
            writer.objectMember("interface") { writer in
                writer.member("name", configuration.interface.name)
                writer.member("networkNamespace", configuration.interface.networkNamespace)
                writer.member("mtu", plan.isMTUUnknown ? nil : plan.settings?.mtu)
                writer.member("mtuOrigin", plan.isMTUUnknown ? nil : plan.settings?.mtuOrigin)
                writer.member("addresses", plan.settings?.addresses ?? [])
            }
            writer.member("routes", plan.routes)
            writer.member("rules", plan.rules)
            writer.member("firewall", plan.firewall)
            writer.objectMember("dns") { writer in
                writer.member("place", plan.resolver)
                writer.member("settings", plan.settings?.dns)
            }
            writer.member("sysctls", plan.sysctls)
            writer.member("unknown", plan.unknown)
            writer.member("warnings", plan.warnings)
        }
    }

    var text: String {
        var lines: [String] = []
        func add(_ label: String, _ values: [String]) {
            for value in values {
                let space = String(repeating: " ", count: max(1, 12 - label.count))
                lines.append("\(label):\(space)\(value)")
            }
        }
        add("interface", ["\(configuration.interface.name)\(interface)"])
        add("address", (plan.settings?.addresses ?? []).map(\.description))
        add("route", plan.routes)
        add("rule", plan.rules)
        if let resolver = plan.resolver, let dns = plan.settings?.dns {
            add("dns", ["\(dns.servers.map(\.description).joined(separator: " ")) in \(resolver)"])
        }
        add("setting", plan.sysctls)
        add("unknown", plan.unknown)
        add("warning", plan.warnings.map { "\($0.code.rawValue): \($0.text)" })
        if let firewall = plan.firewall { lines += ["firewall:", firewall] }
        return lines.joined(separator: "\n")
    }

    private var interface: String {
        let namespace = configuration.interface.networkNamespace.map { " in \($0)" } ?? ""
        let known = plan.isMTUUnknown ? nil : plan.settings
        let mtu = known.map { " mtu \($0.mtu) (\($0.mtuOrigin))" } ?? ""
        return namespace + mtu
    }
}
