#include "verify/sorted.h"
#include "core/byte_order.h"
#include "core/types.h"

#include <stdlib.h>

typedef struct element {
    uint64_t key, bits;
} element;

static uint64_t load(weft_dtype dtype, const void *x, size_t i) {
    const size_t size = weft_dtype_size(dtype);
    return bits_load((const char *)x + i * size, size);
}

uint64_t sorted_key(weft_dtype dtype, const void *x, size_t i) {
    const uint64_t bits = load(dtype, x, i), sign = UINT64_C(1) << (8 * weft_dtype_size(dtype) - 1);
    const uint64_t infinity = type_infinity(dtype);
    if (type_is_signed(dtype)) return bits ^ sign;
    if (dtype <= WEFT_U64) return bits;
    if ((bits & ~sign) > infinity) return UINT64_MAX;
    return bits & sign ? ~bits & (sign | (sign - 1)) : bits | sign;
}

static int by_key(const void *p, const void *q) {
    const element *a = p, *b = q;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->bits < b->bits ? -1 : a->bits > b->bits;
}

bool sorted_sort(weft_dtype dtype, size_t n, void *x) {
    element *list = malloc((n ? n : 1) * sizeof *list);
    const size_t size = weft_dtype_size(dtype);
    if (!list) return false;
    for (size_t i = 0; i < n; i++) list[i] = (element){sorted_key(dtype, x, i), load(dtype, x, i)};
    qsort(list, n, sizeof *list, by_key);
    for (size_t i = 0; i < n; i++) bits_store((char *)x + i * size, size, list[i].bits);
    free(list);
    return true;
}

/* Sorted inputs, cached because the suite requests each of them once for every device. */
static _Thread_local struct {
    weft_dtype dtype;
    input_kind kind;
    uint64_t seed;
    size_t n, capacity;
    void *x;
} kept[MATCH_INPUTS];

const void *sorted_input(const match_case *c, int stream, size_t count) {
    const uint64_t seed = c->seed * MATCH_INPUTS + (uint64_t)stream;
    const size_t bytes = count * weft_dtype_size(c->dtype);
    if (kept[stream].x && kept[stream].dtype == c->dtype && kept[stream].kind == c->kind &&
        kept[stream].seed == seed && kept[stream].n == count)
        return kept[stream].x;
    if (bytes > kept[stream].capacity || !kept[stream].x) {
        free(kept[stream].x);
        kept[stream].capacity = bytes + 64;
        kept[stream].x = malloc(kept[stream].capacity);
    }
    if (!kept[stream].x) return NULL;
    input_fill(c->kind, c->dtype, seed, count, kept[stream].x);
    if (!sorted_sort(c->dtype, count, kept[stream].x)) return NULL;
    kept[stream].dtype = c->dtype;
    kept[stream].kind = c->kind;
    kept[stream].seed = seed;
    kept[stream].n = count;
    return kept[stream].x;
}

static _Thread_local void *scratch;

void *sorted_scratch(size_t bytes) {
    if (!scratch) scratch = calloc(1, bytes);
    return scratch;
}

void sorted_release(void) {
    free(scratch);
    scratch = NULL;
    for (int i = 0; i < MATCH_INPUTS; i++) {
        free(kept[i].x);
        kept[i].x = NULL;
    }
}
