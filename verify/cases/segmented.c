/* weft_segmented_reduce, weft_segmented_scan, weft_reduce_by_key. The parameter is the operator. Segments are given
 * by offsets (in host or device memory), by heads or by keys. This choice, the type of the keys, inclusive or
 * exclusive, and in place or not vary with match_case.turn. */
#include "core/byte_order.h"
#include "verify/match.h"

#include <stdlib.h>
#include <string.h>

static const weft_op OPS[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR};
enum { PARAMETERS = sizeof OPS / sizeof *OPS };

/* --------------------------------------------------------------------------------- in turn */

static uint64_t draw(const match_case *c, uint64_t what) {
    return input_random(c->turn * 64 + (uint64_t)c->parameter * 8 + (uint64_t)c->accumulate, what);
}

static const size_t LENGTHS[] = {1,  2,   7,   8,   9,   15,  16,  17,  31,  32,   33,   63,   64,
                                 65, 100, 127, 128, 129, 255, 256, 257, 300, 1000, 4095, 4096, 4097};
enum { EQUAL, SHORT, SKEWED, WHOLE, SPARSE, INNER, CUTS };

static unsigned cut_of(const match_case *c) { return (unsigned)(draw(c, 1) % CUTS); }

/* Returns the length of segment s. */
static size_t length_of(const match_case *c, size_t s) {
    const uint64_t r = draw(c, 1000 + s);
    switch (cut_of(c)) {
    case EQUAL: return LENGTHS[draw(c, 2) % (sizeof LENGTHS / sizeof *LENGTHS)];
    case SHORT: return r % 21;
    case SKEWED: return ((size_t)1 << r % 15) + (r >> 32) % 3;
    case WHOLE: return c->n;
    case SPARSE: return r % 4 ? 0 : (r >> 32) % 500;
    default: return r % 300;
    }
}

/* Returns the number of segments. Stores their offsets unless `offsets` is NULL. Inner cuts leave out elements at
 * both ends. */
static size_t make_offsets(const match_case *c, uint64_t *offsets) {
    const bool inner = cut_of(c) == INNER;
    const size_t end = inner ? c->n - c->n / 5 : c->n;
    size_t at = inner ? c->n / 7 : 0, segments = 0;
    if (offsets) offsets[0] = at;
    do {
        const size_t length = length_of(c, segments), left = end - at;
        at += length < left ? length : left;
        segments++;
        if (offsets) offsets[segments] = at;
    } while (at < end || segments < 3);
    return segments;
}

static bool by_heads(const match_case *c) { return draw(c, 3) % 3 == 0; }
static weft_scan_kind kind_of(const match_case *c) { return draw(c, 4) % 2 ? WEFT_EXCLUSIVE : WEFT_INCLUSIVE; }
static bool in_place(const match_case *c) { return c->accumulate == WEFT_DEFAULT && draw(c, 5) % 3 == 0; }
static bool in_device_memory(const match_case *c) { return draw(c, 6) % 2; }
static weft_dtype key_type(const match_case *c) { return (weft_dtype)(WEFT_I8 + draw(c, 7) % 10); }
static size_t gap_of(const match_case *c) { return draw(c, 8) % 2; }

/* ----------------------------------------------------------------------------------- shapes */

static weft_dtype reduce_type(const match_case *c) {
    weft_dtype type;
    const weft_status status = weft_reduce_result(OPS[c->parameter], c->dtype, c->accumulate, &type);
    return status == WEFT_OK ? type : WEFT_DEFAULT;
}

static size_t scan_bytes(const match_case *c) {
    match_case scan = *c;
    return match_scan.out_bytes(&scan);
}

/* Outputs of a call by heads or keys: the count, the values, the keys. Each begins at an 8-byte boundary, or one
 * value after it. */
static size_t words(size_t n, size_t size) { return ((n + 1) * size + 7) / 8; }
static size_t packed_words(const match_case *c, bool keys) {
    return 1 + words(c->n, weft_dtype_size(reduce_type(c))) + (keys ? words(c->n, weft_dtype_size(key_type(c))) : 0);
}

static size_t reduce_values(const match_case *c) {
    return by_heads(c) ? packed_words(c, false) : make_offsets(c, NULL);
}
static size_t reduce_bytes(const match_case *c) {
    const size_t size = weft_dtype_size(reduce_type(c));
    return size && by_heads(c) ? sizeof(uint64_t) : size;
}

