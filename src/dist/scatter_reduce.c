/* weft_dist_scatter_reduce: each row is sent to the rank that has the results of its target. Rows arrive in the order
 * of the ranks and of their positions, so that rank reduces them as one array. If the order of the elements is free
 * and there are fewer targets than rows, each rank first reduces its rows, and sends one row for each target that it
 * has. weft_dist_scatter_count: adds the counts of all slices, which are integers. */
#include "core/indices.h"
#include "core/parts.h"
#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>

typedef struct scatter {
    weft_dist *d;
    weft_op op;
    weft_range range;
    weft_dtype dtype, accumulate, result, index_dtype;
    size_t n, columns, m; /* rows of this rank; targets of all ranks */
    size_t row, size;     /* bytes of a row, and of an index */
    uint64_t least, more; /* targets of a rank; number of ranks, from 0, that have one more */
    const void *x, *index, *init;
    void *out;
    uint64_t *counts;
    /* One entry for each rank, in d->roots: */
    uint64_t *own, *all; /* rows for each rank, and rows from each rank */
    uint64_t *next;      /* position of the next row for each rank */
    uint64_t *first;     /* first target of each rank */
} scatter;

/* Indices and rows in host memory. NULL members are not allocated. */
typedef struct buffers {
    void *index, *x;
} buffers;

static weft_slice targets_of(const scatter *s, int rank) { return weft_slice_share(s->m, s->d->size, rank); }

/* ------------------------------------------------------------------------------ host memory */

/* Allocates arrays of n indices and n rows. */
static weft_status hold(const scatter *s, size_t n, buffers *b) {
    weft_error *error = &s->d->error;
    size_t bytes;
    weft_status status = WEFT_OUT_OF_MEMORY;
    if (!__builtin_mul_overflow(n, s->row > s->size ? s->row : s->size, &bytes)) {
        status = dist_took(s->d, weft_alloc(s->d->ctx, WEFT_PINNED, n * s->size, &b->index));
        if (status == WEFT_OK) status = dist_took(s->d, weft_alloc(s->d->ctx, WEFT_PINNED, n * s->row, &b->x));
    }
    RETURN_IF(status == WEFT_OUT_OF_MEMORY, status, "cannot allocate host memory for a copy of %zu rows", n);
    return status;
}

static void release(const scatter *s, const buffers *b) {
    (void)weft_free(s->d->ctx, WEFT_PINNED, b->index);
    (void)weft_free(s->d->ctx, WEFT_PINNED, b->x);
}

/* Sets *at to a slice of this rank in host memory: the slice itself, or a copy in *copy if only a GPU can access it.
 */
static weft_status near(const scatter *s, const void *slice, size_t bytes, void **copy, const void **at) {
    *at = slice;
    if (s->n == 0 || !weft_part_device_only(s->d->ctx, slice)) return WEFT_OK;
    RETURN_IF_ERROR(dist_took(s->d, weft_alloc(s->d->ctx, WEFT_PINNED, bytes, copy)));
    *at = *copy;
    return dist_copy(s->d, bytes, slice, *copy);
}

/* ------------------------------------------------------------------------------ the indices */

/* Fails if an index of this rank is out of range and the call does not skip it. */
static weft_status check_indices(const scatter *s, const void *index) {
    if (s->range == WEFT_RANGE_SKIP) return WEFT_OK;
    const size_t i = indices_find(s->index_dtype, s->n, index, s->m);
    if (i == s->n) return WEFT_OK;
    return indices_fail(&s->d->error, s->index_dtype, dist_first(s->d) + i, indices_at(s->index_dtype, index, i),
                        s->m);
}

/* Returns the status of a call on this rank's indices. If an index is out of range, its position in the message is
 * that in the whole array. */
static weft_status locate(const scatter *s, weft_status status) {
    const void *index;
    void *copy = NULL;
    if (status != WEFT_INVALID) return status;
    weft_status found = near(s, s->index, s->n * s->size, &copy, &index);
    if (found == WEFT_OK) found = check_indices(s, index);
    (void)weft_free(s->d->ctx, WEFT_PINNED, copy);
    return found == WEFT_OK ? status : found;
}

