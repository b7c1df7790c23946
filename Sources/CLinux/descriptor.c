#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct flock whole_file(void) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

int ut_file_lock(int fd) {
    struct flock lock = whole_file();
    return fcntl(fd, F_OFD_SETLK, &lock) < 0 ? -errno : 0;
}

int ut_file_lock_is_held(int fd) {
    struct flock lock = whole_file();
    // A read lock is in nobody's way who asks for a read lock.
    lock.l_type = F_RDLCK;
    if (fcntl(fd, F_OFD_GETLK, &lock) < 0) return -errno;
    return lock.l_type != F_UNLCK;
}

int ut_memory_file(const char *name) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int ut_path_open(const char *path) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int ut_file_system_sync(int fd) {
    return syncfs(fd) < 0 ? -errno : 0;
}

enum { MOST_DESCRIPTORS = 16 };

union control {
    char bytes[CMSG_SPACE(sizeof(int) * MOST_DESCRIPTORS)];
    struct cmsghdr alignment;
};

ssize_t ut_socket_send(int fd, const void *bytes, size_t length,
                       const int *descriptors, size_t count) {
    if (count > MOST_DESCRIPTORS) return -EINVAL;
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = length};
    union control control;
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (count > 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
    }
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
}

ssize_t ut_socket_receive(int fd, void *bytes, size_t length,
                          int *descriptors, size_t *count) {
    size_t room = *count;
    *count = 0;
    struct iovec vector = {.iov_base = bytes, .iov_len = length};
    union control control;
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (room > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control;
    }
    ssize_t received = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (received < 0) return -errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t came = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < came; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + i * sizeof(int), sizeof descriptor);
            if (*count < room) descriptors[(*count)++] = descriptor;
            else close(descriptor);
        }
    }
    return received;
}

// Linux 6.16; the number of all architectures but those of which nobody has one.
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

void ut_socket_refuse_descriptors(int fd) {
    int pass = 0;
    setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &pass, sizeof pass);
}

int ut_socket_peer(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -errno;
    *pid = peer.pid;
    *uid = peer.uid;
    *gid = peer.gid;
    return 0;
}

int ut_unix_socket(int type, bool nonblocking) {
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
    return fd < 0 ? -errno : fd;
}

static int unix_address(struct sockaddr_un *address, int directory, const char *name) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    int length = directory < 0
        ? snprintf(address->sun_path, sizeof address->sun_path, "%s", name)
        : snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s",
                   directory, name);
    return length >= (int)sizeof address->sun_path ? -ENAMETOOLONG : 0;
}

int ut_unix_bind(int fd, int directory, const char *name) {
    struct sockaddr_un address;
    int failure = unix_address(&address, directory, name);
    if (failure) return failure;
    return bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

int ut_unix_connect(int fd, int directory, const char *name) {
    struct sockaddr_un address;
    int failure = unix_address(&address, directory, name);
    if (failure) return failure;
    // An abstract name (systemd may hand one out) starts with '@'.
    socklen_t length = sizeof address;
    if (directory < 0 && name[0] == '@') {
        address.sun_path[0] = 0;
        length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    }
    return connect(fd, (struct sockaddr *)&address, length) < 0 ? -errno : 0;
}

int ut_unix_accept(int fd) {
    int connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return connection < 0 ? -errno : connection;
}

static int bind_outside(int fd, int family, uint16_t port) {
    if (family == AF_INET6) {
        int only = 1;
        if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) < 0) return -errno;
        struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
        return bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    return bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

static int prepare_outside(int fd, int family, uint32_t mark, uint16_t port, int buffer_bytes) {
    if (setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof mark) < 0) return -errno;
    if (buffer_bytes > 0) {
        // The FORCE forms need CAP_NET_ADMIN and pass the sysctl limit; where
        // they are refused, the limit has to do.
        if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes) < 0)
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, sizeof buffer_bytes);
        if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer_bytes, sizeof buffer_bytes) < 0)
            setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof buffer_bytes);
    }
    return bind_outside(fd, family, port);
}

int ut_outside_socket(int family, int type, uint32_t mark, uid_t uid,
                      uint16_t port, int buffer_bytes) {
    // The kernel takes a socket's owner (meta skuid) from the fsuid that made it.
    int former = setfsuid(uid);
    int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int failure = fd < 0 ? -errno : 0;
    setfsuid((uid_t)former);
    if (failure) return failure;
    failure = prepare_outside(fd, family, mark, port, buffer_bytes);
    if (failure) {
        close(fd);
        return failure;
    }
    return fd;
}

static int connected_mtu(int fd, int family, const uint8_t *address) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(9)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(9)};
    memcpy(&v4.sin_addr, address, sizeof v4.sin_addr);
    if (family == AF_INET6) memcpy(&v6.sin6_addr, address, sizeof v6.sin6_addr);
    const struct sockaddr *target =
        family == AF_INET6 ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4;
    if (connect(fd, target, family == AF_INET6 ? sizeof v6 : sizeof v4) < 0) return -errno;
    int mtu = 0;
    socklen_t length = sizeof mtu;
    int level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
    int option = family == AF_INET6 ? IPV6_MTU : IP_MTU;
    return getsockopt(fd, level, option, &mtu, &length) < 0 ? -errno : mtu;
}

int ut_path_mtu(int family, const uint8_t *address, uint32_t mark) {
    int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    int result = 0;
    if (mark && setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof mark) < 0) result = -errno;
    if (!result) result = connected_mtu(fd, family, address);
    close(fd);
    return result;
}
