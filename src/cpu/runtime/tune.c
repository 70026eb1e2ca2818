/* Tunable operations of the CPU and the variants that a context uses. The variants are listed in laplace.def and
 * matmul.def and applied by the operations. */
#include "cpu/runtime/cpu.h"
#include "cpu/runtime/machine.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const laplace[] = {
#define VARIANT(kilobytes, planes, sweeps) #kilobytes "x" #planes "x" #sweeps,
#include "cpu/laplace.def"
};
static const char *const matmul_f32[] = {
#define SUMS_F32
#define VARIANT(terms, rows, columns) #terms "x" #rows "x" #columns,
#include "cpu/matmul.def"
};
static const char *const matmul_f64[] = {
#define SUMS_F64
#define VARIANT(terms, rows, columns) #terms "x" #rows "x" #columns,
#include "cpu/matmul.def"
};

const weft_tunable *cpu_tunables(size_t *count) {
    static const weft_tunable list[] = {
#define TUNABLE(ID, operation, dtype, accumulate, variants) \
    {sizeof(weft_tunable), #operation, WEFT_##dtype, WEFT_##accumulate, variants, COUNT(variants), 0},
#include "cpu/runtime/tune.def"
    };
    *count = COUNT(list);
    return list;
}

size_t cpu_chosen(const void *state, size_t tunable) { return ((const cpu_context *)state)->chosen[tunable]; }

/* Every processor supports all variants at all sizes. */
weft_status cpu_choose(void *state, size_t tunable, size_t variant, bool everywhere, weft_error *error) {
    (void)everywhere, (void)error;
    ((cpu_context *)state)->chosen[tunable] = variant;
    return WEFT_OK;
}

void cpu_model(const void *state, char name[128]) {
    weft_device_info info = {.size = sizeof info};
    (void)state;
    cpu_describe_machine(&info);
    snprintf(name, 128, "%s", info.name);
}
