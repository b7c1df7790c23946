#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>

// What one message may carry beside its bytes: the size of the segments and
// the local address of it.
union datagram_control {
    char bytes[CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
    struct cmsghdr alignment;
};

union datagram_name {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t put_name(union datagram_name *name, const struct ut_datagram *datagram) {
    memset(name, 0, sizeof *name);
    if (datagram->is_v6) {
        name->v6.sin6_family = AF_INET6;
        name->v6.sin6_port = htons(datagram->port);
        name->v6.sin6_scope_id = datagram->scope;
        memcpy(&name->v6.sin6_addr, datagram->remote, 16);
        return sizeof name->v6;
    }
    name->v4.sin_family = AF_INET;
    name->v4.sin_port = htons(datagram->port);
    memcpy(&name->v4.sin_addr, datagram->remote, 4);
    return sizeof name->v4;
}

static void get_name(struct ut_datagram *datagram, const union datagram_name *name) {
    datagram->is_v6 = name->v4.sin_family == AF_INET6;
    if (datagram->is_v6) {
        datagram->port = ntohs(name->v6.sin6_port);
        datagram->scope = name->v6.sin6_scope_id;
        memcpy(datagram->remote, &name->v6.sin6_addr, 16);
    } else {
        datagram->port = ntohs(name->v4.sin_port);
        memcpy(datagram->remote, &name->v4.sin_addr, 4);
    }
}

static size_t put_control(union datagram_control *control, const struct ut_datagram *datagram) {
    struct msghdr message = {.msg_control = control->bytes, .msg_controllen = sizeof *control};
    struct cmsghdr *header = (struct cmsghdr *)control->bytes;
    size_t length = 0;
    memset(control, 0, sizeof *control);
    if (datagram->segment) {
        header->cmsg_level = SOL_UDP;
        header->cmsg_type = UDP_SEGMENT;
        header->cmsg_len = CMSG_LEN(sizeof datagram->segment);
        memcpy(CMSG_DATA(header), &datagram->segment, sizeof datagram->segment);
        length += CMSG_SPACE(sizeof datagram->segment);
        header = CMSG_NXTHDR(&message, header);
    }
    if (!datagram->has_local) return length;
    if (datagram->is_v6) {
        struct in6_pktinfo info = {.ipi6_ifindex = datagram->scope};
        memcpy(&info.ipi6_addr, datagram->local, 16);
        header->cmsg_level = IPPROTO_IPV6;
        header->cmsg_type = IPV6_PKTINFO;
        header->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(header), &info, sizeof info);
        return length + CMSG_SPACE(sizeof info);
    }
    struct in_pktinfo info = {.ipi_ifindex = 0};
    memcpy(&info.ipi_spec_dst, datagram->local, 4);
    header->cmsg_level = IPPROTO_IP;
    header->cmsg_type = IP_PKTINFO;
    header->cmsg_len = CMSG_LEN(sizeof info);
    memcpy(CMSG_DATA(header), &info, sizeof info);
    return length + CMSG_SPACE(sizeof info);
}

static void get_control(struct ut_datagram *datagram, struct msghdr *message) {
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level == SOL_UDP && header->cmsg_type == UDP_GRO) {
            int segment;
            memcpy(&segment, CMSG_DATA(header), sizeof segment);
            datagram->segment = (uint16_t)segment;
        } else if (header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_PKTINFO) {
            struct in_pktinfo info;
            memcpy(&info, CMSG_DATA(header), sizeof info);
            memcpy(datagram->local, &info.ipi_spec_dst, 4);
            datagram->has_local = true;
        } else if (header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_PKTINFO) {
            struct in6_pktinfo info;
            memcpy(&info, CMSG_DATA(header), sizeof info);
            memcpy(datagram->local, &info.ipi6_addr, 16);
            datagram->has_local = true;
        }
    }
}

/// What sendmmsg(2) and recvmmsg(2) take for a number of messages.
struct batch {
    struct mmsghdr messages[UT_MOST_DATAGRAMS];
    struct iovec vectors[UT_MOST_DATAGRAMS];
    union datagram_name names[UT_MOST_DATAGRAMS];
    union datagram_control controls[UT_MOST_DATAGRAMS];
};

// Not zeroed as a whole: that would cost more than many of the calls.
static struct msghdr *put_message(struct batch *batch, unsigned i,
                                  const struct ut_datagram *datagram) {
    struct msghdr *message = &batch->messages[i].msg_hdr;
    memset(message, 0, sizeof *message);
    batch->vectors[i] = (struct iovec){datagram->bytes, datagram->length};
    message->msg_iov = &batch->vectors[i];
    message->msg_iovlen = 1;
    message->msg_name = &batch->names[i];
    return message;
}

int ut_datagrams_send(int fd, const struct ut_datagram *datagrams, unsigned count) {
    struct batch batch;
    if (count > UT_MOST_DATAGRAMS) count = UT_MOST_DATAGRAMS;
    for (unsigned i = 0; i < count; i++) {
        struct msghdr *message = put_message(&batch, i, &datagrams[i]);
        message->msg_namelen = put_name(&batch.names[i], &datagrams[i]);
        if (datagrams[i].segment || datagrams[i].has_local) {
            message->msg_controllen = put_control(&batch.controls[i], &datagrams[i]);
            message->msg_control = batch.controls[i].bytes;
        }
    }
    int sent = sendmmsg(fd, batch.messages, count, MSG_NOSIGNAL);
    return sent < 0 ? -errno : sent;
}

int ut_datagrams_receive(int fd, struct ut_datagram *datagrams, unsigned count) {
    struct batch batch;
    if (count > UT_MOST_DATAGRAMS) count = UT_MOST_DATAGRAMS;
    for (unsigned i = 0; i < count; i++) {
        struct msghdr *message = put_message(&batch, i, &datagrams[i]);
        message->msg_namelen = sizeof batch.names[i];
        message->msg_control = batch.controls[i].bytes;
        message->msg_controllen = sizeof batch.controls[i];
    }
    int received = recvmmsg(fd, batch.messages, count, MSG_DONTWAIT, NULL);
    if (received < 0) return -errno;
    for (int i = 0; i < received; i++) {
        struct ut_datagram *datagram = &datagrams[i];
        struct msghdr *message = &batch.messages[i].msg_hdr;
        // A message that did not fit is no message of any protocol served here.
        datagram->length = message->msg_flags & MSG_TRUNC ? 0 : batch.messages[i].msg_len;
        datagram->segment = 0;
        datagram->has_local = false;
        datagram->scope = 0;
        memset(datagram->remote, 0, sizeof datagram->remote);
        memset(datagram->local, 0, sizeof datagram->local);
        get_name(datagram, &batch.names[i]);
        get_control(datagram, message);
    }
    return received;
}

int ut_socket_family(int fd) {
    int family;
    socklen_t length = sizeof family;
    if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &length) < 0) return -errno;
    return family;
}

int ut_datagrams_tell_local(int fd) {
    int on = 1, family = ut_socket_family(fd);
    if (family < 0) return family;
    int failure = family == AF_INET6
        ? setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on)
        : setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
    return failure < 0 ? -errno : 0;
}

int ut_datagrams_coalesce(int fd) {
    int on = 1;
    return setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof on) < 0 ? -errno : 0;
}

int ut_socket_port(int fd) {
    union datagram_name name;
    socklen_t length = sizeof name;
    if (getsockname(fd, (struct sockaddr *)&name, &length) < 0) return -errno;
    return ntohs(name.v4.sin_family == AF_INET6 ? name.v6.sin6_port : name.v4.sin_port);
}
