import CLinux
import Glibc

/// Users and groups of the system.
package enum Account {
    /// A user with its group.
    package struct User: Equatable, Sendable {
        package let uid: UInt32
        package let gid: UInt32

        package init(uid: UInt32, gid: UInt32) {
            self.uid = uid
            self.gid = gid
        }
    }

    /// The user that runs this process, as the kernel checks it.
    package static var effectiveUser: UInt32 { geteuid() }

    /// A user by name, or `nil` where there is none.
    ///
    /// Corresponds to `getpwnam_r(3)`.
    package static func user(named name: String) -> User? {
        var group: gid_t = 0
        let uid = ut_user_id(name, &group)
        return uid < 0 ? nil : User(uid: UInt32(uid), gid: group)
    }

    /// A group by name, or `nil` where there is none.
    ///
    /// Corresponds to `getgrnam_r(3)`.
    package static func group(named name: String) -> UInt32? {
        let gid = ut_group_id(name)
        return gid < 0 ? nil : UInt32(gid)
    }

    /// Whether the user namespace of this process has the uid at all.
    package static func isMapped(uid: UInt32) -> Bool {
        guard let map = try? FileDescriptor.open("/proc/self/uid_map", O_RDONLY),
            let bytes = try? map.readAll(limit: 65_536)
        else { return true }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ").compactMap { UInt64($0) }
            guard fields.count == 3 else { return false }
            return (fields[0]..<fields[0] + fields[2]).contains(UInt64(uid))
        }
    }
}

/// Privileges of this process.
package enum Privilege {
    /// Whether the effective set holds a capability, by its number.
    static func isEffective(_ capability: CInt) -> Bool {
        ut_capability_is_effective(capability) == 1
    }

    /// Whether the program was given privileges by its file: AT_SECURE of getauxval(3).
    package static var isSecureExecution: Bool { ut_is_secure_execution() }

    /// Leaves no core and no way in for a debugger of the same user.
    package static func protectProcess() throws(SystemError) {
        try checkShim("prctl") { ut_process_protect() }
    }

    /// Leaves this process what it has: no file and no socket is opened any more, no process
    /// made, and no more memory and processor time taken than so much.
    ///
    /// Corresponds to `setrlimit(2)`.
    package static func confineProcess(memory: UInt64, seconds: UInt64) throws(SystemError) {
        try checkShim("setrlimit") { ut_process_confine(memory, seconds) }
    }
}
