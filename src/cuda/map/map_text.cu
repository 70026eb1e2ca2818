/* Text of a formula's kernel. The arithmetic is that of src/arith: the text includes it and makes one call per step,
 * each with its result in a variable of its own:
 *
 *     const float x0 = (float)l.x0.element[e];                   a leaf: an array,
 *     const float x1 = o[1].f32;                                 a value
 *     const float s0 = weft_map_f32(MAP_MULTIPLY, x0, x1, x0);   a step
 *     return canonical(s0);                                      or weft_round_f16(s0)
 *
 * A leaf of views is loaded at a position of its own, i.x[k], and may be one element for several values
 * (map_views.cuh). Adjacent parts of complex numbers are loaded together, as elements of the leaf of the real parts.
 * The text contains nothing of the caller's formula text: names and numbers are leaves, which it numbers. */
#include "core/types.h"
#include "cuda/map/map_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size of the buffer for the largest formula: lines of at most 100 characters. */
enum { TEXT_BYTES = (MAP_STEPS + 5 * MAP_LEAVES + 40) * 100 };

typedef struct text {
    char *at;
    size_t used;
} text;

__attribute__((format(printf, 2, 3))) static void line(text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    t->used += (size_t)vsnprintf(t->at + t->used, TEXT_BYTES - t->used, format, arguments);
    va_end(arguments);
    t->at[t->used++] = '\n';
}

/* Returns the type of an element in memory. */
static const char *c_type(weft_dtype dtype) {
    static const char *const names[] = {
        "",
#define TYPE(ID, name, ctype, kind, npy) #ctype,
#include "core/types.def"
        "",
#define HALF(ID, name, npy) "uint16_t",
#include "core/halves.def"
    };
    return names[dtype];
}

static const char *type_name(weft_dtype dtype) {
    static const char *const names[] = {
        "",
#define TYPE(ID, name, ctype, kind, npy) #name,
#include "core/types.def"
        "",
#define HALF(ID, name, npy) #name,
#include "core/halves.def"
    };
    return names[dtype];
}

static const char *step_name(uint8_t op) {
    static const char *const names[] = {
#define OPERATOR(ID, text, operands, domain) #ID,
#define FUNCTION(ID, name, operands, domain) #ID,
#include "formula/formula.def"
    };
    return names[op];
}

/* ------------------------------------------------------------------------------------- shapes */

/* Returns an estimate of the instructions per value, which unrolled loops multiply. */
static int weight_of(const map_shape *shape) {
    int weight = 0;
    for (uint32_t s = 0; s < shape->step_count; s++) {
        const map_op op = (map_op)shape->steps[s].op;
        weight += op >= MAP_EXP && op <= MAP_ERF ? 40 : op == MAP_DIVIDE || op == MAP_SQRT ? 8 : 1;
    }
    return weight;
}

/* Returns true for arrays, except for the imaginary parts that are loaded with the real parts. */
static bool is_loaded(const map_shape *shape, uint32_t k) {
    return shape->leaves[k].kind == LEAF_ARRAY && !(k > 0 && shape->views.paired[k - 1]);
}

static int arrays_of(const map_shape *shape) {
    int arrays = 0;
    for (uint32_t k = 0; k < shape->leaf_count; k++) arrays += is_loaded(shape, k);
    return arrays;
}

uint32_t map_text_vector(weft_dtype dtype, weft_dtype result) {
    if (type_is_half(result)) return 8;
    return dtype == WEFT_F64 || dtype == WEFT_I64 || dtype == WEFT_U64 ? 2 : 4;
}

int map_text_rows(const map_shape *shape) {
    const int weight = weight_of(shape);
    return weight > 128 ? 0 : weight > 32 ? 1 : arrays_of(shape) > 2 ? 2 : 4;
}

/* Returns the number of rows that a thread of a reduction has in flight, a divisor of a tile's rows: fewer if a
 * formula has more arrays to load or more to compute. */
static int reduction_rows(const map_shape *shape, const kernel *consumer) {
    const int weight = weight_of(shape), arrays = arrays_of(shape);
    const int rows = arrays <= 1 ? TREE_ROWS : arrays == 2 ? TREE_ROWS / 2 : TREE_ROWS / 4;
    if (weight > 32) return weight > 128 ? 1 : 2;
    return consumer->kind == KERNEL_UNORDERED && rows > UNORDERED_LOADS ? UNORDERED_LOADS : rows;
}

/* -------------------------------------------------------------------------------------- parts */

