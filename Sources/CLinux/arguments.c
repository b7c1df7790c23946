#include "CLinux.h"

// The C library hands them to constructors as it does to main (glibc, csu/libc-start.c), which
// is the runtime's of Swift.
static int count;
static char **values;

__attribute__((constructor)) static void keep(int argc, char **argv) {
    count = argc;
    values = argv;
}

int ut_argument_count(void) {
    return count;
}

const char *ut_argument(int index) {
    return values[index];
}
