/* Instruction set levels, and which of them this machine supports. */
#include "cpu/runtime/cpu.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
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

#ifdef WEFT_AMX_TEST
#define AMX_KERNELS WEFT_AMX_TEST /* the level whose kernels level amx has */
#else
#define AMX_KERNELS v4
#endif

#ifdef WEFT_EMULATED_AMX

static bool usable_amx(void) { return true; }
bool cpu_tiles_permitted(void) { return true; }

#elif defined(__linux__)

enum { TILE_CONFIG = 1 << 17, TILE_DATA = 1 << 18 }; /* in XCR0: the operating system saves the tile registers */

static bool usable_amx(void) {
    enum { OSXSAVE = 1 << 27, AMX_TILE = 1 << 24, AMX_INT8 = 1 << 25 };
    unsigned a, b, c, d, low, high;
    if (!usable_v4() || !__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE)) return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & AMX_TILE) || !(d & AMX_INT8)) return false;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & TILE_CONFIG) && (low & TILE_DATA);
}

static bool permitted;
static void ask_for_tiles(void) {
    enum { REQUEST = 0x1023, FEATURE = 18 }; /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    permitted = syscall(SYS_arch_prctl, REQUEST, FEATURE) == 0;
}

bool cpu_tiles_permitted(void) {
    static pthread_once_t asked = PTHREAD_ONCE_INIT;
    pthread_once(&asked, ask_for_tiles);
    return permitted;
}

#endif
#endif

#if !defined(__x86_64__) || !defined(__linux__)
bool cpu_tiles_permitted(void) { return false; }
#endif

/* Weak, since a build may leave levels out (WEFT_CPU_LEVELS in cmake/library.cmake): their kernels are NULL then.
 * WebAssembly has one level. There the library is an archive, from which a weak reference would not take the kernels.
 */
#ifdef __wasm__
#define MAYBE_ABSENT
#else
#define MAYBE_ABSENT __attribute__((weak))
#endif
extern const matmul_kernel cpu_matmul_amx MAYBE_ABSENT;
#define DECLARE(level, type, member) extern const type cpu_##member##_##level MAYBE_ABSENT;
#define LEVEL(name, isa) EACH_KERNELS(DECLARE, name)
#include "cpu/runtime/levels.def"

#define ADDRESS(level, type, member) .member = &cpu_##member##_##level,
#define ADDRESSES(level) EACH_KERNELS(ADDRESS, level)
static const level levels[] = {
#define LEVEL(name, isa) {#name, isa, usable_##name, EACH_KERNELS(ADDRESS, name)},
#include "cpu/runtime/levels.def"
#if defined(__x86_64__) && defined(__linux__)
    {"amx", "x86-64-v4 amx", usable_amx, ADDRESSES(AMX_KERNELS).grouped = &cpu_matmul_amx},
#endif
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
        const bool built = levels[i].sums && (levels[i].grouped || strcmp(levels[i].name, "amx") != 0);
        if (built && levels[i].usable()) found = &levels[i];
    }
    return found;
}
