/* The texts that formulas are compiled from, given to NVRTC: every step in every type, from arrays of every type, as
 * a map, as a map over views and in front of every kind of reduction and scan. It needs no GPU; exits with 77 where
 * there is no libnvrtc. What the kernels compute is compared on the emulated GPU (cmake/tests_emulated.cmake) and on
 * a real one (gpu_map.cu). */
#include "cuda/map/map_text.h"
#include "cuda/runtime/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCH = 90 };

static const bool IS_REAL[] = {
#define EVERY false
#define REALS true
#define OPERATOR(ID, text, operands, domain) domain,
#define FUNCTION(ID, name, operands, domain) domain,
#include "formula/formula.def"
};

/* Leaves: an array of each type that may be there, a value, the index. */
static void add_leaves(map_shape *shape, bool floats) {
#define TYPE(ID, name, ctype, kind_, npy)                     \
    if (WEFT_##ID < WEFT_F32 || floats) {                     \
        shape->leaves[shape->leaf_count].kind = LEAF_ARRAY;   \
        shape->leaves[shape->leaf_count++].dtype = WEFT_##ID; \
    }
#include "core/types.def"
#define HALF(ID, name, npy)                                   \
    if (floats) {                                             \
        shape->leaves[shape->leaf_count].kind = LEAF_ARRAY;   \
        shape->leaves[shape->leaf_count++].dtype = WEFT_##ID; \
    }
#include "core/halves.def"
    shape->leaves[shape->leaf_count++].kind = LEAF_VALUE;
    shape->leaves[shape->leaf_count++].kind = LEAF_INDEX;
}

/* A step of each op, of the step before and two leaves. */
static void add_steps(map_shape *shape, bool floats) {
    for (int op = 0; op < MAP_OPS; op++) {
        if (IS_REAL[op] && !floats) continue;
        const uint32_t s = shape->step_count++;
        map_step *step = &shape->steps[s];
        step->op = (uint8_t)op;
        step->to = (uint8_t)(s % MAP_REGISTERS);
        step->a = s ? shape->steps[s - 1].to : (uint8_t)MAP_REGISTERS;
        step->b = (uint8_t)(MAP_REGISTERS + s % shape->leaf_count);
        step->c = (uint8_t)(MAP_REGISTERS + (s + 1) % shape->leaf_count);
    }
}

static map_shape shape_of(weft_dtype dtype) {
    map_shape shape;
    const bool floats = dtype == WEFT_F32 || dtype == WEFT_F64;
    memset(&shape, 0, sizeof shape);
    shape.dtype = shape.result = dtype;
    add_leaves(&shape, floats);
    add_steps(&shape, floats);
    return shape;
}

/* x*x + x, whose kernels have the most rows. */
static map_shape small_shape(weft_dtype dtype) {
    map_shape shape;
    memset(&shape, 0, sizeof shape);
    shape.dtype = shape.result = dtype;
    shape.leaves[shape.leaf_count++] = {LEAF_ARRAY, dtype};
    shape.steps[shape.step_count++] = {MAP_MULTIPLY, 0, MAP_REGISTERS, MAP_REGISTERS, MAP_REGISTERS};
    shape.steps[shape.step_count++] = {MAP_ADD, 1, 0, MAP_REGISTERS, 0};
    return shape;
}

/* A shape whose values have another type than the evaluation. */
static map_shape stored_as(const map_shape *evaluated, weft_dtype result) {
    map_shape shape = *evaluated;
    shape.result = result;
    return shape;
}

/* A shape over views of some dimensions. The first array is repeated if values are computed in packs. */
static map_shape shape_of_views(const map_shape *arrays, uint32_t dimensions, uint32_t pack) {
    map_shape shape = *arrays;
    shape.views.dimensions = dimensions;
    shape.views.pack = pack;
    shape.views.repeated[0] = pack > 1;
    return shape;
}

static int compiled, failures;

static void compile(const map_shape *shape, const kernel *consumer) {
    weft_error error;
    void *code;
    size_t bytes;
    char *text = map_text(shape, consumer);
    memset(&error, 0, sizeof error);
    compiled++;
    if (!text || nvrtc_compile(text, ARCH, &code, &bytes, &error) != WEFT_OK || bytes == 0) {
        printf("type %d, %s: %s\n", (int)shape->dtype, consumer ? consumer->op : "map", error.message);
        failures++;
    } else {
        free(code);
    }
    free(text);
}

/* Compiles the maps of all steps and of a short formula, of arrays and of views. */
static void compile_maps(weft_dtype dtype, weft_dtype result) {
    const bool wide = dtype == WEFT_F64 || dtype == WEFT_I64 || dtype == WEFT_U64;
    const map_shape all = shape_of(dtype), some = small_shape(dtype);
    const map_shape every = stored_as(&all, result), few = stored_as(&some, result);
    const map_shape strided = shape_of_views(&every, 3, 1), packs = shape_of_views(&few, 2, wide ? 2 : 4);
    compile(&every, NULL);
    compile(&few, NULL);
    compile(&strided, NULL);
    compile(&packs, NULL);
}

