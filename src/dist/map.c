/* weft_dist_map, weft_dist_map_reduce: each rank evaluates the formula on its slice. Elements are numbered within
 * the whole array. weft_dist_map_reduce then reduces the values. */
#include "core/parts.h"
#include "dist/dist.h"

#include <string.h>

typedef struct mapping {
    weft_dist *d;
    const char *formula;
    weft_expr *expr;
    weft_dtype dtype;
    size_t n, count;
    const weft_binding *bindings;
} mapping;

/* Returns a hash of the bindings' names, types and scalars, but not of the addresses of arrays. */
static uint64_t hash_bindings(const mapping *m) {
    uint64_t hash = DIST_HASH;
    for (size_t i = 0; i < m->count; i++) {
        const weft_binding *const b = &m->bindings[i];
        const unsigned char kind[2] = {(unsigned char)b->dtype, b->scalar != NULL};
        if (b->name) hash = dist_hash(hash, b->name, strlen(b->name) + 1);
        hash = dist_hash(hash, kind, sizeof kind);
        if (b->scalar) hash = dist_hash(hash, b->scalar, weft_dtype_size(b->dtype));
    }
    return hash;
}

/* Checks the formula and the bindings by weft_map of no elements, then the addresses of the arrays. */
static weft_status check_mapping(mapping *m) {
    weft_dist *const d = m->d;
    RETURN_IF_ERROR(dist_took(d, weft_expr_compile(d->ctx, m->formula, &m->expr)));
    RETURN_IF_ERROR(dist_took(d, weft_map(d->ctx, m->expr, m->dtype, 0, m->bindings, m->count, NULL)));
    for (size_t i = 0; i < m->count; i++)
        if (!m->bindings[i].scalar)
            RETURN_IF_ERROR(dist_check_array(d, m->bindings[i].name, m->bindings[i].array, m->n,
                                             weft_dtype_size(m->bindings[i].dtype)));
    return WEFT_OK;
}

static weft_status evaluate(const mapping *m, void *out) {
    return dist_took(m->d,
                     weft_part_map(m->d->ctx, m->expr, m->dtype, dist_first(m->d), m->n, m->bindings, m->count, out));
}

/* Returns a hash of the formula, which ranks compare in place of its text. */
static uint64_t hash_formula(const mapping *m) {
    return m->formula ? dist_hash(DIST_HASH, m->formula, strlen(m->formula)) : 0;
}

static weft_status run_map(mapping *m, weft_slice slice, void *out) {
    weft_status status = check_mapping(m);
    const size_t size = weft_dtype_size(m->dtype);
    if (status == WEFT_OK) status = dist_check_array(m->d, "out", out, m->n, size);
    for (size_t i = 0; i < m->count && status == WEFT_OK; i++) {
        const weft_binding *const b = &m->bindings[i];
        if (!b->scalar && (b->array != out || b->dtype != m->dtype))
            status =
                dist_check_apart(m->d, "out", out, m->n * size, b->name, b->array, m->n * weft_dtype_size(b->dtype));
    }
    const agreed list[] = {{"dtype", AS_TYPE, m->dtype},
                           {"the formula's hash", AS_BITS, hash_formula(m)},
                           {"the bindings' hash", AS_BITS, status == WEFT_OK ? hash_bindings(m) : 0}};
    RETURN_IF_ERROR(dist_begin(m->d, "map", list, 3, slice, status));
    return dist_finish(m->d, evaluate(m, out));
}

weft_status weft_dist_map(weft_dist *d, const char *formula, weft_dtype dtype, weft_slice slice,
                          const weft_binding *bindings, size_t count, void *out) {
    if (!d) return WEFT_INVALID;
    mapping m = {.d = d, .formula = formula, .dtype = dtype, .n = slice.count, .bindings = bindings, .count = count};
    const weft_status status = run_map(&m, slice, out);
    weft_expr_free(m.expr);
    return status;
}

static weft_status check_map_reduce(mapping *m, weft_op op, weft_dtype accumulate, const void *out) {
    weft_error *error = &m->d->error;
    weft_dtype result;
    RETURN_IF_ERROR(check_mapping(m));
    RETURN_IF(type_is_half(m->dtype), WEFT_UNSUPPORTED,
              "formulas are evaluated in f32, f64, i32, i64, u32 or u64, not in %s", weft_dtype_name(m->dtype));
    const weft_status status = weft_reduce_result(op, m->dtype, accumulate, &result);
    RETURN_IF(status != WEFT_OK, status, "%s", weft_last_error(NULL));
    RETURN_IF(!out, WEFT_INVALID, "out is NULL");
    return WEFT_OK;
}

static weft_status reduce_values(const mapping *m, weft_op op, weft_dtype accumulate, void *out) {
    weft_error *error = &m->d->error;
    const size_t size = weft_dtype_size(m->dtype);
    char *values = NULL;
    weft_status status = WEFT_OK;
    if (m->n > SIZE_MAX / size)
        status = weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate memory for %zu values of the formula", m->n);
    if (status == WEFT_OK) status = dist_workspace(m->d, 0, m->n * size, &values);
    if (status == WEFT_OK) status = evaluate(m, values);
    RETURN_IF_ERROR(dist_agree(m->d, status));
    return dist_reduce_agreed(m->d, op, m->dtype, accumulate, m->n, values, out);
}

weft_status weft_dist_map_reduce(weft_dist *d, weft_op op, const char *formula, weft_dtype dtype,
                                 weft_dtype accumulate, weft_slice slice, const weft_binding *bindings, size_t count,
                                 void *out) {
    if (!d) return WEFT_INVALID;
    mapping m = {.d = d, .formula = formula, .dtype = dtype, .n = slice.count, .bindings = bindings, .count = count};
    weft_status status = check_map_reduce(&m, op, accumulate, out);
    const agreed list[] = {{"op", AS_OPERATOR, op},
                           {"dtype", AS_TYPE, dtype},
                           {"accumulate", AS_TYPE, accumulate},
                           {"the formula's hash", AS_BITS, hash_formula(&m)},
                           {"the bindings' hash", AS_BITS, status == WEFT_OK ? hash_bindings(&m) : 0}};
    status = dist_begin(d, "map_reduce", list, 5, slice, status);
    if (status == WEFT_OK) status = reduce_values(&m, op, accumulate, out);
    weft_expr_free(m.expr);
    return status;
}
