import JSON
import Testing
import TunnelModel

@Suite struct ResolverMessageTests {
    @Test func aRequestReadsAsItWasWritten() throws {
        let request = ResolverRequest(
            names: ["vpn.example.org"],
            servers: [
                .init(address: IPAddress(v4: 0xC000_0235), datagram: [6, 7], stream: [8, 9]),
                .init(address: IPAddress(v6: 1), port: 5353, datagram: [], stream: [10]),
            ],
            hosts: 4, timeout: 5000)
        let line = JSONWriter.line(request)
        let text = """
            {"type":"resolve","names":["vpn.example.org"],"servers":[\
            {"address":"192.0.2.53","port":53,"datagram":[6,7],"stream":[8,9]},\
            {"address":"::1","port":5353,"datagram":[],"stream":[10]}],"hosts":4,"timeout":5000}

            """
        #expect(String(decoding: line, as: UTF8.self) == text)
        #expect(try ResolverRequest(line: line) == request)
    }

    @Test func portAndHostsMayBeAbsent() throws {
        let line = #"{"type":"resolve","names":[],"servers":[{"address":"::1"}],"timeout":1}"#
        let request = try ResolverRequest(line: Array(line.utf8))
        #expect(request.servers.map(\.port) == [53])
        #expect(request.hosts == nil)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"type":"start"}"#, #"{"type":"resolve","names":["a"]}"#,
        #"{"type":"resolve","names":["a"],"servers":[{"address":"a"}],"timeout":1}"#,
        #"{"type":"resolve","names":["a"],"servers":[],"timeout":0}"#,
        #"{"type":"resolve","names":["a"],"servers":[],"timeout":1,"host":4}"#,
        #"{"type":"resolve","names":"a","servers":[],"timeout":1}"#,
    ])
    func aRequestThatIsNoneIsRefused(line: String) {
        #expect(throws: JSONError.self) { try ResolverRequest(line: Array(line.utf8)) }
    }

    @Test(arguments: [
        ResolverReply.resolved(name: "a", addresses: [IPAddress(v4: 1), IPAddress(v6: 2)]),
        .failed(name: "b", text: "no such host"),
    ])
    func aReplyReadsAsItWasWritten(reply: ResolverReply) throws {
        #expect(try ResolverReply(line: JSONWriter.line(reply)) == reply)
    }

    @Test(arguments: [
        "{}", #"{"type":"resolved","name":"a"}"#, #"{"type":"resolved","name":"a","addresses":[]}"#,
        #"{"type":"resolved","name":"a","addresses":["x"]}"#, #"{"type":"failed","name":"a"}"#,
        #"{"type":"later","name":"a"}"#,
    ])
    func aReplyThatIsNoneIsRefused(line: String) {
        #expect(throws: JSONError.self) { try ResolverReply(line: Array(line.utf8)) }
    }

    @Test func aReplyHoldsNoMoreThanItsMost() {
        let addresses = (1...65).map { IPAddress(v4: $0) }
        let line = JSONWriter.line(ResolverReply.resolved(name: "a", addresses: addresses))
        #expect(throws: JSONError.self) { try ResolverReply(line: line) }
    }
}
