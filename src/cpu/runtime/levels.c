/* Instruction set levels, and which of them this machine supports. */
#include "cpu/runtime/cpu.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static bool usable_base(void) { return true; }

#if defined(__x86_64__)

static bool usable_v2(void) {
    return __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
           __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

/* Returns true if the machine has lzcnt, movbe and f16c, which the __builtin_cpu_supports of some compilers does
 * not test. */
static bool has_v3_details(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_MOVBE) || !(c & bit_F16C)) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

/* The compiler's test for AVX includes that the operating system saves the wide registers. */
static bool usable_v3(void) {
    return usable_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && has_v3_details();
}

static bool usable_v4(void) {
    return usable_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

#endif

/* Weak, since a build may leave levels out (WEFT_CPU_LEVELS in cmake/library.cmake): their kernels are NULL then. */
#define DECLARE(level, type, member) extern const type cpu_##member##_##level __attribute__((weak));
#define LEVEL(name, isa) EACH_KERNELS(DECLARE, name)
#include "cpu/runtime/levels.def"

#define ADDRESS(level, type, member) .member = &cpu_##member##_##level,
static const level levels[] = {
#define LEVEL(name, isa) {#name, isa, usable_##name, EACH_KERNELS(ADDRESS, name)},
#include "cpu/runtime/levels.def"
};

const level *cpu_find_level(const char *name, bool *known) {
    const level *found = NULL;
    *known = !*name;
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (*name && strcmp(name, levels[i].name) != 0) continue;
        *known = true;
        if (levels[i].sums && levels[i].usable()) found = &levels[i];
    }
    return found;
}