static size_t by_key_values(const match_case *c) { return packed_words(c, true); }
static size_t by_key_bytes(const match_case *c) { return reduce_type(c) == WEFT_DEFAULT ? 0 : sizeof(uint64_t); }

/* Returns the offsets of the values and of the keys. */
static size_t values_at(const match_case *c) {
    return sizeof(uint64_t) + gap_of(c) * weft_dtype_size(reduce_type(c));
}
static size_t keys_at(const match_case *c) {
    return packed_words(c, false) * sizeof(uint64_t) + gap_of(c) * weft_dtype_size(key_type(c));
}

static size_t packed_parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    (void)out;
    parts[0] = (match_part){0, sizeof(uint64_t), 1};
    parts[1] = (match_part){values_at(c), weft_dtype_size(reduce_type(c)), c->n};
    parts[2] = (match_part){keys_at(c), weft_dtype_size(key_type(c)), c->n};
    return c->operation->shape == &match_reduce_by_key ? 3 : 2;
}

static size_t reduce_parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    return by_heads(c) ? packed_parts(c, out, parts) : 1;
}

/* ------------------------------------------------------------------------------- arguments */

/* An argument in host memory, optionally with a copy in device memory. `use` is the one to pass. */
typedef struct argument {
    void *host, *device, *use;
} argument;

static weft_status copy_in(const match_case *c, weft_context *ctx, size_t bytes, argument *a) {
    a->use = a->host;
    if (!in_device_memory(c) || bytes == 0) return WEFT_OK;
    weft_status status = weft_alloc(ctx, WEFT_DEVICE, bytes, &a->device);
    if (status == WEFT_OK) status = weft_copy(ctx, bytes, a->host, a->device);
    a->use = a->device;
    return status;
}

static void drop(weft_context *ctx, argument *a) {
    weft_free(ctx, WEFT_DEVICE, a->device);
    free(a->host);
}

/* Allocates and fills the offsets. The number of segments can exceed n, because segments can be empty. */
static argument new_offsets(const match_case *c, size_t *segments) {
    argument a = {0};
    *segments = make_offsets(c, NULL);
    a.host = malloc((*segments + 1) * sizeof(uint64_t));
    if (a.host) make_offsets(c, a.host);
    return a;
}

/* Calls `mark` for each element with the number of its run and whether it is the first one of its segment. Runs are
 * the non-empty segments, and the elements before and after the segments. */
static void each_element(const match_case *c, void *to,
                         void (*mark)(const match_case *c, void *to, size_t i, size_t run, bool first)) {
    size_t segments, run = 0;
    argument offsets = new_offsets(c, &segments);
    const uint64_t *o = offsets.host;
    size_t s = 0;
    for (size_t i = 0; o && i < c->n; i++) {
        const bool first = s <= segments && o[s] == i;
        while (s <= segments && o[s] <= i) s++;
        run += first && i > 0;
        mark(c, to, i, run, first);
    }
    free(offsets.host);
}

/* Any value but 0 is a head. Element 0 begins a segment whatever its value is. */
static void mark_head(const match_case *c, void *to, size_t i, size_t run, bool first) {
    (void)run;
    ((uint8_t *)to)[i] = first && (i > 0 || draw(c, 9) % 2) ? (uint8_t)(1 + draw(c, i) % 255) : 0;
}

/* Writes keys. Keys of one run are equal, but can differ in their bits. Keys of adjacent runs are not equal. */
static void mark_key(const match_case *c, void *to, size_t i, size_t run, bool first) {
    static const uint64_t integers[] = {0, UINT64_C(0x8080808080808080), 1, UINT64_MAX, 5};
    static const float reals[] = {0.0f, 0.0f, 1.5f, -3.25f, 7.0f};
    const size_t size = weft_dtype_size(key_type(c));
    const uint64_t r = draw(c, i);
    const float f = run % 5 == 0 && r % 2 ? -0.0f : reals[run % 5];
    const double d = (double)f;
    (void)first;
    if (key_type(c) == WEFT_F32)
        memcpy((char *)to + i * size, &f, size);
    else if (key_type(c) == WEFT_F64)
        memcpy((char *)to + i * size, &d, size);
    else
        bits_store((char *)to + i * size, size, integers[run % 5]);
    if (run % 5 != 1 || key_type(c) < WEFT_F32) return;
    input_fill(INPUT_NAN_FIRST, key_type(c), r, 1, (char *)to + i * size);
}

static argument new_marks(const match_case *c, size_t size,
                          void (*mark)(const match_case *c, void *to, size_t i, size_t run, bool first)) {
    argument a = {.host = malloc(c->n ? c->n * size : 1)};
    if (a.host) each_element(c, a.host, mark);
    return a;
}

