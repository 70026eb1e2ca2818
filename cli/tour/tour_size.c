#include "cli/tour/tour_size.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Bytes per element. The largest section, scans of f64, uses four arrays; the rest is for workspace of sorts and
 * contexts. */
enum { BYTES_EACH = 40, LEAST = 1000 };

static double less(double a, double b) { return a < b ? a : b; }

/* Returns the number after `name` in a file, or -1. */
static double number_in(const char *path, const char *name) {
    char line[256];
    double number = -1;
    FILE *const file = fopen(path, "r");
    while (file && number < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%lf", &number) != 1) number = -1;
    if (file) fclose(file);
    return number;
}

double tour_free_memory(void) {
    const double available = 1024 * number_in("/proc/meminfo", "MemAvailable:");
    const double limit = number_in("/sys/fs/cgroup/memory.max", ""),
                 used = number_in("/sys/fs/cgroup/memory.current", "");
    struct rlimit space;
    double bytes = available > 0 ? available : 1e9;
    if (limit > 0 && used >= 0) bytes = less(bytes, limit - used);
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
        bytes = less(bytes, (double)space.rlim_cur);
    return bytes;
}

size_t tour_size(double available, size_t most) {
    size_t n = LEAST;
    for (size_t power = LEAST; power <= most; power *= 10)
        for (size_t factor = 1; factor <= 5; factor += factor == 1 ? 1 : 3)
            if (factor * power <= most && BYTES_EACH * (double)(factor * power) <= available / 4) n = factor * power;
    return n;
}
