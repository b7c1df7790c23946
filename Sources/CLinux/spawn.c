#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct failure {
    enum ut_spawn_stage stage;
    int error;
};

static int set_limit(int resource, rlim_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0) return -errno;
    rlim_t hard = limit.rlim_max;
    limit.rlim_cur = value;
    if (resource == RLIMIT_CORE || (hard != RLIM_INFINITY && value > hard)) limit.rlim_max = value;
    if (setrlimit(resource, &limit) == 0) return 0;
    // Raising the hard limit takes CAP_SYS_RESOURCE; what is allowed must do.
    if (errno != EPERM) return -errno;
    limit.rlim_cur = limit.rlim_max = hard;
    return setrlimit(resource, &limit) < 0 ? -errno : 0;
}

static void raise_limit(int resource, rlim_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur < value) set_limit(resource, value);
}

void ut_open_files_raise(uint64_t value) { raise_limit(RLIMIT_NOFILE, value); }

static int close_range_of(unsigned first, unsigned last) {
    if (first > last) return 0;
    return syscall(SYS_close_range, first, last, 0) < 0 ? -errno : 0;
}

static int close_all_but(unsigned first, unsigned one, unsigned other) {
    unsigned low = one < other ? one : other;
    unsigned high = one < other ? other : one;
    int failure = close_range_of(first, low - 1);
    if (!failure) failure = close_range_of(low + 1, high - 1);
    return failure ? failure : close_range_of(high + 1, ~0U);
}

// Moves every descriptor out of the way of the target numbers, then into
// place: a source may itself be one of the numbers that are filled.
static int place_descriptors(const struct ut_spawn *how, int report, int *executable,
                             int *report_after) {
    int floor = (int)how->descriptor_count;
    int moved[how->descriptor_count];
    int null = -1;
    for (size_t i = 0; i < how->descriptor_count; i++) {
        int source = how->descriptors[i];
        if (source < 0) {
            if (null < 0) null = open("/dev/null", O_RDWR | O_CLOEXEC);
            if (null < 0) return -errno;
            source = null;
        }
        moved[i] = fcntl(source, F_DUPFD_CLOEXEC, floor);
        if (moved[i] < 0) return -errno;
    }
    *executable = fcntl(how->executable, F_DUPFD_CLOEXEC, floor);
    if (*executable < 0) return -errno;
    int moved_report = fcntl(report, F_DUPFD_CLOEXEC, floor);
    if (moved_report < 0) return -errno;
    *report_after = moved_report;
    for (size_t i = 0; i < how->descriptor_count; i++)
        if (dup2(moved[i], (int)i) < 0) return -errno;
    // Now and not by exec: a copy of the parent's end of the channel would keep that from
    // hanging up when the parent goes.
    int failure = close_all_but((unsigned)floor, (unsigned)*executable, (unsigned)moved_report);
    if (failure) return failure;
    if (how->keep_executable_open && fcntl(*executable, F_SETFD, 0) < 0) return -errno;
    return 0;
}

// The system calls themselves: glibc's functions would have every thread follow that it
// believes to exist, under a lock that another thread of the parent may have held when the
// child was made.
#if defined SYS_setresuid32
enum { SETGROUPS = SYS_setgroups32, SETRESGID = SYS_setresgid32, SETRESUID = SYS_setresuid32 };
#else
enum { SETGROUPS = SYS_setgroups, SETRESGID = SYS_setresgid, SETRESUID = SYS_setresuid };
#endif

static int change_user(uid_t uid, gid_t gid) {
    if (syscall(SETGROUPS, 0, NULL) < 0) return -errno;
    if (syscall(SETRESGID, gid, gid, gid) < 0) return -errno;
    return syscall(SETRESUID, uid, uid, uid) < 0 ? -errno : 0;
}

static int drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

