import Testing
import TunnelModel

@testable import Commands

@Suite struct StopOriginTests {
    private static let unit = "utunctl@office.service"

    /// The jobs of systemd, and why the unit ends.
    @Test(
        arguments: [
            ([unit: "stop"], .stoppedByUser),
            ([:], .stoppedByUser),
            ([unit: "restart"], .superseded),
            ([unit: "stop", "shutdown.target": "start"], .systemShutdown),
            ([unit: "restart", "shutdown.target": "start"], .systemShutdown),
            // Another's restart, and a shutdown that was called off.
            ([unit: "stop", "utunctl@home.service": "restart"], .stoppedByUser),
            ([unit: "stop", "shutdown.target": "stop"], .stoppedByUser),
            (nil, .superseded),
        ] as [([String: String]?, DisconnectCode)])
    func aRestartOrAShutdownOfTheUnitLiftsNoBlock(
        jobs: [String: String]?,
        code: DisconnectCode
    ) {
        let reason = StopOrigin.reason(ofUnit: Self.unit, jobs: jobs)
        #expect(reason.code == code)
        #expect(reason.code.liftsBlock == (code == .stoppedByUser))
    }
}
