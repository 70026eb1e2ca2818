#include "tests/dist/scans.h"

#include <stdlib.h>
#include <string.h>

static void check_scan(world *w, weft_op op, weft_scan_kind kind, weft_dtype dtype, weft_dtype accumulate, bool init,
                       size_t n) {
    const weft_dtype result = accumulate == WEFT_DEFAULT ? dtype : accumulate;
    void *const x = world_array(w, dtype, n), *const one = world_memory(n, 8);
    void *const start = world_array(w, result, 1);
    const cut c = world_cut(w, n);
    void *const many = world_result(w, n, 8);
    if (weft_scan(w->alone, op, kind, dtype, accumulate, n, x, init ? start : NULL, one) == WEFT_OK) {
        const weft_status status = weft_dist_scan(w->d, op, kind, dtype, accumulate, world_slice(w, &c),
                                                  world_part(w, &c, dtype, x), init ? start : NULL, many);
        world_expect(w, status == WEFT_OK && world_equal(w, &c, result, one, many),
                     "scan with %s of %s, %zu elements", weft_op_name(op), weft_dtype_name(dtype), n);
    }
    free(x);
    free(start);
    free(one);
}

static void check_scan_in_place(world *w, weft_dtype dtype, size_t n) {
    void *const x = world_array(w, dtype, n), *const one = world_memory(n, 8);
    const cut c = world_cut(w, n);
    void *const own = world_copy(w, &c, dtype, x);
    (void)weft_scan(w->alone, WEFT_SUM, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, n, x, NULL, one);
    const weft_status status =
        weft_dist_scan(w->d, WEFT_SUM, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, world_slice(w, &c), own, NULL, own);
    world_expect(w, status == WEFT_OK && world_equal(w, &c, dtype, one, own), "scan in place of %s, %zu elements",
                 weft_dtype_name(dtype), n);
    free(x);
    free(one);
}

/* Sets some of the zeros of bf16 at x. The prefix after three pieces of 16^5 elements is 2 if the totals 1 and
 * 1 - 2^24 are combined first, as they must be, and 1 if 2^24 and 1 are. */
static void set_piece_totals(uint16_t *x) {
    const size_t piece = (size_t)1 << 20;
    x[0] = 0x4b80, x[piece] = x[2 * piece] = 0x3f80, x[3 * piece - 1] = 0xcb80;
}

/* Scans with a border after more than 16^6 elements: the tree of tile totals then has a further level, and the first
 * rank scans elements of 16 bits in more than one piece. y is x. */
static void check_long_scan(world *w, weft_dtype dtype, weft_scan_kind kind, bool few) {
    const size_t first = (size_t)1 << 24, n = first + 5000, size = weft_dtype_size(dtype);
    void *const x = world_array(w, dtype, n), *const one = world_memory(n, size);
    cut c = world_cut(w, n);
    for (int r = 1; r < w->size; r++) c.begin[r] = first;
    if (few) memset(x, 0, n * size);
    if (few) set_piece_totals(x);
    void *const many = world_copy(w, &c, dtype, x);
    (void)weft_scan(w->alone, WEFT_SUM, kind, dtype, WEFT_DEFAULT, n, x, NULL, one);
    const weft_status status =
        weft_dist_scan(w->d, WEFT_SUM, kind, dtype, WEFT_DEFAULT, world_slice(w, &c), many, NULL, many);
    world_expect(w, status == WEFT_OK && world_equal(w, &c, dtype, one, many), "scan of %zu elements of %s", n,
                 weft_dtype_name(dtype));
    free(x);
    free(one);
}

void check_long_scans(world *w) {
    check_long_scan(w, WEFT_F32, WEFT_INCLUSIVE, false);
    check_long_scan(w, WEFT_F16, WEFT_EXCLUSIVE, false);
    check_long_scan(w, WEFT_BF16, WEFT_INCLUSIVE, false);
    check_long_scan(w, WEFT_BF16, WEFT_INCLUSIVE, true);
}

void check_scans(world *w, size_t n) {
    static const weft_dtype types[] = {WEFT_F64, WEFT_F32, WEFT_I32, WEFT_U8, WEFT_F16, WEFT_BF16};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int op = WEFT_SUM; op <= WEFT_XOR; op++) {
            const weft_scan_kind kind = world_draw(w) % 2 ? WEFT_INCLUSIVE : WEFT_EXCLUSIVE;
            if (op != WEFT_ARGMIN && op != WEFT_ARGMAX)
                check_scan(w, (weft_op)op, kind, types[t], WEFT_DEFAULT, world_draw(w) % 2, n);
        }
    check_scan(w, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_F64, false, n);
    check_scan(w, WEFT_SUM, WEFT_EXCLUSIVE, WEFT_F64, WEFT_DEFAULT, false, n);
    check_scan(w, WEFT_PROD, WEFT_EXCLUSIVE, WEFT_U8, WEFT_U64, false, n);
    for (int dtype = WEFT_F16; dtype <= WEFT_BF16; dtype++) {
        check_scan(w, WEFT_SUM, WEFT_EXCLUSIVE, (weft_dtype)dtype, WEFT_F32, true, n);
        check_scan(w, WEFT_SUM, WEFT_INCLUSIVE, (weft_dtype)dtype, WEFT_F64, false, n);
    }
    check_scan_in_place(w, WEFT_F64, n);
    check_scan_in_place(w, WEFT_F16, n);
}
