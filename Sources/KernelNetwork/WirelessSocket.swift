import CNetlink
import Glibc

/// A conversation with the kernel about wireless networks (nl80211, over generic netlink).
///
/// It belongs to the network namespace that it was opened in, and knows the radios of that alone.
package struct WirelessSocket: ~Copyable {
    private let conversation: Conversation
    private let family: WirelessFamily

    /// Opens a socket; `nil` where the kernel knows of no wireless networks.
    ///
    /// Corresponds to `socket(2)` with `NETLINK_GENERIC`.
    package static func open() throws(NetlinkError) -> WirelessSocket? {
        let conversation = try Conversation(.generic)
        guard let family = try WirelessFamily.find(conversation) else { return nil }
        return WirelessSocket(conversation: conversation, family: family)
    }

    private init(conversation: consuming Conversation, family: WirelessFamily) {
        self.conversation = conversation
        self.family = family
    }

    /// The name of the network that a link is in, as its bytes; `nil` where it is in none, or is
    /// no wireless link.
    ///
    /// Corresponds to one `NL80211_CMD_GET_INTERFACE`.
    package func networkName(ofLink index: UInt32) throws(NetlinkError) -> [UInt8]? {
        let message = try Message(
            Int(family.number), genlmsghdr(UInt32(NL80211_CMD_GET_INTERFACE.rawValue)))
        message.put(Int(NL80211_ATTR_IFINDEX.rawValue), index)
        var name: [UInt8]?
        do throws(NetlinkError) {
            try conversation.perform(message, "reading the wireless network", "link \(index)") {
                name = Self.name(in: $0)
            }
        } catch {
            switch error.errno {
            // No link, or one without a radio.
            case ENODEV, EOPNOTSUPP, ENOENT: return nil
            default: throw error
            }
        }
        return name
    }

    private static func name(in message: OpaquePointer) -> [UInt8]? {
        let attributes = Attributes(of: message, after: genlmsghdr.self) ?? .none
        for attribute in attributes where attribute.type == Int(NL80211_ATTR_SSID.rawValue) {
            let bytes = Array(attribute.content)
            return bytes.isEmpty ? nil : bytes
        }
        return nil
    }
}

/// The numbers that the kernel has given to nl80211.
struct WirelessFamily {
    /// The type of its messages.
    let number: UInt16
    /// The group that hears of links that come into a network and leave it.
    let group: UInt32?

    /// Looks the numbers up; `nil` where there is no such family.
    static func find(_ conversation: borrowing Conversation) throws(NetlinkError)
        -> WirelessFamily?
    {
        let message = try Message(Int(GENL_ID_CTRL), genlmsghdr(UInt32(CTRL_CMD_GETFAMILY)))
        message.put(Int(CTRL_ATTR_FAMILY_NAME), terminated: NL80211_GENL_NAME)
        var number: UInt16?
        var group: UInt32?
        do throws(NetlinkError) {
            try conversation.perform(message, "looking for a netlink family", NL80211_GENL_NAME) {
                for attribute in Attributes(of: $0, after: genlmsghdr.self) ?? .none {
                    switch attribute.type {
                    case Int(CTRL_ATTR_FAMILY_ID): number = attribute.uint16
                    case Int(CTRL_ATTR_MCAST_GROUPS): group = Self.group(in: attribute)
                    default: break
                    }
                }
            }
        } catch {
            guard error.errno == ENOENT else { throw error }
            return nil
        }
        return number.map { WirelessFamily(number: $0, group: group) }
    }

    private static func group(in groups: Attribute) -> UInt32? {
        for group in groups.nested() {
            var name: String?
            var number: UInt32?
            for attribute in group.nested() {
                switch attribute.type {
                case Int(CTRL_ATTR_MCAST_GRP_NAME): name = attribute.text
                case Int(CTRL_ATTR_MCAST_GRP_ID): number = attribute.uint32
                default: break
                }
            }
            if name == NL80211_MULTICAST_GROUP_MLME { return number }
        }
        return nil
    }
}

extension genlmsghdr {
    fileprivate init(_ command: UInt32) {
        self.init(cmd: UInt8(command), version: 1, reserved: 0)
    }
}
