import Glibc
import KernelNetwork
import Testing

@Suite struct NetlinkErrorTests {
    @Test(
        arguments: [
            (
                "deleting the link", "utun0", EPERM, nil,
                "deleting the link utun0: Operation not permitted"
            ),
            (
                "changing the link", "utun0", EINVAL, "mtu greater than device maximum",
                "changing the link utun0: Invalid argument (mtu greater than device maximum)"
            ),
            ("reading the links", "", ENOBUFS, nil, "reading the links: No buffer space available"),
        ] as [(String, String, CInt, String?, String)])
    func isOneSentence(
        operation: String,
        subject: String,
        errno: CInt,
        kernelText: String?,
        sentence: String
    ) {
        let error = NetlinkError(
            operation: operation,
            subject: subject,
            errno: errno,
            kernelText: kernelText
        )
        #expect(error.description == sentence)
    }
}
