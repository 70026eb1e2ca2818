/* Properties of the machine: usable cores, processor, caches, memory. Each source of information may be missing
 * (another architecture, a container). Then the next source is used; if all are missing, the result is 0 or "". */
#include "cpu/runtime/machine.h"
#include "cpu/runtime/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------- cores */

/* Returns the first number of OMP_NUM_THREADS, which may be a list with one entry per nesting level; 0 if there is
 * none. */
static int threads_asked_for(void) {
    const char *text = getenv("OMP_NUM_THREADS");
    char *end;
    const long threads = text ? strtol(text, &end, 10) : 0;
    return threads > 0 && threads <= 4096 && (*end == '\0' || *end == ',') ? (int)threads : 0;
}

static int cores_by_affinity(void) {
    for (int cores = 1024; cores <= 1 << 20; cores *= 4) {
        cpu_set_t *set = CPU_ALLOC(cores);
        const size_t size = CPU_ALLOC_SIZE(cores);
        if (!set) break;
        const int found = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (found > 0) return found;
    }
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int cpu_cores(void) {
    const int cores = cores_by_affinity(), quota = cpu_quota("");
    return quota && quota < cores ? quota : cores;
}

int cpu_default_threads(void) {
    const int asked = threads_asked_for();
    return asked ? asked : cpu_cores();
}

/* ----------------------------------------------------------------------- processor, caches */

/* Reads the first line of a file, without the newline; "" if it cannot be read. */
static void read_line(const char *path, char *line, size_t size) {
    FILE *file = fopen(path, "re");
    line[0] = '\0';
    if (!file) return;
    if (!fgets(line, (int)size, file)) line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
}

/* Reads the value of `key` in the first block of /proc/cpuinfo that contains it; "" if there is none. */
static void read_cpuinfo(const char *key, char *value, size_t size) {
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    value[0] = '\0';
    if (!file) return;
    while (!value[0] && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
    }
    fclose(file);
}

/* Reads the processor name: x86, then boards with a device tree, then the instruction set the library was built
 * for. */
static void describe_name(char *name, size_t size) {
    read_cpuinfo("model name", name, size);
    if (!name[0]) read_line("/proc/device-tree/model", name, size);
    if (!name[0]) read_cpuinfo("Model", name, size);
    if (!name[0]) snprintf(name, size, "%s", WEFT_BASE_ISA);
}

/* Returns the bytes of the first core's data or unified cache of a level, from sysfs ("48K", "2M"); 0 if
 * unknown. */
static uint64_t cache_bytes(int wanted) {
    for (int index = 0; index < 16; index++) {
        char path[96], text[32];
        const int base = snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/", index);
        snprintf(path + base, sizeof path - (size_t)base, "level");
        read_line(path, text, sizeof text);
        if (!text[0]) break;
        if (strtol(text, NULL, 10) != wanted) continue;
        snprintf(path + base, sizeof path - (size_t)base, "type");
        read_line(path, text, sizeof text);
        if (strcmp(text, "Instruction") == 0) continue;
        snprintf(path + base, sizeof path - (size_t)base, "size");
        read_line(path, text, sizeof text);
        char *unit;
        const uint64_t number = strtoull(text, &unit, 10);
        return number << (*unit == 'K' ? 10 : *unit == 'M' ? 20 : *unit == 'G' ? 30 : 0);
    }
    return 0;
}

/* Returns cache_bytes, or the value of the C library if sysfs has none. */
static uint64_t cache_or(int wanted, int name) {
    const uint64_t found = cache_bytes(wanted);
    const long bytes = found ? 0 : sysconf(name);
    return found ? found : bytes > 0 ? (uint64_t)bytes : 0;
}

size_t cpu_level2_bytes(void) {
    const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? (size_t)bytes : 0;
}

void cpu_describe_machine(weft_device_info *info) {
    describe_name(info->name, sizeof info->name);
    info->l1_bytes = cache_or(1, _SC_LEVEL1_DCACHE_SIZE);
    info->l2_bytes = cache_or(2, _SC_LEVEL2_CACHE_SIZE);
    info->l3_bytes = cache_or(3, _SC_LEVEL3_CACHE_SIZE);
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) info->memory_bytes = (uint64_t)pages * (uint64_t)page;
}