static void compile_reductions(const map_shape *shape, const char *const *ops, kernel_kind kind) {
    for (; *ops; ops++) {
        const kernel reduction = {NULL, kind, *ops};
        compile(shape, &reduction);
    }
}

/* The scans of a long formula, or of a short one, whose kernels have the most rows. */
static void compile_scans(void) {
    static const struct {
        weft_dtype dtype;
        const char *op, *types;
        bool is_long;
    } scans[] = {
        {WEFT_F32, "scan_sum", "float, float, float", false},
        {WEFT_F32, "scan_sum", "float, double, double", false},
        {WEFT_F32, "scan_product", "float, float, float", true},
        {WEFT_F32, "scan_min", "float", false},
        {WEFT_F64, "scan_sum", "double, double, double", true},
        {WEFT_F64, "scan_product", "double, double, double", false},
        {WEFT_F64, "scan_min", "double", false},
        {WEFT_I32, "scan_sum", "uint32_t, uint32_t, uint32_t", false},
        {WEFT_I32, "scan_product", "int32_t, uint64_t, uint64_t", true},
        {WEFT_I32, "scan_min", "uint32_t", false},
        {WEFT_U32, "scan_sum", "uint32_t, uint64_t, uint64_t", false},
        {WEFT_I64, "scan_product", "uint64_t, uint64_t, uint64_t", false},
        {WEFT_U32, "scan_or", "uint32_t", true},
        {WEFT_U64, "scan_xor", "uint64_t", false},
    };
    for (size_t i = 0; i < sizeof scans / sizeof *scans; i++) {
        const map_shape shape = scans[i].is_long ? shape_of(scans[i].dtype) : small_shape(scans[i].dtype);
        const kernel scan = {NULL, KERNEL_SCAN, scans[i].op, scans[i].types};
        compile(&shape, &scan);
    }
}

/* A text that is wrong is weft's fault, and told as that. */
static bool refuses_nonsense(void) {
    weft_error error;
    void *code;
    size_t bytes;
    memset(&error, 0, sizeof error);
    return nvrtc_compile("nonsense;", ARCH, &code, &bytes, &error) == WEFT_INTERNAL && !code &&
           strstr(error.message, "formula.cu(1): error") && strstr(error.message, "WEFT_NVRTC=0");
}

int main() {
    static const weft_dtype types[] = {WEFT_F32, WEFT_F64, WEFT_I32, WEFT_I64, WEFT_U32, WEFT_U64};
    static const char *const f32_trees[] = {"total<float, float>",
                                            "total<float, double>",
                                            "product<float, float>",
                                            "product<float, double>",
                                            "magnitudes<float>",
                                            "deviations<float>",
                                            NULL};
    static const char *const f64_trees[] = {"total<double, double>", "product<double, double>", "magnitudes<double>",
                                            "deviations<double>",    "rescaled_squares",        NULL};
    static const char *const i32_trees[] = {"total<int32_t, double>", "magnitudes<int32_t>", "deviations<int32_t>",
                                            NULL};
    static const char *const f32_unordered[] = {"extreme<float>", "extreme_index<float>", "count_nonzero<float>",
                                                "extreme<uint32_t>", NULL};
    static const char *const f64_unordered[] = {"extreme<double>", "extreme_index<double>", "count_nonzero<double>",
                                                "extreme<uint64_t>", NULL};
    static const char *const i32_unordered[] = {"integer_sum<int32_t>",
                                                "integer_product<int32_t>",
                                                "largest_magnitude<int32_t>",
                                                "bits<WEFT_AND>",
                                                "bits<WEFT_XOR>",
                                                "extreme_index<uint32_t>",
                                                NULL};
    static const char *const u64_unordered[] = {"integer_sum<uint64_t>",   "integer_product<uint64_t>",
                                                "extreme_index<uint64_t>", "bits<WEFT_OR>",
                                                "count_nonzero<uint64_t>", NULL};
    if (!nvrtc_knows(ARCH)) {
        puts("skipped: there is no libnvrtc that compiles for sm_90");
        return 77;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) compile_maps(types[i], types[i]);
    compile_maps(WEFT_F32, WEFT_F16);
    compile_maps(WEFT_F32, WEFT_BF16);
    const map_shape f32 = small_shape(WEFT_F32), f64 = small_shape(WEFT_F64), i32 = small_shape(WEFT_I32),
                    u64 = small_shape(WEFT_U64);
    compile_reductions(&f32, f32_trees, KERNEL_TREE);
    compile_reductions(&f64, f64_trees, KERNEL_TREE);
    compile_reductions(&i32, i32_trees, KERNEL_TREE);
    compile_reductions(&f32, f32_unordered, KERNEL_UNORDERED);
    compile_reductions(&f64, f64_unordered, KERNEL_UNORDERED);
    compile_reductions(&i32, i32_unordered, KERNEL_UNORDERED);
    compile_reductions(&u64, u64_unordered, KERNEL_UNORDERED);
    compile_scans();
    if (!refuses_nonsense()) {
        puts("a text that does not compile is not refused as it should");
        failures++;
    }
    printf("%d texts, %d failures\n", compiled, failures);
    return failures > 0;
}
