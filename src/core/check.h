/* Argument checks shared by the operations. Each writes its message to `error`. */
#ifndef WEFT_CORE_CHECK_H
#define WEFT_CORE_CHECK_H

#include "core/context.h"
#include "core/types.h"

/* Memory range of one argument; `name` is used in messages. */
typedef struct range {
    const char *name;
    const void *p;
    size_t bytes;
} range;

/* check_array for an array that is NULL, too large or not aligned, or that may be memory of a GPU. r->p is its
 * address. */
__attribute__((cold)) weft_status check_doubtful_array(const weft_context *ctx, size_t n, size_t size, const range *r,
                                                       weft_error *error);

/* Checks an array of n elements of `size` bytes, a power of two, at p: not NULL, aligned, not past the end of the
 * address space, and accessible by this context. p is not checked if n is 0. Fills *r. Inline, because every call
 * checks its arrays. */
static inline weft_status check_array(const weft_context *ctx, const char *name, const void *p, size_t n, size_t size,
                                      range *r, weft_error *error) {
    const weft_backend *const gpu = weft_plugin;
    const uintptr_t start = (uintptr_t)p;
    size_t bytes, end;
    const bool overflows =
        __builtin_mul_overflow(n, size, &bytes) || __builtin_add_overflow((size_t)start, bytes, &end);
    const bool usual = p && !overflows && (start & (size - 1)) == 0 && (!gpu || gpu == ctx->backend);
    *r = (range){name, p, bytes};
    return n == 0 || usual ? WEFT_OK : check_doubtful_array(ctx, n, size, r, error);
}

/* Fails with the message of check_apart. */
__attribute__((cold)) weft_status check_overlap(const range *a, const range *b, weft_error *error);

/* Fails if the two ranges overlap. */
static inline weft_status check_apart(const range *a, const range *b, weft_error *error) {
    const uintptr_t start_a = (uintptr_t)a->p, start_b = (uintptr_t)b->p;
    const bool overlap = a->bytes && b->bytes && start_a < start_b + b->bytes && start_b < start_a + a->bytes;
    return overlap ? check_overlap(a, b, error) : WEFT_OK;
}

/* Checks the memory that `systems` lines of n elements span; an element has `values` values of `size` bytes. */
weft_status check_lines(const weft_context *ctx, const char *name, weft_lines lines, size_t systems, size_t n,
                        size_t values, size_t size, range *r, weft_error *error);
/* Checks that no two elements of d have the same address: one of step and line must exceed the extent of the elements
 * in the other direction. systems and n must not be 0. */
weft_status check_distinct(weft_lines d, size_t systems, size_t n, weft_error *error);
/* Checks that a value is in host memory. NULL is allowed. */
weft_status check_host_value(const char *name, const void *p, weft_error *error);

/* Determines the result type of a sum that accumulates exactly (WEFT_EXACT_SUM): that of the elements. `offered` is
 * false for operators without exact sums. */
weft_status check_exact(const char *what, bool offered, weft_dtype dtype, weft_dtype *result, weft_error *error);
/* The keywords of core/ops.def. */
typedef enum result_rule { WIDE, SAME, INDEX, TRUTH, REAL } result_rule;
typedef enum domain_rule { ANY, INTEGER } domain_rule;
typedef enum empty_rule { DEFINED, FAILS } empty_rule;

/* Fails for invalid types. */
weft_status check_type(weft_dtype dtype, weft_error *error);
/* Determines the kind of an element type; fails for invalid types, and for f16 and bf16. */
weft_status check_kind(weft_dtype dtype, type_kind *kind, weft_error *error);
/* Checks the type, the field, the mode and the lengths of a convolution. Sets its members is_complex, first and
 * count. */
weft_status check_convolution(convolve_call *c, weft_field field, weft_convolve_mode mode, weft_error *error);
/* Fails with the message of check_float. */
__attribute__((cold)) weft_status check_no_float(const char *what, weft_dtype dtype, weft_error *error);

/* Fails unless the element type is f32 or f64. `what` is the operation's name. */
static inline weft_status check_float(const char *what, weft_dtype dtype, weft_error *error) {
    return type_is_float(dtype) ? WEFT_OK : check_no_float(what, dtype, error);
}

/* Returns the type of sums of `dtype`: i64, u64, f32 or f64. */
weft_dtype check_wide_type(weft_dtype dtype, type_kind kind, weft_dtype accumulate);
/* Determines the result type under a rule; fails for accumulate types that the rule does not offer. */
weft_status check_result(const char *what, result_rule rule, weft_dtype dtype, weft_dtype accumulate,
                         weft_dtype *result, weft_error *error);

/* Checks the treatment of indices out of range and the type of the indices. `what` is the operation's name. */
weft_status check_index_type(const char *what, weft_range rule, weft_dtype dtype, weft_error *error);
/* Checks the arguments range, index_dtype and index of an operation on n indices, but not the values of the indices.
 * `what` is the operation's name. Fills *r. */
weft_status check_index_array(const weft_context *ctx, const char *what, weft_range rule, weft_dtype dtype, size_t n,
                              const void *index, range *r, weft_error *error);

/* Determines the result type of an operator of weft_reduce. */
weft_status check_reduce_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                              weft_error *error);
/* check_reduce_type for reductions that can also accumulate exactly (WEFT_EXACT_SUM). */
weft_status check_whole_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                             weft_error *error);
/* check_whole_type for reductions that also take f16 and bf16. */
weft_status check_reduction_type(weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                                 weft_error *error);
/* Determines the result type of a variance, also of f16 and bf16. */
weft_status check_variance_type(weft_dtype dtype, weft_dtype accumulate, weft_dtype *result, weft_error *error);
/* Determines the result type of a dot product, also of f16 and bf16. */
weft_status check_dot_type(weft_dtype dtype, weft_dtype accumulate, weft_dtype *result, weft_error *error);
/* Returns true if the operator is undefined for zero elements. op must be valid. */
bool check_needs_elements(weft_op op);
/* Fails unless op is sum, prod, min, max, and, or, xor. */
weft_status check_combines(const char *what, weft_op op, weft_error *error);
/* Determines the result type of a scan: the element's type, or for sum and prod a wider type of its kind. */
weft_status check_scan_type(const char *what, weft_op op, weft_dtype dtype, weft_dtype accumulate, weft_dtype *result,
                            weft_error *error);
/* check_scan_type for scans of arrays, which also take f16 and bf16. */
weft_status check_array_scan_type(const char *what, weft_op op, weft_dtype dtype, weft_dtype accumulate,
                                  weft_dtype *result, weft_error *error);

#endif