/* Returns the rank that has the results of target j < m, by the rule of weft_slice_share. */
static size_t owner(const scatter *s, uint64_t j) {
    const uint64_t longer = s->more * (s->least + 1);
    if (s->m <= UINT32_MAX) /* a shorter division */
        return j < longer ? (uint32_t)j / ((uint32_t)s->least + 1)
                          : s->more + (uint32_t)(j - longer) / (uint32_t)s->least;
    return j < longer ? j / (s->least + 1) : s->more + (j - longer) / s->least;
}

static void store_index(const scatter *s, void *to, uint64_t i, uint64_t value) {
    if (s->size == sizeof(uint32_t))
        ((uint32_t *)to)[i] = (uint32_t)value;
    else
        ((uint64_t *)to)[i] = value;
}

/* Copies a row. The compiler replaces the copies of constant size. */
static void copy_row(const scatter *s, const char *from, char *to) {
    switch (s->row) {
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, s->row);
    }
}

/* Counts the rows for each rank. Returns their number. */
static size_t count_rows(const scatter *s, const void *index) {
    size_t sum = 0;
    memset(s->own, 0, (size_t)s->d->size * sizeof *s->own);
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t j = indices_at(s->index_dtype, index, i);
        if (j < s->m) s->own[owner(s, j)]++;
    }
    for (int r = 0; r < s->d->size; r++) {
        s->first[r] = targets_of(s, r).offset;
        s->next[r] = sum;
        sum += s->own[r];
    }
    return sum;
}

/* Writes the rows to `to`, ordered by the rank that receives them. An index is counted from that rank's first
 * target. */
static void pack(const scatter *s, const void *index, const char *x, const buffers *to) {
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t j = indices_at(s->index_dtype, index, i);
        if (j >= s->m) continue;
        const size_t r = owner(s, j);
        const uint64_t at = s->next[r]++;
        store_index(s, to->index, at, j - s->first[r]);
        copy_row(s, x + i * s->row, (char *)to->x + at * s->row);
    }
}

static weft_status pack_slice(const scatter *s, buffers *copies, buffers *to) {
    const void *index, *x;
    RETURN_IF_ERROR(near(s, s->index, s->n * s->size, &copies->index, &index));
    RETURN_IF_ERROR(check_indices(s, index));
    RETURN_IF_ERROR(near(s, s->x, s->n * s->row, &copies->x, &x));
    RETURN_IF_ERROR(hold(s, count_rows(s, index), to));
    pack(s, index, x, to);
    return WEFT_OK;
}

/* -------------------------------------------------------------------------------- reduction */

/* Sends the elements, of `size` bytes each, to the ranks. */
static weft_status move(const scatter *s, size_t size, const void *from, void *to) {
    weft_dist *const d = s->d;
    uint64_t in = 0, out = 0;
    for (int r = 0; r < d->size; r++) {
        d->in[r] = (extent){in, in + s->all[r] * size};
        d->out[r] = (extent){out, out + s->own[r] * size};
        in = d->in[r].end;
        out = d->out[r].end;
    }
    RETURN_IF_ERROR(d->line.begin_move(d, from, to));
    return d->line.end_move(d);
}

/* Reduces n rows to the results of this rank. */
static weft_status reduce(const scatter *s, weft_range range, size_t n, const void *x, const void *index) {
    return dist_took(s->d,
                     weft_scatter_reduce(s->d->ctx, s->op, range, s->dtype, s->accumulate, s->index_dtype, n,
                                         s->columns, targets_of(s, s->d->rank).count, x, index, s->init, s->out));
}

static weft_status exchange(const scatter *s, const buffers *from, buffers *to) {
    weft_dist *const d = s->d;
    size_t n = 0;
    RETURN_IF_ERROR(d->line.deal(d, s->own, s->all, "exchanging counts"));
    for (int r = 0; r < d->size; r++) n += s->all[r];
    RETURN_IF_ERROR(dist_agree(d, hold(s, n, to)));
    RETURN_IF_ERROR(move(s, s->size, from->index, to->index));
    RETURN_IF_ERROR(move(s, s->row, from->x, to->x));
    return dist_finish(d, reduce(s, WEFT_RANGE_SKIP, n, to->x, to->index));
}

/* Returns true if each rank reduces its rows before it sends them. */
static bool reduces_first(const scatter *s) {
    const bool has_order =
        s->op == WEFT_MEAN || (type_is_real(s->dtype) && (s->op == WEFT_SUM || s->op == WEFT_PROD));
    return !has_order && s->m < dist_total(s->d) / (uint64_t)s->d->size;
}

