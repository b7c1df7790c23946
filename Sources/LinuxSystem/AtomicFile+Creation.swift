import Glibc

extension AtomicFile {
    /// Makes a file that was not there, whole from the moment that it has its name.
    ///
    /// - Throws: EEXIST where there is anything of the name, which stays as it is.
    package static func create(_ path: String, with bytes: [UInt8], mode: UInt32)
        throws(SystemError)
    {
        let (directoryPath, name) = split(path)
        let directory = try FileDescriptor.openDirectory(directoryPath)
        let temporary = temporaryName(of: name)
        let place = directory.raw
        defer { unlinkat(place, temporary, 0) }
        try write(
            bytes, as: temporary, in: place, mode: mode, group: nil, isDurable: true, calling: path)
        // Unlike rename(2), this never takes the place of another file.
        _ = try check("link", path) { linkat(place, temporary, place, name, 0) }
        _ = try check("fsync", directoryPath) { fsync(place) }
    }
}
