/* Checks of the edges of histogram bins. They run where the edges can be read: in the API, or in a backend that has
 * memory of its own. Header only, so that a plugin needs no symbol of the library. */
#ifndef WEFT_CORE_EDGES_H
#define WEFT_CORE_EDGES_H

#include "core/error.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

typedef struct weft_element_text {
    char text[32];
} weft_element_text;

/* Formats an element with enough digits to distinguish it from adjacent values. */
static inline weft_element_text weft_describe_element(weft_dtype dtype, const void *p) {
    weft_element_text t = {"?"};
    switch (dtype) {
    case WEFT_I8: snprintf(t.text, sizeof t.text, "%d", *(const int8_t *)p); break;
    case WEFT_I16: snprintf(t.text, sizeof t.text, "%d", *(const int16_t *)p); break;
    case WEFT_I32: snprintf(t.text, sizeof t.text, "%" PRId32, *(const int32_t *)p); break;
    case WEFT_I64: snprintf(t.text, sizeof t.text, "%" PRId64, *(const int64_t *)p); break;
    case WEFT_U8: snprintf(t.text, sizeof t.text, "%u", *(const uint8_t *)p); break;
    case WEFT_U16: snprintf(t.text, sizeof t.text, "%u", *(const uint16_t *)p); break;
    case WEFT_U32: snprintf(t.text, sizeof t.text, "%" PRIu32, *(const uint32_t *)p); break;
    case WEFT_U64: snprintf(t.text, sizeof t.text, "%" PRIu64, *(const uint64_t *)p); break;
    case WEFT_F32: snprintf(t.text, sizeof t.text, "%.9g", (double)*(const float *)p); break;
    case WEFT_F64: snprintf(t.text, sizeof t.text, "%.17g", *(const double *)p); break;
    default: break;
    }
    return t;
}

/* Returns true if a[0] < a[1]; false if either is a NaN. */
static inline bool weft_pair_ascends(weft_dtype dtype, const void *a) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (dtype == WEFT_##ID) return ((const ctype *)a)[0] < ((const ctype *)a)[1];
#include "core/types.def"
    return false;
}

/* Checks that edges[0..count] are strictly ascending. edges[0] is edge number `first` of the call. */
static inline weft_status weft_check_edges(weft_dtype dtype, size_t size, size_t first, size_t count,
                                           const void *edges, weft_error *error) {
    for (size_t i = 0; i < count; i++) {
        const char *pair = (const char *)edges + i * size;
        RETURN_IF(!weft_pair_ascends(dtype, pair), WEFT_INVALID,
                  "edges[%zu] = %s is not less than edges[%zu] = %s: edges must be strictly ascending", first + i,
                  weft_describe_element(dtype, pair).text, first + i + 1,
                  weft_describe_element(dtype, pair + size).text);
    }
    return WEFT_OK;
}

#endif
