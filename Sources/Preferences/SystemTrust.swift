internal import LinuxSystem

/// The system's own store of certificates, as one file in PEM.
package struct SystemTrust: Sendable {
    /// Where distributions keep it.
    package static let places = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]

    /// The file, below the root where it is there, else the system's; `nil` where there is none
    /// that nobody but root or the caller may write.
    package let path: String?

    /// Looks for the store.
    package init(_ layout: FileLayout) {
        path = (Self.places.map { layout.path($0) } + Self.places).first { path in
            (try? TrustedFile.open(path)) != nil
        }
    }
}
