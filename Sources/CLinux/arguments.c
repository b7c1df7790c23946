#include "CLinux.h"

// glibc hands them to constructors as it does to main (csu/libc-start.c), and the main of a
// Swift program is not ours.
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
