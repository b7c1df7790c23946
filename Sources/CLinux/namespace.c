#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>

int ut_network_enter(int fd) {
    return setns(fd, CLONE_NEWNET) < 0 ? -errno : 0;
}

int ut_mounts_separate(void) {
    if (unshare(CLONE_NEWNS) < 0) return -errno;
    // Mounts of the host still come in, and none goes out.
    return mount("", "/", "none", MS_SLAVE | MS_REC, NULL) < 0 ? -errno : 0;
}

int ut_mount_bind(const char *source, const char *target) {
    return mount(source, target, "none", MS_BIND, NULL) < 0 ? -errno : 0;
}

int ut_sysfs_renew(void) {
    unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (umount2("/sys", MNT_DETACH) < 0 && errno != EINVAL) return -errno;
    if (mount("sysfs", "/sys", "sysfs", flags, NULL) == 0) return 0;
    return mount("sysfs", "/sys", "sysfs", flags | MS_RDONLY, NULL) < 0 ? -errno : 0;
}