// The order matters: each step needs a privilege that a later one gives up.
static int drop_privileges(const struct ut_spawn *how) {
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
        if (prctl(PR_CAPBSET_DROP, capability) < 0 && errno != EPERM) return -errno;
    int failure = how->change_user ? change_user(how->uid, how->gid) : 0;
    if (failure) return failure;
    failure = drop_capabilities();
    if (failure) return failure;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
    failure = set_limit(RLIMIT_CORE, 0);
    if (failure) return failure;
    return prctl(PR_SET_DUMPABLE, 0) < 0 ? -errno : 0;
}

#if defined __x86_64__
#define NATIVE_ARCHITECTURE AUDIT_ARCH_X86_64
#define OTHER_ARCHITECTURE AUDIT_ARCH_I386
enum { NATIVE_PRCTL = 157, OTHER_PRCTL = 172 };
#elif defined __aarch64__
#define NATIVE_ARCHITECTURE AUDIT_ARCH_AARCH64
#define OTHER_ARCHITECTURE AUDIT_ARCH_ARM
enum { NATIVE_PRCTL = 167, OTHER_PRCTL = 172 };
#endif

// A process may take back its own PDEATHSIG, and would then outlive its host: a filter lets
// it ask for SIGKILL and nothing else. Kernels without filters, and processors that are not
// named here, have to do without.
static int keep_death_signal(void) {
#ifdef NATIVE_ARCHITECTURE
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCHITECTURE, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OTHER_ARCHITECTURE, 3, 9),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        // Without the bit of x32, which has the numbers of x86-64.
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~0x40000000U),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_PRCTL, 2, 6),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OTHER_PRCTL, 0, 4),
        // Both processors are little-endian: the half that counts comes first.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PDEATHSIG, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGKILL, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
    // SPEC_ALLOW: a filter is no reason to slow down what a provider computes.
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
                &filter) < 0 && errno != EINVAL && errno != ENOSYS)
        return -errno;
#endif
    return 0;
}

// After PR_SET_PDEATHSIG the parent may already be gone: its end of the
// channel has then hung up, which is the only sign inside a PID namespace.
static int bind_to_parent(int liveness) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return -errno;
    int failure = keep_death_signal();
    if (failure) return failure;
    struct pollfd channel = {.fd = liveness, .events = POLLIN};
    if (poll(&channel, 1, 0) < 0) return -errno;
    return channel.revents & (POLLHUP | POLLERR) ? -ESRCH : 0;
}