/* Returns the number of elements of an array that are loaded for V values. */
static const char *elements_of(const map_shape *shape, uint32_t k) { return shape->views.repeated[k] ? "1" : "V"; }

/* Returns the type of the parameter i. */
static const char *position_type(const map_shape *shape) {
    return shape->views.pack ? "const position &" : "uint64_t ";
}

/* Writes the position of leaf k. */
static void name_position(const map_shape *shape, uint32_t k, char name[16]) {
    if (shape->views.pack)
        snprintf(name, 16, "i.x[%u]", k);
    else
        snprintf(name, 16, "i");
}

/* Writes the type of the elements of array k. */
static void name_element(const map_shape *shape, uint32_t k, char name[40]) {
    snprintf(name, 40, shape->views.paired[k] ? "complex_parts<%s>" : "%s", c_type(shape->leaves[k].dtype));
}

static void write_loads(text *t, const map_shape *shape) {
    char at[16], element[40];
    line(t, "    template <int V> struct loads {");
    for (uint32_t k = 0; k < shape->leaf_count; k++)
        if (is_loaded(shape, k)) {
            name_element(shape, k, element);
            line(t, "        packed<%s, %s> x%u;", element, elements_of(shape, k), k);
        }
    line(t, "    };");
    line(t, "    template <int V>");
    line(t, "    static __device__ __forceinline__ loads<V> load(const formula_operand *o, %si) {",
         position_type(shape));
    line(t, "        loads<V> l;");
    for (uint32_t k = 0; k < shape->leaf_count; k++) {
        name_position(shape, k, at);
        name_element(shape, k, element);
        if (is_loaded(shape, k))
            line(t, "        l.x%u = %s<%s, %s>(o[%u], %s);", k, shape->views.pack ? "load_at" : "load_packed",
                 element, elements_of(shape, k), k, at);
    }
    line(t, "        return l;");
    line(t, "    }");
}

static void write_leaf(text *t, const map_shape *shape, uint32_t k) {
    const char *type = c_type(shape->dtype);
    const char *member = shape->dtype == WEFT_F32 ? "f32" : shape->dtype == WEFT_F64 ? "f64" : "u64";
    char at[16];
    name_position(shape, k, at);
    const weft_dtype from = shape->leaves[k].dtype;
    const bool half = type_is_half(from);
    const bool imaginary = k > 0 && shape->views.paired[k - 1];
    const uint32_t array = imaginary ? k - 1 : k;
    if (shape->leaves[k].kind == LEAF_ARRAY)
        line(t, "        const %s x%u = (%s)%s%s(l.x%u.element[%s]%s);", type, k, type, half ? "weft_from_bits_" : "",
             half ? type_name(from) : "", array, shape->views.repeated[array] ? "0" : "e",
             imaginary                ? ".im"
             : shape->views.paired[k] ? ".re"
                                      : "");
    if (shape->leaves[k].kind == LEAF_VALUE)
        line(t, "        const %s x%u = (%s)o[%u].%s;", type, k, type, k, member);
    if (shape->leaves[k].kind == LEAF_INDEX)
        line(t, "        const %s x%u = (%s)(o[%u].u64 + %s + e);", type, k, type, k, at);
}

/* Writes the name of an operand: x<k> for a leaf, or s<step> for the last step that wrote the register. */
static void name_operand(const int *writers, uint8_t operand, char name[8]) {
    if (operand < MAP_REGISTERS)
        snprintf(name, 8, "s%d", writers[operand]);
    else
        snprintf(name, 8, "x%d", operand - MAP_REGISTERS);
}

static void write_steps(text *t, const map_shape *shape) {
    int writers[MAP_REGISTERS] = {0};
    char a[8], b[8], c[8];
    for (uint32_t s = 0; s < shape->step_count; s++) {
        const map_step step = shape->steps[s];
        name_operand(writers, step.a, a);
        name_operand(writers, step.b, b);
        name_operand(writers, step.c, c);
        line(t, "        const %s s%u = weft_map_%s(MAP_%s, %s, %s, %s);", c_type(shape->dtype), s,
             type_name(shape->dtype), step_name(step.op), a, b, c);
        writers[step.to] = (int)s;
    }
    const bool half = type_is_half(shape->result);
    const char *const stored = half ? "weft_round_" : "canonical", *const type = half ? type_name(shape->result) : "";
    if (shape->is_complex)
        line(t, "        return value{%s%s(s%d), %s%s(s%d)};", stored, type, writers[shape->results[0]], stored, type,
             writers[shape->results[1]]);
    else
        line(t, "        return %s%s(s%u);", stored, type, shape->step_count - 1);
}

