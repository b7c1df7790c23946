package import JSON
package import TunnelModel

/// What the service knows of one tunnel: all of it can be found anew, but for what would start a
/// storm if it were forgotten.
package struct OnDemandEntry: Equatable, Sendable {
    package let identifier: String
    /// The generation of the configuration that this is about.
    package var generation: UInt64
    package var state = OnDemandState.following
    /// What the rules said last; `nil` where they have not been held against any network yet.
    package var decision: RuleDecision?
    /// Since when the rules want what they want.
    package var since: Timestamp
    /// How often in a row it has failed.
    package var failures = 0
    /// Why it failed last, while that counts.
    package var failure: String?
    /// When it is tried again.
    package var nextTry: Timestamp?
    package var isSuspended = false
    /// Whether it ended for want of traffic, and waits for some.
    package var isAsleep = false
    /// Whether it was woken since there was last a reason for it to run at once: what waits again
    /// was idle.
    package var wasWoken = false
    /// The latest starts.
    package var starts: [Timestamp] = []
    /// The attempt whose end was counted last.
    package var countedAttempt: String?
    /// The attempt whose block was lifted last.
    package var liftedAttempt: String?

    /// What is known at first.
    package init(
        identifier: String,
        generation: UInt64,
        since: Timestamp
    ) {
        self.identifier = identifier
        self.generation = generation
        self.since = since
    }

    /// Has it run at once where its rules say so, although it was idle.
    mutating func rouse() {
        isAsleep = false
        wasWoken = false
    }

    /// Forgets all failures: the network has changed, or a person has acted.
    package mutating func forgive() {
        failures = 0
        failure = nil
        nextTry = nil
        isSuspended = false
    }
}

extension OnDemandEntry: JSONEncodable {
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        identifier = try reader.string("identifier")
        generation = try reader.integer("generation", in: 0...UInt64(Int64.max))
        state = try reader.choice("state", default: nil)
        decision = try reader.node("decision").map { node throws(JSONError) in
            try RuleDecision(node)
        }
        since = try reader.timestamp("since")
        failures = try reader.integer("failures", in: 0...Int.max)
        failure = try reader.optionalString("failure")
        nextTry = try reader.optionalTimestamp("nextTry")
        isSuspended = try reader.bool("suspended", default: false)
        isAsleep = try reader.bool("asleep", default: false)
        wasWoken = try reader.bool("woken", default: false)
        starts = try reader.strings("starts").compactMap { Timestamp($0) }
        countedAttempt = try reader.optionalString("countedAttempt")
        liftedAttempt = try reader.optionalString("liftedAttempt")
    }

    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("generation", generation)
            writer.member("state", state.rawValue)
            writer.member("decision", decision)
            writer.member("since", since)
            writer.member("failures", failures)
            writer.member("failure", failure)
            writer.member("nextTry", nextTry)
            writer.member("suspended", isSuspended)
            writer.member("asleep", isAsleep)
            writer.member("woken", wasWoken)
            writer.member("starts", starts)
            writer.member("countedAttempt", countedAttempt)
            writer.member("liftedAttempt", liftedAttempt)
        }
    }
}
