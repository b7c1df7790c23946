#include "CLinux.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int ut_clock_watch_create(void) {
    int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) return -errno;
    // Never due: all that comes is word of a clock that was set, or went on during sleep.
    struct itimerspec never;
    memset(&never, 0, sizeof never);
    never.it_value.tv_sec = (time_t)1 << 33;
    if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) < 0) {
        int failure = -errno;
        close(fd);
        return failure;
    }
    return fd;
}

int ut_clock_watch_drain(int fd) {
    uint64_t count;
    if (read(fd, &count, sizeof count) >= 0 || errno == ECANCELED || errno == EAGAIN) return 0;
    return -errno;
}
