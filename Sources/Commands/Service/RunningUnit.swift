internal import TunnelModel

extension Context {
    /// Refuses another name for a tunnel whose unit runs, or is about to: it knows its tunnel by the
    /// former one alone.
    func refuseRename(of configuration: Configuration, to new: String) throws(Failure) {
        guard configuration.name != new, let manager = ServiceManager.find(layout) else { return }
        let unit = ServiceManager.unit(of: configuration.name)
        guard try !manager.state(of: unit).isAtRest else { return }
        throw Failure(
            .conflict, "unitRuns", "\(unit) runs, and would not find its tunnel any more",
            hint: "utunctl stop \(configuration.name), and start it by its new name")
    }
}
