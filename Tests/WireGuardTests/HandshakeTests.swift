import Testing

@testable import WireGuard

@Suite("Handshake")
struct HandshakeTests {
    @Test("An initiation of fixed keys has the bytes that another implementation writes")
    func goldenInitiation() throws {
        let (_, initiation) = try Session().begin()
        #expect(hex(initiation) == hex(Golden.initiation))
    }

    @Test("A response of fixed keys has the bytes that another implementation writes")
    func goldenResponse() throws {
        let (response, keys) = try Session().answer(Golden.initiation)
        #expect(hex(response) == hex(Golden.response))
        #expect(keys == Golden.responderKeys)
    }

    @Test("The initiator gets the keys that another implementation gets")
    func goldenKeys() throws {
        let session = try Session()
        let (handshake, _) = try session.begin()
        #expect(try session.finish(handshake, Golden.response) == Golden.initiatorKeys)
    }

    @Test("An initiation tells whose it is, its index and its time")
    func initiationContent() throws {
        let session = try Session()
        try Golden.initiation.withUnsafeBytes { buffer in
            guard case .initiation(let view)? = Message(buffer) else {
                Issue.record("not taken for an initiation")
                return
            }
            let received = try ReceivedInitiation(opening: view, at: session.responder)
            let (sender, claimedKey) = (received.sender, received.claimedKey)
            #expect(sender == 0x0102_0304)
            #expect(claimedKey == session.initiator.publicKey)
            let authenticated = try received.authenticate(as: session.toInitiator)
            let timestamp = authenticated.timestamp
            #expect(timestamp == Session.timestamp)
        }
    }

    @Test("A handshake without a preshared key uses one of zeros")
    func withoutPresharedKey() throws {
        let session = try Session(presharedKey: 0, presharedKeyThere: 0)
        let bare = try RemoteIdentity(
            publicKey: session.initiator.publicKey, local: session.responder)
        let (handshake, initiation) = try session.begin()
        let (response, keys) = try session.answer(initiation, as: bare)
        #expect(try session.finish(handshake, response).sending == keys.receiving)
    }

    @Test("Another preshared key is found out by the initiator")
    func wrongPresharedKey() throws {
        let session = try Session(presharedKeyThere: Session.presharedKey + 1)
        let (handshake, initiation) = try session.begin()
        let (response, _) = try session.answer(initiation)
        #expect(throws: HandshakeError.notAuthentic) {
            try session.finish(handshake, response)
        }
    }

    @Test("An initiation for another public key is refused")
    func wrongResponder() throws {
        let session = try Session()
        let stranger = LocalIdentity(
            privateKey: SecretKey(repeating: 0x99), suite: session.suite)
        Golden.initiation.withUnsafeBytes { buffer in
            guard case .initiation(let view)? = Message(buffer) else { return }
            #expect(throws: HandshakeError.notAuthentic) {
                _ = try ReceivedInitiation(opening: view, at: stranger)
            }
        }
    }

    @Test("An initiation does not pass for that of another peer")
    func wrongPeer() throws {
        let session = try Session()
        let other = try RemoteIdentity(
            publicKey: session.suite.publicKey(of: SecretKey(repeating: 0x99)),
            local: session.responder)
        #expect(throws: HandshakeError.notAuthentic) {
            _ = try session.answer(Golden.initiation, as: other)
        }
    }

    @Test("Who knows only public keys cannot make an initiation")
    func forgedSender() throws {
        let session = try Session()
        // All of a real one except the agreement of both static keys.
        let impostor = LocalIdentity(
            privateKey: SecretKey(repeating: 0x99), suite: session.suite)
        let remote = try RemoteIdentity(
            publicKey: session.responder.publicKey, local: impostor)
        var message = [UInt8](repeating: 0, count: InitiationMessage.byteCount)
        _ = try message.withUnsafeMutableBytes { buffer in
            try InitiatorHandshake(
                with: remote, sender: 1, seed: SecretKey(repeating: 1),
                timestamp: Session.timestamp, writing: buffer.baseAddress.unsafelyUnwrapped)
        }
        #expect(throws: HandshakeError.notAuthentic) { _ = try session.answer(message) }
    }

    @Test("A refused response leaves the handshake open to the right one")
    func refusedResponseChangesNothing() throws {
        let session = try Session()
        let (handshake, _) = try session.begin()
        var mangled = Golden.response
        mangled[50] ^= 1
        for _ in 0..<3 {
            #expect(throws: HandshakeError.notAuthentic) {
                try session.finish(handshake, mangled)
            }
        }
        #expect(try session.finish(handshake, Golden.response) == Golden.initiatorKeys)
    }

    @Test(
        "Every changed byte of an initiation before its MACs is found out, at the latest when answered"
    )
    func mangledInitiation() throws {
        let session = try Session()
        for index in 8..<116 {
            var mangled = Golden.initiation
            mangled[index] ^= 0x10
            #expect(throws: HandshakeError.self, "byte \(index)") {
                _ = try session.answer(mangled)
            }
        }
    }

    @Test("Every changed byte of a response between its indices and its MACs is found out")
    func mangledResponse() throws {
        let session = try Session()
        let (handshake, _) = try session.begin()
        for index in 12..<60 {
            var mangled = Golden.response
            mangled[index] ^= 0x10
            #expect(throws: HandshakeError.self, "byte \(index)") {
                try session.finish(handshake, mangled)
            }
        }
    }

    @Test(
        "A public key of low order is refused, whose secret anybody knows",
        arguments: [
            String(repeating: "00", count: 32),
            "01" + String(repeating: "00", count: 31),
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ])
    func weakKeys(_ key: String) throws {
        let session = try Session()
        #expect(throws: HandshakeError.weakPublicKey) {
            _ = try RemoteIdentity(publicKey: PublicKey(bytes(key)), local: session.initiator)
        }
        var initiation = Golden.initiation
        initiation.replaceSubrange(8..<40, with: bytes(key))
        #expect(throws: HandshakeError.weakPublicKey) { _ = try session.answer(initiation) }
        var response = Golden.response
        response.replaceSubrange(12..<44, with: bytes(key))
        let (handshake, _) = try session.begin()
        #expect(throws: HandshakeError.weakPublicKey) {
            try session.finish(handshake, response)
        }
    }
}