/* Removes the targets without rows from the partial results, and lists the indices of the others. Returns their
 * number. */
static size_t compact(const scatter *s, const uint64_t *counts, size_t row, const buffers *partial) {
    size_t n = 0;
    for (size_t j = 0; j < s->m; j++) {
        if (!counts[j]) continue;
        store_index(s, partial->index, n, j);
        memmove((char *)partial->x + n++ * row, (char *)partial->x + j * row, row);
    }
    return n;
}

/* Replaces the rows of this rank by one row for each target that it has, in `partial`. */
static weft_status reduce_slice(scatter *s, uint64_t *counts, buffers *partial) {
    weft_dist *const d = s->d;
    RETURN_IF_ERROR(
        locate(s, dist_took(d, weft_scatter_count(d->ctx, s->range, s->index_dtype, s->n, s->m, s->index, counts))));
    const scatter given = *s;
    s->dtype = s->result;
    s->accumulate = WEFT_DEFAULT;
    s->row = s->columns * weft_dtype_size(s->result);
    RETURN_IF_ERROR(hold(s, s->m, partial));
    RETURN_IF_ERROR(
        dist_took(d, weft_scatter_reduce(d->ctx, s->op, WEFT_RANGE_SKIP, given.dtype, given.accumulate,
                                         s->index_dtype, s->n, s->columns, s->m, s->x, s->index, NULL, partial->x)));
    s->n = compact(s, counts, s->row, partial);
    s->x = partial->x;
    s->index = partial->index;
    return WEFT_OK;
}

