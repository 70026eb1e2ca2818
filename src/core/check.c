#include "core/check.h"

/* ------------------------------------------------------------------------ memory */

weft_status check_doubtful_array(const weft_context *ctx, size_t n, size_t size, const range *r, weft_error *error) {
    const weft_backend *const gpu = weft_plugin;
    RETURN_IF(!r->p, WEFT_INVALID, "%s is NULL", r->name);
    RETURN_IF(n > SIZE_MAX / size || (uintptr_t)r->p > UINTPTR_MAX - n * size, WEFT_INVALID,
              "%s: %zu elements of %zu bytes do not fit in memory", r->name, n, size);
    RETURN_IF(((uintptr_t)r->p & (size - 1)) != 0, WEFT_INVALID,
              "%s is at %p, which is not aligned to its %zu-byte elements", r->name, r->p, size);
    RETURN_IF(gpu && gpu != ctx->backend && gpu->device_only(r->p), WEFT_INVALID,
              "%s is GPU memory, which a %s context cannot access", r->name, ctx->backend->name);
    return WEFT_OK;
}

weft_status check_overlap(const range *a, const range *b, weft_error *error) {
    return weft_fail(error, WEFT_INVALID, "%s (%zu bytes at %p) overlaps %s (%zu bytes at %p)", a->name, a->bytes,
                     a->p, b->name, b->bytes, b->p);
}

weft_status check_lines(const weft_context *ctx, const char *name, weft_lines lines, size_t systems, size_t n,
                        size_t values, size_t size, range *r, weft_error *error) {
    size_t steps, span;
    if (systems == 0 || n == 0) return check_array(ctx, name, lines.p, 0, size, r, error);
    RETURN_IF(__builtin_mul_overflow(n - 1, lines.step, &steps) ||
                  __builtin_mul_overflow(systems - 1, lines.line, &span) ||
                  __builtin_add_overflow(span, steps, &span) || span == SIZE_MAX ||
                  __builtin_mul_overflow(span + 1, values, &span),
              WEFT_INVALID, "%s: %zu systems with stride %zu, of %zu rows with stride %zu, do not fit in memory",
              name, systems, lines.line, n, lines.step);
    return check_array(ctx, name, lines.p, span, size, r, error);
}

weft_status check_distinct(weft_lines d, size_t systems, size_t n, weft_error *error) {
    const bool distinct = n > 1 && systems > 1 ? (d.step > 0 && d.line > (n - 1) * d.step) ||
                                                     (d.line > 0 && d.step > (systems - 1) * d.line)
                                               : !(n > 1 && d.step == 0) && !(systems > 1 && d.line == 0);
    RETURN_IF(!distinct, WEFT_INVALID, "d: %zu systems with stride %zu, of %zu rows with stride %zu, overlap",
              systems, d.line, n, d.step);
    return WEFT_OK;
}

weft_status check_host_value(const char *name, const void *p, weft_error *error) {
    const weft_backend *const gpu = weft_plugin;
    RETURN_IF(gpu && p && gpu->device_only(p), WEFT_INVALID, "%s is GPU memory: it must be host memory", name);
    return WEFT_OK;
}

/* ------------------------------------------------------------------------- types */

weft_status check_type(weft_dtype dtype, weft_error *error) {
    RETURN_IF(weft_dtype_size(dtype) == 0, WEFT_INVALID, "invalid dtype %d", (int)dtype);
    return WEFT_OK;
}

weft_status check_kind(weft_dtype dtype, type_kind *kind, weft_error *error) {
    static const type_kind kinds[] = {
        KIND_SIGNED, /* WEFT_DEFAULT, refused below */
#define TYPE(ID, name, ctype, kind, npy) KIND_##kind,
#include "core/types.def"
    };
    RETURN_IF_ERROR(check_type(dtype, error));
    RETURN_IF(type_is_half(dtype), WEFT_UNSUPPORTED,
              "this operation does not support %s elements: expected f32, f64 or integers", weft_dtype_name(dtype));
    *kind = kinds[dtype];
    return WEFT_OK;
}

weft_status check_no_float(const char *what, weft_dtype dtype, weft_error *error) {
    RETURN_IF_ERROR(check_type(dtype, error));
    return weft_fail(error, WEFT_UNSUPPORTED, "%s requires f32 or f64 elements, not %s", what,
                     weft_dtype_name(dtype));
}

