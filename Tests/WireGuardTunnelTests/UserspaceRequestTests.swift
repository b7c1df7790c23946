import Testing

@testable import WireGuardTunnel

struct UserspaceRequestTests {
    @Test(arguments: [
        ("get=1\n\n", [UserspaceRequest.Operation.get]),
        ("set=1\nprivate_key=00\n\n", [.set]),
        ("set=1\nget=1\n\nget=1\n\n", [.set, .get]),
        ("get=2\n\n", [.unknown]),
        ("\n\n\nget=1\n", []),
        ("get=1", []),
    ])
    func requestsEndWithAnEmptyLine(text: String, expected: [UserspaceRequest.Operation]) {
        var request = UserspaceRequest()
        #expect(request.add(text.utf8) == expected)
        var piecemeal = UserspaceRequest()
        #expect(text.utf8.flatMap { piecemeal.add([$0]) } == expected)
    }

    @Test func aRequestWithoutEndTakesNoMemory() {
        var request = UserspaceRequest()
        for _ in 0..<100 { #expect(request.add([UInt8](repeating: 65, count: 65_536)).isEmpty) }
        #expect(request.add("\n\n".utf8) == [.unknown])
    }
}
