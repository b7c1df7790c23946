internal import Glibc
package import TunnelModel

/// Moments that have certainly been: a wall clock that is before them is behind.
package enum ClockFloor {
    /// The latest of when this program was made and when what a configuration trusts was
    /// enrolled.
    package static func of(_ configuration: Configuration?, _ layout: FileLayout) -> Timestamp? {
        let profiles = (configuration?.trustedProfiles ?? [])
            .map { "\(layout.profilesDirectory)/\($0).json" }
        return (["/proc/self/exe"] + profiles).compactMap(changeTime).max()
    }

    private static func changeTime(of path: String) -> Timestamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Timestamp(
            microseconds: Int64(status.st_mtim.tv_sec) * 1_000_000
                + Int64(status.st_mtim.tv_nsec) / 1000)
    }
}
