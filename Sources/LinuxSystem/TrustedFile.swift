import CLinux
import Glibc

/// Files that decide about privileges: read only where nobody else could have written them.
package enum TrustedFile {
    /// Why a file is not read.
    package enum Failure: Error, Equatable, Sendable {
        case system(SystemError)
        /// It is there, but its owner, mode or type is wrong.
        case unsafe(path: String, problem: String)

        /// What is wrong, on one line.
        package var text: String {
            switch self {
            case .system(let error): error.text
            case .unsafe(let path, let problem): "\(path): \(problem)"
            }
        }

        /// What is wrong, without the path.
        package var problem: String {
            switch self {
            case .system(let error): error.reason
            case .unsafe(_, let problem): problem
            }
        }
    }

    /// Opens an executable as far as running it needs (O_PATH).
    ///
    /// It must be a regular file with an execute bit that belongs to root or the caller and
    /// that nobody else may write.
    package static func openExecutable(_ path: String) throws(Failure) -> FileDescriptor {
        let file: FileDescriptor
        do throws(SystemError) {
            file = FileDescriptor(taking: try checkShim("open", path) { ut_path_open(path) })
        } catch {
            throw .system(error)
        }
        let status: stat
        do throws(SystemError) { status = try file.status(path) } catch { throw .system(error) }
        if let problem = problem(of: status, limitingMode: 0o022, type: S_IFREG) {
            throw .unsafe(path: path, problem: problem)
        }
        if status.st_mode & 0o111 == 0 { throw .unsafe(path: path, problem: "not executable") }
        return file
    }

    /// Opens the running program itself, so that a child is sure to be the same.
    package static func openSelf() throws(SystemError) -> FileDescriptor {
        let path = "/proc/self/exe"
        return FileDescriptor(taking: try checkShim("open", path) { ut_path_open(path) })
    }

    /// The first directory on the way to a file that this user may not search; `nil` when
    /// there is none.
    package static func blockingComponent(of path: String) -> String? {
        var directory = ""
        for component in path.split(separator: "/").dropLast() {
            directory += "/\(component)"
            if access(directory, X_OK) == -1, errno == EACCES { return directory }
        }
        return nil
    }

    /// What is wrong with the type of what a path leads to, symbolic links not followed; `nil`
    /// for a regular file, and where there is nothing to be seen.
    ///
    /// Told before it is opened: opening a device may do something, and a socket cannot be.
    package static func problem(ofTypeAt path: String) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let type =
            switch status.st_mode & S_IFMT {
            case S_IFREG: nil as String?
            case S_IFLNK: "a symbolic link, which is not followed"
            case S_IFDIR: "a directory"
            case S_IFIFO: "a FIFO"
            case S_IFSOCK: "a socket"
            default: "a device"
            }
        return type.map { "not a regular file: \($0)" }
    }

    /// Opens a regular file that belongs to root or the caller and that neither its group
    /// nor others may write; the check is made on the open descriptor.
    package static func open(_ path: String, flags: CInt = O_RDONLY, limitingMode: UInt32 = 0o022)
        throws(Failure) -> FileDescriptor
    {
        let file = try openUnchecked(path, flags)
        let problem: String?
        do throws(SystemError) {
            problem = Self.problem(
                of: try file.status(path), limitingMode: limitingMode, type: S_IFREG)
        } catch {
            throw .system(error)
        }
        if let problem { throw .unsafe(path: path, problem: problem) }
        return file
    }

    private static func openUnchecked(_ path: String, _ flags: CInt) throws(Failure)
        -> FileDescriptor
    {
        // O_NONBLOCK: a FIFO in its place must not hold us up.
        do { return try FileDescriptor.open(path, flags | O_NONBLOCK | O_NOCTTY) } catch {
            throw .system(error)
        }
    }

    /// Reads such a file whole.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        let file = try open(path)
        do { return try file.readAll(limit: limit, path) } catch { throw .system(error) }
    }

    /// What is wrong with a directory that holds such files; `nil` when nothing is, or when
    /// it is not there.
    package static func problem(ofDirectory path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return problem(of: status, limitingMode: 0o022, type: S_IFDIR)
    }

    private static func problem(of status: stat, limitingMode: UInt32, type: mode_t) -> String? {
        if status.st_mode & S_IFMT != type {
            return type == S_IFDIR ? "not a directory" : "not a regular file"
        }
        let isSticky = status.st_mode & S_ISVTX != 0 && type == S_IFDIR
        if status.st_uid != 0, status.st_uid != geteuid() {
            return "belongs to uid \(status.st_uid), not to root or the caller"
        }
        if status.st_mode & limitingMode != 0, !isSticky {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            return limitingMode & 0o044 != 0
                ? "mode 0\(mode) lets others read or write it"
                : "mode 0\(mode) lets others write it"
        }
        return nil
    }
}
