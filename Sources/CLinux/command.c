#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t ut_command_start(
    const char *const *argv, const int *unblocked, size_t count, unsigned mask
) {
    int told[2];
    if (pipe2(told, O_CLOEXEC) < 0) return -errno;
    // Where the caller ignores it, nobody would learn how the command ended.
    signal(SIGCHLD, SIG_DFL);
    pid_t pid = fork();
    if (pid < 0) {
        int error = errno;
        close(told[0]);
        close(told[1]);
        return -error;
    }
    if (pid == 0) {
        sigset_t set;
        sigemptyset(&set);
        for (size_t i = 0; i < count; i++) sigaddset(&set, unblocked[i]);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        signal(SIGPIPE, SIG_DFL);
        umask((mode_t)mask);
        execvp(argv[0], (char *const *)argv);
        int error = errno;
        while (write(told[1], &error, sizeof error) < 0 && errno == EINTR) continue;
        _exit(127);
    }
    close(told[1]);
    int error = 0;
    ssize_t length;
    do length = read(told[0], &error, sizeof error);
    while (length < 0 && errno == EINTR);
    close(told[0]);
    if (length != sizeof error) return pid;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return -error;
}
