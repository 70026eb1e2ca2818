/* CPU quota of the cgroups of this process, of version 1 and 2. A cgroup is limited by its own quota and by those of
 * all cgroups that contain it. In a container the mounted tree may begin at a cgroup below the root:
 * /proc/self/cgroup then contains a path from the root, of which the root of the mount is a prefix, or a path from
 * the mounted one. */
#include "cpu/runtime/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, MAX_CORES = 4096 };

/* Reads at most two numbers from a file. Returns how many: "max 100000" contains none at its beginning. */
static int read_numbers(const char *path, double *a, double *b) {
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    const int read = fscanf(file, "%lf %lf", a, b);
    fclose(file);
    return read;
}

/* Returns the quota of the cgroup in `directory` in cores; 0 if it has none. */
static double quota_of(const char *directory, bool unified) {
    char path[PATH_BYTES + 32];
    double quota = 0, period = 0, none;
    snprintf(path, sizeof path, "%s/%s", directory, unified ? "cpu.max" : "cpu.cfs_quota_us");
    if (read_numbers(path, &quota, &period) < (unified ? 2 : 1)) return 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", directory);
    if (!unified && read_numbers(path, &period, &none) < 1) return 0;
    return quota > 0 && period > 0 && quota / period <= MAX_CORES ? quota / period : 0;
}

/* Returns the least quota of the cgroup `path` of a mounted tree and of those that contain it; 0 if none has one. */
static double least_quota(const char *mount, const char *path, bool unified) {
    char directory[PATH_BYTES];
    double least = 0;
    const size_t top = strlen(mount);
    const int length = snprintf(directory, sizeof directory, "%s%s", mount, path);
    if (length < 0 || (size_t)length >= sizeof directory) return 0;
    for (;;) {
        const double quota = quota_of(directory, unified);
        if (quota > 0 && (least == 0 || quota < least)) least = quota;
        char *const slash = strrchr(directory + top, '/');
        if (!slash) return least;
        *slash = '\0';
    }
}

/* Returns true if the comma-separated list contains "cpu". */
static bool has_cpu(const char *list) {
    for (const char *p = list; *p; p += *p == ',') {
        const size_t length = strcspn(p, ",");
        if (length == 3 && strncmp(p, "cpu", 3) == 0) return true;
        p += length;
    }
    return false;
}

/* Reads the path of the process's cgroup: that of version 2, or that of the controller "cpu". Returns false if there
 * is none. */
static bool read_path(const char *root, bool unified, char path[PATH_BYTES]) {
    char line[PATH_BYTES + 256], name[PATH_BYTES];
    bool found = false;
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *file = fopen(name, "re");
    if (!file) return false;
    while (!found && fgets(line, sizeof line, file)) {
        char *const controllers = strchr(line, ':'), *const end = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!end) continue;
        *end = '\0';
        found = unified ? strcmp(line, "0:") == 0 : has_cpu(controllers + 1);
        end[1 + strcspn(end + 1, "\n")] = '\0';
        if (found) snprintf(path, PATH_BYTES, "%s", end + 1);
    }
    fclose(file);
    return found;
}

/* Returns the part of `path` below the root of the mount; "" if it is outside. */
static const char *below(const char *path, const char *mount_root) {
    const size_t length = strcmp(mount_root, "/") == 0 ? 0 : strlen(mount_root);
    const char *const rest = path + length;
    if (strncmp(path, mount_root, length) != 0 || (*rest && *rest != '/')) return "";
    return strstr(rest, "/..") || strcmp(rest, "/") == 0 ? "" : rest;
}

/* Returns the quota according to one line of mountinfo; 0 if it is not the mount of a tree with a quota. */
static double quota_of_mount(const char *root, const char *line) {
    char mount_root[PATH_BYTES], point[PATH_BYTES], mount[2 * PATH_BYTES], type[16], options[PATH_BYTES];
    char path[PATH_BYTES];
    const char *const rest = strstr(line, " - ");
    if (!rest || sscanf(line, "%*s %*s %*s %4095s %4095s", mount_root, point) != 2) return 0;
    if (sscanf(rest, " - %15s %*s %4095s", type, options) != 2) return 0;
    const bool unified = strcmp(type, "cgroup2") == 0;
    if (!unified && (strcmp(type, "cgroup") != 0 || !has_cpu(options))) return 0;
    if (!read_path(root, unified, path)) return 0;
    snprintf(mount, sizeof mount, "%s%s", root, point);
    return least_quota(mount, below(path, mount_root), unified);
}

int cpu_quota(const char *root) {
    char name[PATH_BYTES], *line = NULL;
    size_t size = 0;
    double least = 0;
    snprintf(name, sizeof name, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(name, "re");
    if (!file) return 0;
    while (getline(&line, &size, file) > 0) {
        const double quota = quota_of_mount(root, line);
        if (quota > 0 && (least == 0 || quota < least)) least = quota;
    }
    free(line);
    fclose(file);
    const int cores = (int)least;
    return cores + (cores < least);
}
