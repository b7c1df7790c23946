import CNetlink

/// What the kernel has answered so far to the requests of one send.
///
/// libnl's callbacks write here, through the pointer that they are registered with.
struct Exchange {
    /// The kernel's refusal of one request.
    struct Refusal {
        let sequence: UInt32
        let errno: CInt
        let text: String?
    }

    private(set) var isFinished = true
    private(set) var isInterrupted = false
    private(set) var refusals: [Refusal] = []
    private var receive: ((OpaquePointer) -> Void)?
    private var first: UInt32 = 1
    private var count: UInt32 = 0

    /// Takes the next sequence numbers, one for each request, and returns the first.
    mutating func begin(
        requests: Int,
        receive: ((OpaquePointer) -> Void)?
    ) -> UInt32 {
        first &+= count
        count = UInt32(requests)
        isFinished = false
        isInterrupted = false
        refusals.removeAll(keepingCapacity: true)
        self.receive = receive
        return first
    }

    mutating func end() {
        receive = nil
        isFinished = true
    }

    private func expects(_ sequence: UInt32) -> Bool { sequence &- first < count }

    /// Every request but the last is answered only by its refusal, and in order.
    private mutating func answered(_ sequence: UInt32) {
        if sequence == first &+ count &- 1 { isFinished = true }
    }

    private mutating func refused(_ header: UnsafePointer<nlmsghdr>, _ errno: CInt, _ text: Int) {
        let sequence = header.pointee.nlmsg_seq
        refusals.append(
            Refusal(sequence: sequence, errno: errno, text: Self.text(in: header, at: text))
        )
        answered(sequence)
    }

    private static func text(in header: UnsafePointer<nlmsghdr>, at offset: Int) -> String? {
        let length = Int(header.pointee.nlmsg_len)
        guard header.pointee.nlmsg_flags & UInt16(NLM_F_ACK_TLVS) != 0, offset < length else {
            return nil
        }
        let content = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(header) + offset,
            count: length - offset
        )
        for attribute in Attributes(content) where attribute.type == Int(NLMSGERR_ATTR_MSG.rawValue)
        {
            return attribute.text
        }
        return nil
    }
}

extension Exchange {
    /// Has libnl write to the exchange.
    static func listen(_ callbacks: borrowing Callbacks<Exchange>) {
        callbacks.set(NL_CB_SEQ_CHECK, checkSequence)
        callbacks.set(NL_CB_VALID, takeMessage)
        callbacks.set(NL_CB_ACK, takeAcknowledgement)
        callbacks.set(NL_CB_FINISH, takeEnd)
        callbacks.set(NL_CB_DUMP_INTR, takeInterruption)
        nl_cb_err(callbacks.raw, NL_CB_CUSTOM, takeRefusal, callbacks.state)
    }

    private static func pointer(
        _ argument: UnsafeMutableRawPointer?
    ) -> UnsafeMutablePointer<Exchange>? {
        argument?.assumingMemoryBound(to: Exchange.self)
    }

    /// Drops what is left over from an exchange that was given up.
    private static let checkSequence: MessageCallback = { message, argument in
        guard let exchange = pointer(argument), let header = nlmsg_hdr(message) else {
            return Verdict.skip
        }
        return exchange.pointee.expects(header.pointee.nlmsg_seq) ? Verdict.proceed : Verdict.skip
    }

    private static let takeMessage: MessageCallback = { message, argument in
        if let message, let receive = pointer(argument)?.pointee.receive { receive(message) }
        return Verdict.proceed
    }

    private static let takeAcknowledgement: MessageCallback = { message, argument in
        guard let header = nlmsg_hdr(message) else { return Verdict.skip }
        pointer(argument)?.pointee.answered(header.pointee.nlmsg_seq)
        return Verdict.proceed
    }

    /// The end of a dump carries an error number of its own.
    private static let takeEnd: MessageCallback = { message, argument in
        guard let header = nlmsg_hdr(message), let exchange = pointer(argument) else {
            return Verdict.skip
        }
        let size = MemoryLayout<CInt>.size
        if Int(nlmsg_datalen(header)) >= size {
            let code = nlmsg_data(header).loadUnaligned(as: CInt.self)
            if code < 0 {
                exchange.pointee.refused(header, -code, Int(nlmsg_size(CInt(size))))
                return Verdict.proceed
            }
        }
        exchange.pointee.answered(header.pointee.nlmsg_seq)
        return Verdict.proceed
    }

    private static let takeInterruption: MessageCallback = { _, argument in
        pointer(argument)?.pointee.isInterrupted = true
        return Verdict.proceed
    }

    /// The pointer is into the message, whose header comes right before.
    private static let takeRefusal:
        @convention(c) (
            UnsafeMutablePointer<sockaddr_nl>?,
            UnsafeMutablePointer<nlmsgerr>?,
            UnsafeMutableRawPointer?
        ) -> CInt = { _, error, argument in
            guard let error, let exchange = pointer(argument) else { return Verdict.skip }
            let header = (UnsafeMutableRawPointer(error) - Int(nlmsg_size(0)))
                .assumingMemoryBound(to: nlmsghdr.self)
            // Unless capped, the request that was refused stands before the explanation.
            let isCapped = header.pointee.nlmsg_flags & UInt16(NLM_F_CAPPED) != 0
            let request = isCapped ? 0 : Int(error.pointee.msg.nlmsg_len) - Int(nlmsg_size(0))
            let text = Int(nlmsg_size(CInt(MemoryLayout<nlmsgerr>.size))) + max(0, request)
            exchange.pointee.refused(header, -error.pointee.error, text)
            return Verdict.skip
        }
}