// By the system call: glibc's sigaction does not touch the two signals it keeps for itself,
// which some programs (make among them) hand on ignored.
static void reset_signals(void) {
    // All zero is SIG_DFL without flags in the kernel's structure, whatever its layout.
    uint64_t action[4] = {0};
    for (int signal = 1; signal < NSIG; signal++)
        syscall(SYS_rt_sigaction, signal, action, NULL, sizeof(uint64_t));
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static struct failure become(const struct ut_spawn *how, int report, int *report_after) {
    int executable = -1;
    *report_after = report;
    // While descriptors are moved, all of the parent's are open and those once more.
    raise_limit(RLIMIT_NOFILE, how->descriptor_count * 2 + 4096);
    int error = place_descriptors(how, report, &executable, report_after);
    if (error) return (struct failure){UT_SPAWN_DESCRIPTORS, error};
    reset_signals();
    if (how->new_session) setsid();
    if (how->open_files) set_limit(RLIMIT_NOFILE, how->open_files);
    raise_limit(RLIMIT_MEMLOCK, how->locked_memory);
    if (how->isolate) {
        error = drop_privileges(how);
        if (error) return (struct failure){UT_SPAWN_PRIVILEGES, error};
        error = bind_to_parent(how->liveness);
        if (error) return (struct failure){UT_SPAWN_PARENT, error};
    }
    syscall(SYS_execveat, executable, "", how->argv, how->envp, AT_EMPTY_PATH);
    return (struct failure){UT_SPAWN_EXEC, -errno};
}

// clone and not clone3: a filter of system calls cannot look into the structure of the latter, so
// that whoever restricts namespaces (systemd's RestrictNamespaces=, containers) forbids it whole.
static pid_t clone_child(const struct ut_spawn *how, int *pidfd) {
    unsigned long flags = CLONE_PIDFD | SIGCHLD;
    if (how->isolate) flags |= CLONE_NEWPID | CLONE_NEWIPC;
    if (how->isolate && how->isolate_network) flags |= CLONE_NEWNET;
    return (pid_t)syscall(SYS_clone, flags, 0, pidfd, 0, 0);
}

pid_t ut_spawn(const struct ut_spawn *how, int *pidfd, enum ut_spawn_stage *stage) {
    int report[2];
    *stage = UT_SPAWN_CLONE;
    if (pipe2(report, O_CLOEXEC) < 0) return -errno;
    pid_t child = clone_child(how, pidfd);
    if (child < 0) {
        int error = -errno;
        close(report[0]);
        close(report[1]);
        return error;
    }
    if (child == 0) {
        int report_after;
        struct failure failure = become(how, report[1], &report_after);
        ssize_t ignored = write(report_after, &failure, sizeof failure);
        (void)ignored;
        _exit(127);
    }
    close(report[1]);
    struct failure failure;
    ssize_t length;
    // The pipe closes by exec; until then the child is ours alone.
    do length = read(report[0], &failure, sizeof failure);
    while (length < 0 && errno == EINTR);
    close(report[0]);
    if (length != (ssize_t)sizeof failure) return child;
    *stage = failure.stage;
    siginfo_t information;
    while (waitid(P_PID, (id_t)child, &information, WEXITED) < 0 && errno == EINTR) continue;
    close(*pidfd);
    *pidfd = -1;
    return failure.error;
}

static void touch_past_end_of_file(void) {
    int file = memfd_create("empty", MFD_CLOEXEC);
    volatile char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) *page = 1;
}

void ut_fault(int signal) {
    // A raised signal does nothing to PID 1 of a namespace; a fault ends it,
    // once no handler is in its way.
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
    if (signal == SIGSEGV) *(volatile char *)1 = 1;
    if (signal == SIGBUS) touch_past_end_of_file();
    __builtin_trap();
}

const char *ut_signal_name(int signal) {
    return sigabbrev_np(signal);
}

int ut_process_protect(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) < 0) return -errno;
    return prctl(PR_SET_DUMPABLE, 0) < 0 ? -errno : 0;
}

int ut_process_confine(uint64_t memory, uint64_t seconds) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
    const struct {
        int resource;
        rlim_t value;
        // Those descriptors that are open stay; each further one is refused.
    } limits[] = {{RLIMIT_AS, memory}, {RLIMIT_CPU, seconds}, {RLIMIT_NPROC, 0}, {RLIMIT_NOFILE, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit = {limits[i].value, limits[i].value}, present;
        if (getrlimit(limits[i].resource, &present) < 0) return -errno;
        if (present.rlim_max != RLIM_INFINITY && present.rlim_max < limit.rlim_max)
            limit.rlim_cur = limit.rlim_max = present.rlim_max;
        if (setrlimit(limits[i].resource, &limit) < 0) return -errno;
    }
    return 0;
}

int ut_capability_is_effective(int capability) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) < 0) return -errno;
    return (sets[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability)) != 0;
}

int64_t ut_user_id(const char *name, gid_t *group) {
    struct passwd entry, *found = NULL;
    char buffer[16384];
    int error = getpwnam_r(name, &entry, buffer, sizeof buffer, &found);
    if (error) return -error;
    if (!found) return -ENOENT;
    *group = found->pw_gid;
    return found->pw_uid;
}

int64_t ut_group_id(const char *name) {
    struct group entry, *found = NULL;
    char buffer[16384];
    int error = getgrnam_r(name, &entry, buffer, sizeof buffer, &found);
    if (error) return -error;
    return found ? (int64_t)found->gr_gid : -ENOENT;
}

bool ut_is_secure_execution(void) {
    return getauxval(AT_SECURE) != 0;
}
