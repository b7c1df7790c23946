import Enrolment
import TestSupport
import Testing

@Suite struct ZZDump {
    @Test func dump() throws {
        for sample in MobileCorpus.good {
            print("=== \(sample.name)")
            do {
                let proposal = try MobileFiles.proposal(of: sample)
                for line in try MobileFiles.model(of: proposal) { print(line) }
                for line in MobileFiles.lines(of: proposal, [.changed, .dropped, .noted]) { print("-- \(line)") }
            } catch { print("ERROR \(error)") }
        }
        for sample in MobileCorpus.bad { print("BAD \(sample.name): \(MobileFiles.problem(of: sample) ?? "TAKEN")") }
    }
}