/* ----------------------------------------------------------------------------------- calls */

static weft_status reduce(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const weft_op op = OPS[c->parameter];
    size_t segments = 0;
    argument a = by_heads(c) ? new_marks(c, 1, mark_head) : new_offsets(c, &segments);
    if (!a.host) return WEFT_OUT_OF_MEMORY;
    weft_status status = copy_in(c, ctx, by_heads(c) ? c->n : (segments + 1) * sizeof(uint64_t), &a);
    char *const values = (char *)out + values_at(c);
    if (status == WEFT_OK && by_heads(c))
        status = weft_segmented_reduce_heads(ctx, op, c->dtype, c->accumulate, c->n, inputs[0], a.use, values, out);
    else if (status == WEFT_OK)
        status = weft_segmented_reduce(ctx, op, c->dtype, c->accumulate, c->n, inputs[0], segments, a.use, out);
    drop(ctx, &a);
    return status;
}

/* Elements in no segment must keep their previous contents: the element if in place, else the poison. */
static weft_status scan(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const weft_op op = OPS[c->parameter];
    const void *x = in_place(c) ? out : inputs[0];
    size_t segments = 0;
    argument a = by_heads(c) ? new_marks(c, 1, mark_head) : new_offsets(c, &segments);
    if (!a.host) return WEFT_OUT_OF_MEMORY;
    weft_status status = copy_in(c, ctx, by_heads(c) ? c->n : (segments + 1) * sizeof(uint64_t), &a);
    if (status == WEFT_OK && in_place(c)) status = weft_copy(ctx, c->n * weft_dtype_size(c->dtype), inputs[0], out);
    if (status == WEFT_OK && by_heads(c))
        status = weft_segmented_scan_heads(ctx, op, kind_of(c), c->dtype, c->accumulate, c->n, x, a.use, out);
    else if (status == WEFT_OK)
        status = weft_segmented_scan(ctx, op, kind_of(c), c->dtype, c->accumulate, c->n, x, segments, a.use, out);
    drop(ctx, &a);
    return status;
}

static weft_status by_key(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const size_t key_size = weft_dtype_size(key_type(c));
    argument a = new_marks(c, key_size, mark_key);
    if (!a.host) return WEFT_OUT_OF_MEMORY;
    weft_status status = copy_in(c, ctx, c->n * key_size, &a);
    char *const values = (char *)out + values_at(c), *const keys = (char *)out + keys_at(c);
    if (status == WEFT_OK)
        status = weft_reduce_by_key(ctx, OPS[c->parameter], key_type(c), c->dtype, c->accumulate, c->n, a.use,
                                    inputs[0], keys, values, out);
    drop(ctx, &a);
    return status;
}

static void tell(const match_case *c, char text[100]) {
    static const char *const cuts[] = {"equal", "short", "skewed", "whole", "sparse", "inner"};
    const bool keys = c->operation->shape == &match_reduce_by_key,
               scans = c->operation->shape == &match_segmented_scan;
    snprintf(text, 100, "%s%s, %s segments (%zu) by %s%s%s", weft_op_name(OPS[c->parameter]),
             scans && kind_of(c) == WEFT_EXCLUSIVE ? " exclusive" : "", cuts[cut_of(c)], make_offsets(c, NULL),
             keys          ? "keys of "
             : by_heads(c) ? "heads"
                           : "offsets",
             keys ? weft_dtype_name(key_type(c)) : "", scans && in_place(c) ? ", in place" : "");
}

const match_shape match_segmented_reduce = {.inputs = 1,
                                            .parameters = PARAMETERS,
                                            .accumulates = 3,
                                            .halves = true,
                                            .values = reduce_values,
                                            .out_bytes = reduce_bytes,
                                            .parts = reduce_parts,
                                            .call = reduce,
                                            .tell = tell};
const match_shape match_segmented_scan = {.inputs = 1,
                                          .parameters = PARAMETERS,
                                          .accumulates = 5,
                                          .halves = true,
                                          .values = match_each,
                                          .out_bytes = scan_bytes,
                                          .call = scan,
                                          .tell = tell};
const match_shape match_reduce_by_key = {.inputs = 1,
                                         .parameters = PARAMETERS,
                                         .accumulates = 3,
                                         .halves = true,
                                         .values = by_key_values,
                                         .out_bytes = by_key_bytes,
                                         .parts = packed_parts,
                                         .call = by_key,
                                         .tell = tell};
