/// A route that could not be added or removed, and why.
package struct RouteFailure: Error, Equatable, Sendable {
    /// The route.
    package let route: Route

    /// What the kernel said about it.
    package let error: NetlinkError

    /// A failure of one route.
    package init(route: Route, error: NetlinkError) {
        self.route = route
        self.error = error
    }
}
