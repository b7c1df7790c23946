// What Swift cannot import from Linux, as whole operations. Every function
// returns a value or -errno; none of them logs or keeps state.
#ifndef CLINUX_H
#define CLINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/random.h>
#include <sys/types.h>

// TUN (tun.c): TUNSETIFF is a macro over a union that Swift refuses to import.

/// The longest interface name, without its final zero.
#define UT_INTERFACE_NAME_LENGTH 15

/// Opens /dev/net/tun or whatever `device` names; returns the descriptor.
int ut_tun_open(const char *device);

/// Makes one more queue or the interface itself on `fd`. `name` has room for
/// UT_INTERFACE_NAME_LENGTH + 1 bytes, may hold one "%d", and receives the
/// name that the kernel chose. An existing interface is EBUSY.
int ut_tun_create(int fd, char *name, bool multi_queue, bool vnet_header);

/// Attaches `fd` as a further queue of the multi-queue interface `name`.
int ut_tun_attach_queue(int fd, const char *name, bool vnet_header);

/// What a queue with IFF_VNET_HDR may be handed: TUNSETOFFLOAD.
enum ut_tun_offload {
    UT_TUN_CHECKSUM, ///< unfinished checksums
    UT_TUN_TCP,      ///< and TCP packets to be cut, of both families
    UT_TUN_TCP_UDP   ///< and UDP packets to be cut (since Linux 6.2)
};
int ut_tun_set_offload(int fd, enum ut_tun_offload offload);

// Descriptors (descriptor.c): variadic fcntl with structures, ancillary data.

/// Takes an open-file-description write lock on the whole file without
/// waiting: F_OFD_SETLK. EAGAIN when another holds it.
int ut_file_lock(int fd);

/// Asks whether another open file description holds the write lock of the
/// file: F_OFD_GETLK. 1 held, 0 free; takes nothing. A read lock, which takes
/// no more than permission to read, does not count.
int ut_file_lock_is_held(int fd);

/// Opens a file as far as running or naming it needs: O_PATH.
int ut_path_open(const char *path);

/// A file that is nowhere but in memory, close-on-exec: memfd_create(2).
int ut_memory_file(const char *name);

/// Writes all that waits for the file system of an open file to its disk: syncfs(2).
int ut_file_system_sync(int fd);

/// Sends `length` bytes with `count` descriptors on the first of them.
ssize_t ut_socket_send(int fd, const void *bytes, size_t length,
                       const int *descriptors, size_t count);

/// Receives bytes and up to `*count` descriptors (close-on-exec); stores how
/// many came. Descriptors beyond the room are closed; with no room none is made.
ssize_t ut_socket_receive(int fd, void *bytes, size_t length,
                          int *descriptors, size_t *count);

/// Lets nobody send descriptors to a unix socket, nor to those that it accepts:
/// SO_PASSRIGHTS. Before Linux 6.16 this does nothing.
void ut_socket_refuse_descriptors(int fd);

/// Fills in process, user and group of the peer of a unix socket: SO_PEERCRED.
int ut_socket_peer(int fd, pid_t *pid, uid_t *uid, gid_t *gid);

/// Makes a unix stream socket, close-on-exec; non-blocking on request.
int ut_unix_socket(int type, bool nonblocking);

/// Binds or connects a unix socket to the path `name` inside the directory
/// `directory` (through /proc/self/fd, so that the length of the directory's
/// own path does not count against sun_path). `name` alone when directory < 0.
int ut_unix_bind(int fd, int directory, const char *name);
int ut_unix_connect(int fd, int directory, const char *name);

/// Accepts a connection, close-on-exec and non-blocking.
int ut_unix_accept(int fd);

/// Makes a socket to the outside: marked, buffers set, owned by `uid` (by
/// setfsuid while it is made), bound to `port`.
int ut_outside_socket(int family, int type, uint32_t mark, uid_t uid,
                      uint16_t port, int buffer_bytes);

/// The MTU of the way of packets to an address in network order, four bytes of
/// it for IPv4, with a mark or 0: IP_MTU of a connected socket, which sends nothing.
int ut_path_mtu(int family, const uint8_t *address, uint32_t mark);

// Datagrams (datagram.c): several messages a call, each of them perhaps many
// datagrams of equal size (UDP_SEGMENT, UDP_GRO), with ancillary data.

/// The most messages of one call.
#define UT_MOST_DATAGRAMS 16

/// A UDP message and where it comes from or goes to.
struct ut_datagram {
    void *bytes;
    uint32_t length;   ///< before receiving, the room; 0 afterwards: too long for it
    uint32_t scope;    ///< of a link-local IPv6 address
    uint8_t remote[16]; ///< network order, the first four bytes of it for IPv4
    uint8_t local[16];
    uint16_t port;     ///< of the remote end
    uint16_t segment;  ///< the bytes of each datagram but the last; 0: there is one
    bool is_v6;
    bool has_local;    ///< `local` is known, or is to be sent from
};

/// Sends messages in order: sendmmsg(2). How many were sent, or -errno of the
/// first.
int ut_datagrams_send(int fd, const struct ut_datagram *datagrams, unsigned count);
/// Receives what waits: recvmmsg(2). How many came, or -errno.
int ut_datagrams_receive(int fd, struct ut_datagram *datagrams, unsigned count);
/// Lets received messages tell the local address: IP_PKTINFO.
int ut_datagrams_tell_local(int fd);
/// Lets the kernel hand over several datagrams as one message: UDP_GRO.
int ut_datagrams_coalesce(int fd);
/// AF_INET or AF_INET6.
int ut_socket_family(int fd);
/// The local port.
int ut_socket_port(int fd);

