#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef P_PIDFD
#define P_PIDFD 3
#endif

int ut_signal_descriptor(const int *signals, size_t count) {
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++) sigaddset(&set, signals[i]);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0) return -errno;
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int ut_signal_read(int fd) {
    bool from_kernel;
    return ut_signal_read_from(fd, &from_kernel);
}

int ut_signal_read_from(int fd, bool *from_kernel) {
    struct signalfd_siginfo information;
    if (read(fd, &information, sizeof information) < 0) return -errno;
    *from_kernel = information.ssi_code == SI_KERNEL;
    return (int)information.ssi_signo;
}

bool ut_signal_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int ut_inotify_create(void) {
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

int ut_pidfd_open(pid_t pid) {
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    return fd < 0 ? -errno : fd;
}

int ut_pidfd_signal(int pidfd, int signal) {
    return syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0) < 0 ? -errno : 0;
}

int ut_pidfd_reap(int pidfd, int *status) {
    siginfo_t information = {0};
    if (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &information, WEXITED | WNOHANG) < 0) return -errno;
    if (information.si_pid == 0) return 0;
    // The form of waitpid(2): exit status in the second byte, signal in the first.
    *status = information.si_code == CLD_EXITED ? (information.si_status & 0xff) << 8
                                                : information.si_status & 0x7f;
    return 1;
}

int ut_socket_pair(int descriptors[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, descriptors) < 0 ? -errno : 0;
}

int ut_pipe(int descriptors[2]) {
    return pipe2(descriptors, O_CLOEXEC) < 0 ? -errno : 0;
}