weft_dtype check_wide_type(weft_dtype dtype, type_kind kind, weft_dtype accumulate) {
    if (kind == KIND_SIGNED) return WEFT_I64;
    if (kind == KIND_UNSIGNED) return WEFT_U64;
    return accumulate == WEFT_F64 ? WEFT_F64 : dtype;
}

weft_status check_result(const char *what, result_rule rule, weft_dtype dtype, weft_dtype accumulate,
                         weft_dtype *result, weft_error *error) {
    type_kind kind;
    RETURN_IF_ERROR(check_kind(dtype, &kind, error));
    const weft_dtype wide = check_wide_type(dtype, kind, accumulate);
    switch (rule) {
    case WIDE: *result = wide; break;
    case REAL: *result = kind == KIND_FLOAT ? wide : WEFT_F64; break;
    case SAME: *result = dtype; break;
    case INDEX: *result = WEFT_U64; break;
    case TRUTH: *result = WEFT_U8; break;
    }
    const bool offered = (rule == WIDE || rule == REAL) && accumulate == *result;
    RETURN_IF(accumulate != WEFT_DEFAULT && !offered, WEFT_UNSUPPORTED, "%s of %s cannot accumulate in %s", what,
              weft_dtype_name(dtype), weft_dtype_name(accumulate));
    return WEFT_OK;
}

weft_status check_exact(const char *what, bool offered, weft_dtype dtype, weft_dtype *result, weft_error *error) {
    type_kind kind;
    RETURN_IF_ERROR(check_kind(dtype, &kind, error));
    RETURN_IF(
        !offered || kind != KIND_FLOAT, WEFT_UNSUPPORTED,
        "%s of %s cannot accumulate in exact: only sum, mean, norm1, norm2, variance and dot of f32 and f64 can",
        what, weft_dtype_name(dtype));
    *result = dtype;
    return WEFT_OK;
}

weft_status check_index_type(const char *what, weft_range rule, weft_dtype dtype, weft_error *error) {
    RETURN_IF((unsigned)rule > WEFT_RANGE_SKIP, WEFT_INVALID, "invalid range %d", (int)rule);
    RETURN_IF_ERROR(check_type(dtype, error));
    RETURN_IF(type_is_real(dtype) || weft_dtype_size(dtype) < 4, WEFT_UNSUPPORTED,
              "%s requires i32, i64, u32 or u64 indices, not %s", what, weft_dtype_name(dtype));
    return WEFT_OK;
}

weft_status check_index_array(const weft_context *ctx, const char *what, weft_range rule, weft_dtype dtype, size_t n,
                              const void *index, range *r, weft_error *error) {
    RETURN_IF_ERROR(check_index_type(what, rule, dtype, error));
    return check_array(ctx, "index", index, n, weft_dtype_size(dtype), r, error);
}

/* --------------------------------------------------------------------- operators */

static const struct {
    domain_rule domain;
    result_rule result;
    empty_rule empty;
} OPS[] = {
#define REDUCE(ID, name, domain, result, empty, help) {domain, result, empty},
#include "core/ops.def"
};
#define OP_COUNT (sizeof OPS / sizeof *OPS)

weft_status check_reduce_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                              weft_error *error) {
    type_kind kind;
    RETURN_IF((unsigned)op >= OP_COUNT, WEFT_INVALID, "invalid op %d", (int)op);
    RETURN_IF_ERROR(check_kind(dtype, &kind, error));
    RETURN_IF(OPS[op].domain == INTEGER && kind == KIND_FLOAT, WEFT_UNSUPPORTED,
              "%s requires integer elements, not %s", weft_op_name(op), weft_dtype_name(dtype));
    return check_result(weft_op_name(op), OPS[op].result, dtype, accumulate, result, error);
}

weft_status check_whole_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                             weft_error *error) {
    const bool sums = op == WEFT_SUM || op == WEFT_MEAN || op == WEFT_NORM1 || op == WEFT_NORM2;
    if (accumulate != WEFT_EXACT_SUM || (unsigned)op >= OP_COUNT)
        return check_reduce_type(op, dtype, accumulate, result, error);
    return check_exact(weft_op_name(op), sums, dtype, result, error);
}

/* Determines the result type of a reduction of f16 or bf16: that of f32, but the type of the elements in place of f32
 * unless the caller requests f32. */
