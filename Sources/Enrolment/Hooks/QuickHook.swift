internal import TunnelModel

/// A hook of a file, which is never run, and what covers it here.
struct QuickHook {
    let line: Int
    let key: QuickKey
    private let meanings: [HookMeaning]

    init(_ value: QuickValue) {
        line = value.line
        key = value.key
        let isUp = key == .preUp || key == .postUp
        // What is set up when a tunnel goes is nothing that a tunnel does.
        meanings = HookMeaning.meanings(of: value.text).map { meaning in
            switch meaning {
            case .covered(let cover) where !isUp && cover != .tunnel: .dropped(.other)
            // A rule of the file was never made, one of the host would be missed.
            case .takenBack(let loss): isUp ? .dropped(loss) : .undone
            case .nothing, .covered, .undone, .dropped: meaning
            }
        }
    }

    /// The keys that do the same.
    var covers: [HookCover] {
        HookCover.allCases.filter { meanings.contains(.covered($0)) }
    }

    /// What becomes of it.
    var item: EnrolmentItem {
        let losses = HookLoss.allCases.filter { meanings.contains(.dropped($0)) }
        let covers = covers.map(\.text)
        let covering =
            "\(covers.dropLast().joined(separator: ", "))\(covers.count > 1 ? " and " : "")"
            + "\(covers.last ?? "")"
        let verb = covers.count == 1 ? "covers" : "cover"
        if let loss = losses.first {
            let part = covers.isEmpty ? "" : "\(covering) \(verb) a part of it; the rest: "
            return item(.dropped, part + loss.text)
        }
        if !covers.isEmpty {
            let bounds = self.covers.compactMap(\.bound).map { ", \($0)" }.joined()
            return item(.changed, "\(covering) \(verb) it\(bounds)")
        }
        if meanings.contains(.undone) {
            return item(.changed, "what it takes back was never done here, or ends with the tunnel")
        }
        return item(.noted, "it does nothing that would be missed")
    }

    private func item(_ outcome: EnrolmentItem.Outcome, _ text: String) -> EnrolmentItem {
        EnrolmentItem(line: line, key: key.rawValue, outcome: outcome, text: text)
    }
}
