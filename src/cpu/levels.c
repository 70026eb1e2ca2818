/* The levels of the instruction set, and which of them this machine has. */
#include "cpu/cpu.h"

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

/* lzcnt, movbe and f16c, which not every compiler's __builtin_cpu_supports knows. */
static bool has_v3_details(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_MOVBE) || !(c & bit_F16C)) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

/* That the operating system saves the wide registers is part of the compiler's test for AVX. */
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

#define LEVEL(name, isa)                                      \
    extern const sum_kernels cpu_sums_##name;                 \
    extern const product_kernels cpu_products_##name;         \
    extern const integer_kernels cpu_integers_##name;         \
    extern const extreme_kernels cpu_extremes_##name;         \
    extern const scan_kernels cpu_scans_##name;               \
    extern const stencil_kernels cpu_stencils_##name;         \
    extern const relaxation_kernels cpu_relaxations_##name;   \
    extern const selection_kernels cpu_selections_##name;     \
    extern const fold_kernels cpu_folds_##name;               \
    extern const recurrence_kernels cpu_recurrences_##name;   \
    extern const histogram_kernels cpu_histograms_##name;     \
    extern const sample_kernels cpu_samples_##name;           \
    extern const search_kernels cpu_searches_##name;          \
    extern const filter_kernels cpu_filters_##name;           \
    extern const matmul_kernels cpu_matmuls_##name;           \
    extern const level_transforms cpu_transforms_##name;      \
    extern const tridiag_kernels cpu_tridiags_##name;         \
    extern const sort_kernels cpu_sorts_##name;               \
    extern const sort_vector_kernels cpu_sort_vectors_##name; \
    extern const price_kernels cpu_prices_##name;             \
    extern const match_kernels cpu_matches_##name;            \
    extern const map_kernels cpu_maps_##name;                 \
    extern const sobol_kernels cpu_sobols_##name;
#include "cpu/levels.def"

static const level levels[] = {
#define LEVEL(name, isa)       \
    {#name,                    \
     isa,                      \
     usable_##name,            \
     &cpu_sums_##name,         \
     &cpu_products_##name,     \
     &cpu_integers_##name,     \
     &cpu_extremes_##name,     \
     &cpu_scans_##name,        \
     &cpu_stencils_##name,     \
     &cpu_relaxations_##name,  \
     &cpu_selections_##name,   \
     &cpu_folds_##name,        \
     &cpu_recurrences_##name,  \
     &cpu_histograms_##name,   \
     &cpu_searches_##name,     \
     &cpu_filters_##name,      \
     &cpu_matmuls_##name,      \
     &cpu_transforms_##name,   \
     &cpu_tridiags_##name,     \
     &cpu_sorts_##name,        \
     &cpu_sort_vectors_##name, \
     &cpu_samples_##name,      \
     &cpu_prices_##name,       \
     &cpu_matches_##name,      \
     &cpu_maps_##name,         \
     &cpu_sobols_##name},
#include "cpu/levels.def"
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
        if (levels[i].usable()) found = &levels[i];
    }
    return found;
}
