#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <string.h>
#include <sys/ioctl.h>

int ut_tun_open(const char *device) {
    // O_CLOEXEC: a child that inherits it keeps the interface alive.
    int fd = open(device, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

static int set_interface(int fd, const char *name, short flags, char *chosen) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    if (strlen(name) > UT_INTERFACE_NAME_LENGTH) return -ENAMETOOLONG;
    strcpy(request.ifr_name, name);
    request.ifr_flags = flags;
    if (ioctl(fd, TUNSETIFF, &request) < 0) return -errno;
    if (chosen) {
        memcpy(chosen, request.ifr_name, UT_INTERFACE_NAME_LENGTH);
        chosen[UT_INTERFACE_NAME_LENGTH] = 0;
    }
    return 0;
}

static short tun_flags(bool multi_queue, bool vnet_header) {
    int flags = IFF_TUN | IFF_NO_PI;
    if (multi_queue) flags |= IFF_MULTI_QUEUE;
    if (vnet_header) flags |= IFF_VNET_HDR;
    return (short)flags;
}

int ut_tun_create(int fd, char *name, bool multi_queue, bool vnet_header) {
    // IFF_TUN_EXCL: never attach to an interface that somebody else made.
    return set_interface(fd, name, (short)(tun_flags(multi_queue, vnet_header) | IFF_TUN_EXCL), name);
}

int ut_tun_attach_queue(int fd, const char *name, bool vnet_header) {
    return set_interface(fd, name, tun_flags(true, vnet_header), NULL);
}

// Linux 6.2, newer than Debian 12's headers.
#ifndef TUN_F_USO4
#define TUN_F_USO4 0x20
#define TUN_F_USO6 0x40
#endif

int ut_tun_set_offload(int fd, enum ut_tun_offload offload) {
    unsigned long flags = TUN_F_CSUM;
    if (offload >= UT_TUN_TCP) flags |= TUN_F_TSO4 | TUN_F_TSO6 | TUN_F_TSO_ECN;
    if (offload >= UT_TUN_TCP_UDP) flags |= TUN_F_USO4 | TUN_F_USO6;
    return ioctl(fd, TUNSETOFFLOAD, flags) < 0 ? -errno : 0;
}
