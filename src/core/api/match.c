/* weft_match_count and weft_match_list: argument checks. */
#include "core/check.h"
#include "core/order.h"

#include <inttypes.h>

static weft_status check_patterns(const weft_context *ctx, const weft_patterns *p, weft_error *error) {
    range offsets, bytes;
    RETURN_IF(!p, WEFT_INVALID, "patterns is NULL");
    RETURN_IF(p->count == 0 || p->count > WEFT_PATTERNS_MAX, WEFT_INVALID,
              "invalid number of patterns %zu: expected 1 to %d", p->count, WEFT_PATTERNS_MAX);
    RETURN_IF_ERROR(
        check_array(ctx, "patterns->offsets", p->offsets, p->count + 1, sizeof *p->offsets, &offsets, error));
    RETURN_IF_ERROR(check_host_value("patterns->offsets", p->offsets, error));
    for (size_t i = 0; i < p->count; i++) {
        const uint64_t begin = p->offsets[i], end = p->offsets[i + 1];
        RETURN_IF(begin > end, WEFT_INVALID,
                  "patterns->offsets[%zu] is %" PRIu64 " and patterns->offsets[%zu] is %" PRIu64
                  ": offsets must not decrease",
                  i, begin, i + 1, end);
        RETURN_IF(begin == end, WEFT_INVALID, "pattern %zu is empty: a pattern must have 1 to %d bytes", i,
                  WEFT_PATTERN_BYTES_MAX);
        RETURN_IF(end - begin > WEFT_PATTERN_BYTES_MAX, WEFT_INVALID,
                  "pattern %zu has %" PRIu64 " bytes: a pattern must have 1 to %d", i, end - begin,
                  WEFT_PATTERN_BYTES_MAX);
    }
    RETURN_IF_ERROR(check_array(ctx, "patterns->bytes", p->bytes, p->offsets[p->count], 1, &bytes, error));
    return check_host_value("patterns->bytes", p->bytes, error);
}

static weft_status match(weft_context *ctx, match_call *c, const weft_patterns *p, unsigned flags,
                         weft_error *error) {
    const size_t listed = c->counts ? 0 : c->capacity;
    range text, outputs[4];
    RETURN_IF_ERROR(check_array(ctx, "text", c->text, c->n, 1, &text, error));
    RETURN_IF(c->first > c->end || c->end > c->n, WEFT_INVALID,
              "first = %zu, end = %zu in a text of %zu bytes: expected first <= end <= n", c->first, c->end, c->n);
    RETURN_IF_ERROR(check_patterns(ctx, p, error));
    RETURN_IF(flags > (WEFT_FOLD_CASE | WEFT_WHOLE_WORD), WEFT_INVALID,
              "invalid flags %u: expected a combination of %d and %d", flags, WEFT_FOLD_CASE, WEFT_WHOLE_WORD);
    RETURN_IF_ERROR(check_array(ctx, "counts", c->counts, c->counts ? p->count : 0, 8, &outputs[0], error));
    RETURN_IF_ERROR(check_array(ctx, "positions", c->positions, listed, 8, &outputs[1], error));
    RETURN_IF_ERROR(check_array(ctx, "numbers", c->numbers, listed, 4, &outputs[2], error));
    RETURN_IF_ERROR(check_array(ctx, "total", c->total, c->counts ? 0 : 1, 8, &outputs[3], error));
    for (int i = 0; i < 4; i++) {
        RETURN_IF_ERROR(check_apart(&outputs[i], &text, error));
        for (int k = 0; k < i; k++) RETURN_IF_ERROR(check_apart(&outputs[i], &outputs[k], error));
    }
    c->patterns = p->count;
    c->offsets = p->offsets;
    c->bytes = p->bytes;
    c->fold_case = flags & WEFT_FOLD_CASE;
    c->whole_word = flags & WEFT_WHOLE_WORD;
    return ctx->backend->match(ctx->state, c, error);
}

static weft_status count(weft_context *ctx, match_call *c, const weft_patterns *p, unsigned flags,
                         weft_error *error) {
    RETURN_IF(!c->counts, WEFT_INVALID, "counts is NULL");
    return match(ctx, c, p, flags, error);
}

weft_status weft_match_count(weft_context *ctx, size_t n, const void *text, size_t first, size_t end,
                             const weft_patterns *patterns, unsigned flags, uint64_t *counts) {
    match_call call = {.n = n, .first = first, .end = end, .text = text, .counts = counts};
    RETURN_GUARDED(ctx, count(ctx, &call, patterns, flags, error));
}

weft_status weft_match_list(weft_context *ctx, size_t n, const void *text, size_t first, size_t end,
                            const weft_patterns *patterns, unsigned flags, size_t capacity, uint64_t *positions,
                            uint32_t *numbers, uint64_t *total) {
    match_call call = {.n = n,
                       .first = first,
                       .end = end,
                       .text = text,
                       .capacity = capacity,
                       .positions = positions,
                       .numbers = numbers,
                       .total = total};
    RETURN_GUARDED(ctx, match(ctx, &call, patterns, flags, error));
}