/* Writes the function that prefetches the operands of elements i .. i + count - 1. */
static void write_prefetch(text *t, const map_shape *shape) {
    line(t, "    static __device__ void prefetch(const formula_operand *o, uint64_t i, uint32_t count) {");
    for (uint32_t k = 0; k < shape->leaf_count; k++) {
        const char *type = c_type(shape->leaves[k].dtype);
        if (shape->leaves[k].kind == LEAF_ARRAY)
            line(t, "        prefetch_l2((const %s *)o[%u].array + i, count * sizeof(%s));", type, k, type);
    }
    line(t, "    }");
}

static void write_formula(text *t, const map_shape *shape, const kernel *consumer) {
    const char *type = c_type(shape->result);
    line(t, "struct formula {");
    line(t, shape->is_complex ? "    typedef complex_parts<%s> value;" : "    typedef %s value;", type);
    if (shape->views.pack) {
        line(t, "    typedef %s part;", type);
        line(t, "    static constexpr bool PARTS_APART = %d;", shape->views.parts_apart);
        line(t, "    static constexpr int DIMENSIONS = %u, LEAVES = %u;", shape->views.dimensions, shape->leaf_count);
        line(t, "    typedef view_position<LEAVES> position;");
    }
    write_loads(t, shape);
    if (consumer && consumer->kind == KERNEL_SCAN) write_prefetch(t, shape);
    line(t, "    template <int V>");
    line(t, "    static __device__ __forceinline__ value");
    line(t, "    at(const loads<V> &l, const formula_operand *o, %si, int e) {", position_type(shape));
    for (uint32_t k = 0; k < shape->leaf_count; k++) write_leaf(t, shape, k);
    write_steps(t, shape);
    line(t, "    }");
    line(t, "};");
}

static void write_includes(text *t, const map_shape *shape, const kernel *consumer) {
    if (!consumer) {
        line(t, "#include \"cuda/map/map_%s.cuh\"", shape->views.pack ? "views" : "values");
    } else if (consumer->kind == KERNEL_SCAN) {
        line(t, "#include \"cuda/map/map_scan.cuh\"");
    } else {
        line(t, "#include \"cuda/reduce/%s.cuh\"", consumer->kind == KERNEL_UNORDERED ? "integers" : "sums");
        line(t, "#include \"cuda/reduce/%s.cuh\"", consumer->kind == KERNEL_UNORDERED ? "extremes" : "variance");
        line(t, "#include \"cuda/map/map_reduce.cuh\"");
    }
}

/* Returns the launch bounds of the kernel, which equal those of the consumer's. */
static const char *bounds_of(const kernel *consumer) {
    if (!consumer) return "FORMULA_THREADS";
    switch (consumer->kind) {
    case KERNEL_TREE: return "WARPS_MAX *WARP, TREE_BLOCKS";
    case KERNEL_UNORDERED: return "WARPS_MAX *WARP, UNORDERED_BLOCKS";
    default: return "SCAN_THREADS, SCAN_BLOCKS";
    }
}

static void write_kernel(text *t, const map_shape *shape, const kernel *consumer) {
    const int rows = map_text_rows(shape);
    line(t, "extern \"C\" __global__ void __launch_bounds__(%s)", bounds_of(consumer));
    line(t, FORMULA_KERNEL "(const __grid_constant__ formula_params f) {");
    if (shape->views.pack)
        line(t, "    map_views<formula, %u, %d>(f);", shape->views.pack, rows ? rows : 1);
    else if (!consumer && rows == 0)
        line(t, "    map_values<formula, 1, 1>(f);");
    else if (!consumer)
        line(t, "    map_values<formula, %u, %d>(f);", map_text_vector(shape->dtype, shape->result), rows);
    else if (consumer->kind == KERNEL_SCAN)
        line(t, "    scan_formula<%s<%s>, formula, %d>(f);", consumer->op, consumer->types, rows);
    else
        line(t, "    %s<%s, formula, %d>(f);",
             consumer->kind == KERNEL_UNORDERED ? "reduce_unordered" : "reduce_tree", consumer->op,
             reduction_rows(shape, consumer));
    line(t, "}");
}

char *map_text(const map_shape *shape, const kernel *consumer) {
    text t = {(char *)malloc(TEXT_BYTES), 0};
    if (!t.at) return NULL;
    write_includes(&t, shape, consumer);
    write_formula(&t, shape, consumer);
    write_kernel(&t, shape, consumer);
    t.at[t.used] = 0;
    return t.at;
}