static weft_status check_halves(const char *what, result_rule rule, weft_dtype dtype, weft_dtype accumulate,
                                weft_dtype *result, weft_error *error) {
    const bool real = rule == WIDE || rule == REAL;
    const bool offered = real && (accumulate == WEFT_F32 || accumulate == WEFT_F64);
    RETURN_IF(accumulate != WEFT_DEFAULT && !offered, WEFT_UNSUPPORTED, "%s of %s cannot accumulate in %s", what,
              weft_dtype_name(dtype), weft_dtype_name(accumulate));
    *result = rule == INDEX ? WEFT_U64 : rule == TRUTH ? WEFT_U8 : offered ? accumulate : dtype;
    return WEFT_OK;
}

weft_status check_reduction_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                                 weft_error *error) {
    if (!type_is_half(dtype)) return check_whole_type(op, dtype, accumulate, result, error);
    RETURN_IF((unsigned)op >= OP_COUNT, WEFT_INVALID, "invalid op %d", (int)op);
    RETURN_IF(OPS[op].domain == INTEGER, WEFT_UNSUPPORTED, "%s requires integer elements, not %s", weft_op_name(op),
              weft_dtype_name(dtype));
    return check_halves(weft_op_name(op), OPS[op].result, dtype, accumulate, result, error);
}

weft_status check_variance_type(weft_dtype dtype, weft_dtype accumulate, weft_dtype *result, weft_error *error) {
    if (type_is_half(dtype)) return check_halves("variance", REAL, dtype, accumulate, result, error);
    return accumulate == WEFT_EXACT_SUM ? check_exact("variance", true, dtype, result, error)
                                        : check_result("variance", REAL, dtype, accumulate, result, error);
}

weft_status check_dot_type(weft_dtype dtype, weft_dtype accumulate, weft_dtype *result, weft_error *error) {
    if (type_is_half(dtype)) return check_halves("dot", WIDE, dtype, accumulate, result, error);
    return accumulate == WEFT_EXACT_SUM ? check_exact("dot", true, dtype, result, error)
                                        : check_result("dot", WIDE, dtype, accumulate, result, error);
}

bool check_needs_elements(weft_op op) { return OPS[op].empty == FAILS; }

weft_status check_combines(const char *what, weft_op op, weft_error *error) {
    RETURN_IF((unsigned)op >= OP_COUNT, WEFT_INVALID, "invalid op %d", (int)op);
    RETURN_IF(OPS[op].result != SAME && OPS[op].result != WIDE, WEFT_UNSUPPORTED,
              "%s: invalid operator %s: expected sum, prod, min, max, and, or, xor", what, weft_op_name(op));
    return WEFT_OK;
}

weft_status check_scan_type(const char *what, weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                            weft_error *error) {
    type_kind kind;
    const bool widens = op == WEFT_SUM || op == WEFT_PROD;
    RETURN_IF_ERROR(check_kind(dtype, &kind, error));
    RETURN_IF_ERROR(check_combines(what, op, error));
    RETURN_IF(OPS[op].domain == INTEGER && kind == KIND_FLOAT, WEFT_UNSUPPORTED,
              "%s requires integer elements, not %s", weft_op_name(op), weft_dtype_name(dtype));
    *result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    RETURN_IF(*result != dtype && !(widens && accumulate == check_wide_type(dtype, kind, WEFT_F64)), WEFT_UNSUPPORTED,
              "%s with %s of %s cannot accumulate in %s", what, weft_op_name(op), weft_dtype_name(dtype),
              weft_dtype_name(accumulate));
    return WEFT_OK;
}

weft_status check_array_scan_type(const char *what, weft_op op, weft_dtype dtype, weft_dtype accumulate,
                                  weft_dtype *result, weft_error *error) {
    if (!type_is_half(dtype)) return check_scan_type(what, op, dtype, accumulate, result, error);
    const bool widens = op == WEFT_SUM || op == WEFT_PROD;
    RETURN_IF_ERROR(check_combines(what, op, error));
    RETURN_IF(OPS[op].domain == INTEGER, WEFT_UNSUPPORTED, "%s requires integer elements, not %s", weft_op_name(op),
              weft_dtype_name(dtype));
    *result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    RETURN_IF(*result != dtype && !(widens && type_is_float(accumulate)), WEFT_UNSUPPORTED,
              "%s with %s of %s cannot accumulate in %s", what, weft_op_name(op), weft_dtype_name(dtype),
              weft_dtype_name(accumulate));
    return WEFT_OK;
}