// Waiting (wait.c).

/// A signalfd for the set of signals in `signals`, which are blocked.
int ut_signal_descriptor(const int *signals, size_t count);
/// The number of one pending signal of a signalfd, or -EAGAIN.
int ut_signal_read(int fd);
/// As ut_signal_read, and whether the kernel itself sent it: as the terminal does,
/// to all processes of a job.
int ut_signal_read_from(int fd, bool *from_kernel);
/// Whether the process ignores a signal.
bool ut_signal_is_ignored(int signal);
/// An inotify descriptor, non-blocking.
/// A descriptor that becomes readable when the wall clock is set or the system has slept.
int ut_clock_watch_create(void);
/// Takes what has come from it.
int ut_clock_watch_drain(int fd);

int ut_inotify_create(void);
/// A pidfd of a process: pidfd_open(2).
int ut_pidfd_open(pid_t pid);
/// Sends a signal through a pidfd: pidfd_send_signal(2).
int ut_pidfd_signal(int pidfd, int signal);
/// Reaps the process behind a pidfd if it has ended. 1 when reaped (status in
/// waitpid(2) form in `*status`), 0 when it still runs.
int ut_pidfd_reap(int pidfd, int *status);
/// Two connected unix stream sockets, close-on-exec: socketpair(2).
int ut_socket_pair(int descriptors[2]);
/// A pipe, close-on-exec: pipe2(2).
int ut_pipe(int descriptors[2]);

// Processes (spawn.c): clone and exec with everything that comes between.

/// How a child is started.
struct ut_spawn {
    int executable;            ///< O_PATH descriptor, run by execveat(2)
    const char *const *argv;   ///< ends with NULL
    const char *const *envp;   ///< ends with NULL
    const int *descriptors;    ///< in the child: 0, 1, 2, 3 …; -1 is /dev/null
    size_t descriptor_count;   ///< at least 3
    bool new_session;          ///< setsid(2)
    bool keep_executable_open; ///< for scripts, which the interpreter opens again
    bool isolate;              ///< namespaces, user, no capabilities; see below
    bool isolate_network;      ///< a network namespace of its own, with isolate
    bool change_user;          ///< with isolate
    uid_t uid;
    gid_t gid;
    int liveness;              ///< with isolate: child ends if this has hung up
    uint64_t open_files;       ///< RLIMIT_NOFILE, 0 to keep
    uint64_t locked_memory;    ///< at least so much for RLIMIT_MEMLOCK, in bytes
};

/// Where a child failed before exec.
enum ut_spawn_stage {
    UT_SPAWN_CLONE, UT_SPAWN_DESCRIPTORS, UT_SPAWN_PRIVILEGES, UT_SPAWN_PARENT, UT_SPAWN_EXEC
};

/// Starts a child from the main thread; returns its pid and stores a pidfd.
/// On failure -errno, and the stage in `*stage`.
pid_t ut_spawn(const struct ut_spawn *how, int *pidfd, enum ut_spawn_stage *stage);

// A command of the user's (command.c).

/// Starts a program, looked for as a shell does, with all that the caller has, but for the
/// signals in `unblocked`, which are not blocked, and for the file mode creation mask.
/// Its pid, or -errno where it cannot be run.
pid_t ut_command_start(
    const char *const *argv, const int *unblocked, size_t count, unsigned mask);

// Namespaces (namespace.c): of the calling thread, which has to be the only one.

/// Enters the network namespace that a descriptor leads to: setns(2).
int ut_network_enter(int fd);
/// Takes a mount namespace of its own, whose mounts nobody else sees: unshare(2).
int ut_mounts_separate(void);
/// Lets a file or directory be seen at another path too: a bind mount.
int ut_mount_bind(const char *source, const char *target);
/// Lets /sys show the network namespace that this process is in.
int ut_sysfs_renew(void);

/// Ends the process by a real fault, which also works for PID 1 of a namespace:
/// SIGSEGV, SIGBUS, anything else as an illegal instruction (SIGILL).
void ut_fault(int signal);

/// The short name of a signal, such as "TERM"; NULL for none.
const char *ut_signal_name(int signal);

/// Lets this process have at least so many descriptors, as far as it may.
void ut_open_files_raise(uint64_t value);

/// Makes the process non-dumpable: no core, no ptrace by its own user.
int ut_process_protect(void);

/// Leaves the process nothing but its memory and the descriptors that it has, and of memory and
/// processor time no more than this: no descriptor is opened any more, so no file and no socket.
int ut_process_confine(uint64_t memory, uint64_t seconds);

/// Whether the effective set holds capability number `capability`: capget(2).
int ut_capability_is_effective(int capability);

/// Lets go of the program's code and constants in memory (memory.c): what is
/// needed again comes back from the page cache. After a start that did much
/// which is never done again, this is most of them.
void ut_program_release(void);

/// The uid of a user or gid of a group by name: getpwnam_r, getgrnam_r.
/// -ENOENT where there is none.
int64_t ut_user_id(const char *name, gid_t *group);
int64_t ut_group_id(const char *name);

/// Whether the running program was given privileges by its file: AT_SECURE.
bool ut_is_secure_execution(void);

#endif