static weft_status reduce_and_pack(scatter *s, buffers *partial, buffers *copies, buffers *from) {
    weft_error *error = &s->d->error;
    if (!reduces_first(s)) return pack_slice(s, copies, from);
    uint64_t *const counts = calloc(s->m + 1, sizeof *counts);
    RETURN_IF(!counts, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the counts of %zu targets", s->m);
    weft_status status = reduce_slice(s, counts, partial);
    free(counts);
    return status == WEFT_OK ? pack_slice(s, copies, from) : status;
}

static weft_status run_reduce(scatter *s) {
    buffers partial = {0}, copies = {0}, from = {0}, to = {0};
    if (s->d->size == 1) return dist_finish(s->d, reduce(s, s->range, s->n, s->x, s->index));
    weft_status status = dist_agree(s->d, reduce_and_pack(s, &partial, &copies, &from));
    release(s, &copies);
    release(s, &partial);
    if (status == WEFT_OK) status = exchange(s, &from, &to);
    release(s, &from);
    release(s, &to);
    return status;
}

/* Checks this rank's arguments. The first call has no rows and no targets, and checks the types. */
static weft_status check_reduce(scatter *s) {
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    size_t elements, results;
    RETURN_IF(s->accumulate == WEFT_EXACT_SUM, WEFT_UNSUPPORTED,
              "scatter_reduce cannot accumulate in exact over ranks");
    RETURN_IF_ERROR(dist_took(d, weft_scatter_reduce(d->ctx, s->op, s->range, s->dtype, s->accumulate, s->index_dtype,
                                                     0, s->columns, 0, NULL, NULL, s->init, NULL)));
    (void)weft_reduce_result(s->op, s->dtype, s->accumulate, &s->result);
    const size_t m = targets_of(s, d->rank).count, size = weft_dtype_size(s->dtype),
                 width = weft_dtype_size(s->result);
    s->size = weft_dtype_size(s->index_dtype);
    RETURN_IF(__builtin_mul_overflow(s->columns, size, &s->row) ||
                  __builtin_mul_overflow(s->n, s->columns, &elements) ||
                  __builtin_mul_overflow(m, s->columns, &results),
              WEFT_INVALID, "%zu rows and %zu results of %zu columns do not fit in memory", s->n, m, s->columns);
    RETURN_IF_ERROR(dist_check_array(d, "x", s->x, elements, size));
    RETURN_IF_ERROR(dist_check_array(d, "index", s->index, s->n, s->size));
    RETURN_IF_ERROR(dist_check_array(d, "out", s->out, results, width));
    if (s->init) RETURN_IF_ERROR(dist_check_array(d, "init", s->init, results, width));
    RETURN_IF_ERROR(dist_check_apart(d, "out", s->out, results * width, "x", s->x, elements * size));
    RETURN_IF_ERROR(dist_check_apart(d, "out", s->out, results * width, "index", s->index, s->n * s->size));
    if (!s->init || s->init == s->out) return WEFT_OK;
    return dist_check_apart(d, "out", s->out, results * width, "init", s->init, results * width);
}

static scatter scatter_of(weft_dist *d, weft_range range, weft_dtype index_dtype, weft_slice rows, size_t m,
                          const void *index) {
    return (scatter){.d = d,
                     .range = range,
                     .index_dtype = index_dtype,
                     .n = rows.count,
                     .m = m,
                     .size = weft_dtype_size(index_dtype),
                     .least = m / (uint64_t)d->size,
                     .more = m % (uint64_t)d->size,
                     .index = index,
                     .own = d->roots,
                     .all = d->roots + d->size,
                     .next = d->roots + 2 * (size_t)d->size,
                     .first = d->roots + 3 * (size_t)d->size};
}

weft_status weft_dist_scatter_reduce(weft_dist *d, weft_op op, weft_range range, weft_dtype dtype,
                                     weft_dtype accumulate, weft_dtype index_dtype, weft_slice rows, size_t columns,
                                     size_t m, const void *x, const void *index, const void *init, void *out) {
    if (!d) return WEFT_INVALID;
    scatter s = scatter_of(d, range, index_dtype, rows, m, index);
    s.op = op;
    s.dtype = dtype;
    s.accumulate = accumulate;
    s.columns = columns;
    s.x = x;
    s.init = init;
    s.out = out;
    const agreed list[] = {{"op", AS_OPERATOR, op},
                           {"range", AS_NUMBER, range},
                           {"dtype", AS_TYPE, dtype},
                           {"accumulate", AS_TYPE, accumulate},
                           {"the type of the indices", AS_TYPE, index_dtype},
                           {"the number of columns", AS_NUMBER, columns},
                           {"the number of targets", AS_NUMBER, m},
                           {"the presence of init", AS_NUMBER, init != NULL}};
    RETURN_IF_ERROR(dist_begin(d, "scatter_reduce", list, 8, rows, check_reduce(&s)));
    return run_reduce(&s);
}

/* ----------------------------------------------------------------------------------- counts */

static weft_status run_count(const scatter *s) {
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    uint64_t *const own = calloc(s->m + 1, sizeof *own);
    weft_status status = WEFT_OK;
    if (!own)
        status = weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate memory for the counts of %zu targets", s->m);
    if (status == WEFT_OK)
        status =
            locate(s, dist_took(d, weft_scatter_count(d->ctx, s->range, s->index_dtype, s->n, s->m, s->index, own)));
    status = dist_agree(d, status);
    if (status == WEFT_OK) status = d->line.add(d, own, s->counts, s->m, "adding counts");
    free(own);
    return status;
}

static weft_status check_count(const scatter *s) {
    weft_dist *const d = s->d;
    RETURN_IF_ERROR(dist_took(d, weft_scatter_count(d->ctx, s->range, s->index_dtype, 0, 0, NULL, NULL)));
    RETURN_IF_ERROR(dist_check_array(d, "index", s->index, s->n, s->size));
    RETURN_IF_ERROR(dist_check_host(d, "counts", s->counts));
    RETURN_IF_ERROR(dist_check_array(d, "counts", s->counts, s->m, sizeof *s->counts));
    return dist_check_apart(d, "counts", s->counts, s->m * sizeof *s->counts, "index", s->index, s->n * s->size);
}

weft_status weft_dist_scatter_count(weft_dist *d, weft_range range, weft_dtype index_dtype, weft_slice rows, size_t m,
                                    const void *index, uint64_t *counts) {
    if (!d) return WEFT_INVALID;
    scatter s = scatter_of(d, range, index_dtype, rows, m, index);
    s.counts = counts;
    const agreed list[] = {{"range", AS_NUMBER, range},
                           {"the type of the indices", AS_TYPE, index_dtype},
                           {"the number of targets", AS_NUMBER, m}};
    RETURN_IF_ERROR(dist_begin(d, "scatter_count", list, 3, rows, check_count(&s)));
    return run_count(&s);
}
