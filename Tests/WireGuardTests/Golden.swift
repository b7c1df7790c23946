/// What an independent implementation (hashlib and pyca/cryptography of Python) makes of the
/// keys, seeds, indices and the timestamp of `Session`.
enum Golden {
    /// The first message, MAC2 being zero.
    static let initiation = bytes(
        """
        0100000004030201ff2ee45601ec1b67310c7790404585ae697331eee1c1f8cf
        2419731c1fff3e6b3b6f1324884f7dfcb616f1440bce015ad114bc97a5052c59
        72a42150ca66244ee95bf0cd2c60d3d9addef329768c8c110ed41251d4d6d779
        2d1ea8319c569acab11c3aa84fade47a3f02a25bfc2c36109ec88de0555fcdd3
        f4dfd45300000000000000000000000000000000
        """)

    /// The second message, MAC2 being zero.
    static let response = bytes(
        """
        02000000080706050403020138ab664bd86f77d7e66bdd9ae0792913a94fd8b3
        3a1260027e4b46c1f4884c67292a1136ba65b9e50dd4c36a2b43059b3a5f2b03
        344c129400e2712cb0a01bd000000000000000000000000000000000
        """)

    /// The reply to the initiation from 192.0.2.7:51820 of a responder
    /// whose secret is 66…, with the nonce 77….
    static let cookieReply = bytes(
        """
        0300000004030201777777777777777777777777777777777777777777777777
        c1ba8ff1d8d7dad7807dcdba133cd1c0089e9b64e7462c8a9eddb7a44e60de61
        """)

    /// The initiation once more, with the cookie of that reply.
    static let initiationWithCookie = bytes(
        """
        0100000004030201ff2ee45601ec1b67310c7790404585ae697331eee1c1f8cf
        2419731c1fff3e6b3b6f1324884f7dfcb616f1440bce015ad114bc97a5052c59
        72a42150ca66244ee95bf0cd2c60d3d9addef329768c8c110ed41251d4d6d779
        2d1ea8319c569acab11c3aa84fade47a3f02a25bfc2c36109ec88de0555fcdd3
        f4dfd453f56cddd024be6ba06a6171e6963f0328
        """)

    /// The session as the initiator has it.
    static let initiatorKeys = Session.Keys(
        sending: "2177a14cf336f1f30ee0a4797cf26797017dae77cbea489248bc3298bea5f869",
        receiving: "a3109f7f0c20e0ee4b829f8bc301eb1235feb3b04ddfb7f34a5189e65a2ea192")

    /// The session as the responder has it.
    static let responderKeys = Session.Keys(
        sending: "a3109f7f0c20e0ee4b829f8bc301eb1235feb3b04ddfb7f34a5189e65a2ea192",
        receiving: "2177a14cf336f1f30ee0a4797cf26797017dae77cbea489248bc3298bea5f869")
}
