/// Of which packets a rule of a hook speaks, as far as that matters to a key, which speaks of all
/// packets of a tunnel.
struct HookMatch {
    /// Only of those to some addresses.
    var isByDestination = false
    /// Of those that anything else tells apart; sources, links and states are what rules of a
    /// tunnel usually go by.
    var isByMore = false
    /// Whether it is by the link that they leave by, or rather do not.
    var isNotByLink = false
    /// Whether it lets in what comes to a port.
    var opensPort = false

    /// What a rule comes to that does what a key does, for these packets.
    func meanings(_ cover: HookCover, givesAddress: Bool = false) -> [HookMeaning] {
        // What a key would do beyond the rule is never to come by a file that does not say so.
        if isByMore { return [.dropped(opensPort ? .opening : .packets)] }
        var meanings: [HookMeaning] = [.covered(cover)]
        if isByDestination { meanings.append(.dropped(.destination)) }
        if givesAddress { meanings.append(.dropped(.sourceAddress)) }
        return meanings
    }
}
