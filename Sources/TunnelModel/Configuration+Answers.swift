extension Configuration {
    /// Whether answers to hosts behind this one go into the tunnel that they came from, as its
    /// routes go before those to the networks of this host's links.
    package var sendsAnswersBack: Bool {
        guard routing.forward || routing.masquerade, routing.mode != .plain,
            !routing.excludeLocalNetworks, routing.excludedRoutes.isEmpty
        else { return false }
        if routing.mode == .all { return true }
        let asked = NetworkSettings.expected(of: self)?.includedRoutes
        return (routing.includedRoutes ?? asked ?? []).contains(where: \.isDefault)
    }
}
