/* Tests cpu_quota with trees of cgroups as hosts and containers have them. Each is written below a temporary
 * directory. */
#include "cpu/runtime/machine.h"
#include "tests/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILES_MAX = 6 };

typedef struct file {
    const char *path, *text;
} file;

typedef struct tree {
    const char *name;
    int cores; /* expected result */
    file files[FILES_MAX];
} tree;

#define CGROUP "/proc/self/cgroup"
#define MOUNTS "/proc/self/mountinfo"
#define V2(root) \
    "24 23 0:5 / /proc rw - proc proc rw\n31 23 0:28 " root " /sys/fs/cgroup rw shared:9 - cgroup2 none rw\n"
#define V1(root)                                                               \
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"               \
    "33 31 0:30 " root " /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n" \
    "32 31 0:29 " root " /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:4 - cgroup cgroup rw,cpu,cpuacct\n"

static const tree trees[] = {
    {"no /proc", 0, {{"/sys/fs/cgroup/cpu.max", "100000 100000\n"}}},
    {"version 2, no quota",
     0,
     {{CGROUP, "0::/a\n"}, {MOUNTS, V2("/")}, {"/sys/fs/cgroup/a/cpu.max", "max 100000\n"}}},
    {"version 2", 3, {{CGROUP, "0::/a\n"}, {MOUNTS, V2("/")}, {"/sys/fs/cgroup/a/cpu.max", "250000 100000\n"}}},
    {"version 2, the outer quota is less",
     2,
     {{CGROUP, "0::/a.slice/b/c.scope\n"},
      {MOUNTS, V2("/")},
      {"/sys/fs/cgroup/a.slice/cpu.max", "200000 100000\n"},
      {"/sys/fs/cgroup/a.slice/b/cpu.max", "max 100000\n"},
      {"/sys/fs/cgroup/a.slice/b/c.scope/cpu.max", "500000 100000\n"}}},
    {"version 2, the inner quota is less",
     1,
     {{CGROUP, "0::/a/b\n"},
      {MOUNTS, V2("/")},
      {"/sys/fs/cgroup/a/cpu.max", "200000 100000\n"},
      {"/sys/fs/cgroup/a/b/cpu.max", "50000 100000\n"}}},
    {"a container with its own namespace",
     4,
     {{CGROUP, "0::/\n"}, {MOUNTS, V2("/")}, {"/sys/fs/cgroup/cpu.max", "400000 100000\n"}}},
    {"a container with the paths of the host",
     5,
     {{CGROUP, "0::/docker/1234/own\n"},
      {MOUNTS, V2("/docker/1234")},
      {"/sys/fs/cgroup/own/cpu.max", "500000 100000\n"},
      {"/sys/fs/cgroup/docker/1234/own/cpu.max", "100000 100000\n"}}},
    {"a cgroup outside the mounted tree",
     6,
     {{CGROUP, "0::/docker/12345\n"},
      {MOUNTS, V2("/docker/1234")},
      {"/sys/fs/cgroup/cpu.max", "600000 100000\n"},
      {"/sys/fs/cgroup/5/cpu.max", "100000 100000\n"}}},
    {"version 1",
     2,
     {{CGROUP, "4:cpuset:/x\n3:cpu,cpuacct:/a/b\n0::/\n"},
      {MOUNTS, V1("/")},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"}}},
    {"version 1, a container with the paths of the host",
     7,
     {{CGROUP, "4:cpuset:/x\n3:cpu,cpuacct:/docker/1234\n"},
      {MOUNTS, V1("/docker/1234")},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "70000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "10000\n"}}},
    {"version 1, no quota",
     0,
     {{CGROUP, "3:cpu,cpuacct:/\n"},
      {MOUNTS, V1("/")},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}}},
    {"damaged files",
     0,
     {{CGROUP, "\n0:\n:::\n0::\n"}, {MOUNTS, "31 - \n - cgroup2\n\n" V2("/")}, {"/sys/fs/cgroup/cpu.max", "-1 0\n"}}},
};

/* Writes a file and the directories that contain it. */
static void write_file(const char *root, const file *f) {
    char path[400];
    snprintf(path, sizeof path, "%s%s", root, f->path);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *out = fopen(path, "w");
    if (EXPECT(out, "cannot write %s", path)) {
        fputs(f->text, out);
        fclose(out);
    }
}

static void check(const tree *t) {
    char root[] = "/tmp/weft-quota-XXXXXX", command[100];
    if (!EXPECT(mkdtemp(root), "no directory")) return;
    for (int i = 0; i < FILES_MAX && t->files[i].path; i++) write_file(root, &t->files[i]);
    const int found = cpu_quota(root);
    EXPECT(found == t->cores, "%s: %d cores in place of %d", t->name, found, t->cores);
    snprintf(command, sizeof command, "rm -rf %s", root);
    EXPECT(system(command) == 0, "%s failed", command);
}

int main(void) {
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) check(&trees[i]);
    EXPECT(cpu_quota("") >= 0, "the quota of this machine");
    return expect_end();
}
