#include "stream/reduction.h"

#include "stream/chunks.h"

#include <string.h>

weft_status reduction_combine(const reduction *f, stream_value *a, const stream_value *b) {
    const size_t size = weft_dtype_size(f->dtype);
    stream_value pair[2];
    weft_context *combiner;
    RETURN_IF_ERROR(chunks_combiner(f->ctx, &combiner));
    memcpy(pair, a, size);
    memcpy((char *)pair + size, b, size);
    return weft_reduce(combiner, f->combine, f->dtype, WEFT_DEFAULT, 2, pair, a);
}

weft_status reduction_add(reduction *f, const stream_value *value) {
    stream_value v = *value;
    int k = 0;
    for (; f->done >> k & 1; k++) {
        stream_value left = f->waiting[k];
        RETURN_IF_ERROR(reduction_combine(f, &left, &v));
        v = left;
    }
    f->waiting[k] = v;
    f->done++;
    return WEFT_OK;
}

/* Combines the remaining values from right to left, so that values without a partner move up unchanged. */
weft_status reduction_end(const reduction *f, stream_value *out) {
    int k = __builtin_ctzll(f->done);
    *out = f->waiting[k];
    while (++k < 64 && f->done >> k) {
        if (!(f->done >> k & 1)) continue;
        stream_value left = f->waiting[k];
        RETURN_IF_ERROR(reduction_combine(f, &left, out));
        *out = left;
    }
    return WEFT_OK;
}
