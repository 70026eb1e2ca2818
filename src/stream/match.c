/* weft_match_count_source. Within a chunk, a position is searched directly if the chunk contains at least one byte
 * before it, and the longest pattern and one more byte after it. All other positions are searched in a seam, a copy
 * of the bytes on both sides of the boundary between two chunks. */
#include "core/order.h"
#include "stream/chunks.h"

#include <stdlib.h>
#include <string.h>

/* Copied bytes, of which the positions from `next` on have not been searched. */
typedef struct seam {
    unsigned char text[2 * (WEFT_PATTERN_BYTES_MAX + 1)];
    size_t bytes, next;
} seam;

typedef struct search {
    weft_context *ctx, *combiner;
    const weft_patterns *patterns;
    unsigned flags;
    size_t longest; /* length of the longest pattern, in bytes */
    seam seam;
    uint64_t *chunk, *all; /* counts of a chunk, and of all chunks */
} search;

static weft_status count(search *s, weft_context *ctx, size_t n, const void *text, size_t first, size_t end) {
    RETURN_IF_ERROR(weft_match_count(ctx, n, text, first, end, s->patterns, s->flags, s->chunk));
    for (size_t i = 0; i < s->patterns->count; i++) s->all[i] += s->chunk[i];
    return WEFT_OK;
}

/* Searches the seam's positions up to `end`. */
static weft_status count_seam(search *s, size_t end) {
    if (end > s->seam.next) RETURN_IF_ERROR(count(s, s->combiner, s->seam.bytes, s->seam.text, s->seam.next, end));
    s->seam.next = end;
    return WEFT_OK;
}

/* Searches a chunk. A chunk shorter than a seam's side is the last one; its positions are searched at the end. */
static weft_status count_chunk(search *s, const chunks *p) {
    const unsigned char *text = p->x[0];
    const size_t side = s->longest + 1, before = s->seam.bytes, head = p->n < side ? p->n : side;
    RETURN_IF_ERROR(weft_copy(s->ctx, head, text, s->seam.text + before));
    s->seam.bytes += head;
    if (p->n < side) return WEFT_OK;
    if (before) RETURN_IF_ERROR(count_seam(s, before + 1));
    RETURN_IF_ERROR(count(s, s->ctx, p->n, text, before > 0, p->n - s->longest));
    s->seam.bytes = side;
    s->seam.next = 1;
    return weft_copy(s->ctx, side, text + p->n - side, s->seam.text);
}

static weft_status count_chunks(search *s, chunks *p) {
    for (;;) {
        RETURN_IF_ERROR(chunks_next(p));
        if (p->n == 0) return count_seam(s, s->seam.bytes);
        RETURN_IF_ERROR(count_chunk(s, p));
    }
}

static weft_status count_all(search *s, const weft_source *text) {
    const char *const names[] = {"text"};
    size_t elements;
    RETURN_IF_ERROR(chunks_elements(s->ctx, WEFT_TILE(1), 2, transfer_inputs(s->ctx), &elements));
    chunks p = {.ctx = s->ctx};
    weft_status status = chunks_open(&p, s->ctx, 1, &text, names, elements);
    if (status == WEFT_OK) status = count_chunks(s, &p);
    chunks_close(&p);
    return status;
}

/* Searches the text. The first call searches no positions and checks all arguments. */
static weft_status search_all(search *s, const weft_source *text, uint64_t *counts) {
    RETURN_IF_ERROR(weft_match_count(s->ctx, 0, NULL, 0, 0, s->patterns, s->flags, s->chunk));
    RETURN_IF_ERROR(chunks_combiner(s->ctx, &s->combiner));
    for (size_t i = 0; i < s->patterns->count; i++) {
        const size_t length = (size_t)(s->patterns->offsets[i + 1] - s->patterns->offsets[i]);
        if (length > s->longest) s->longest = length;
    }
    RETURN_IF_ERROR(count_all(s, text));
    memcpy(counts, s->all, s->patterns->count * sizeof *counts);
    return WEFT_OK;
}

static weft_status run_match_count(weft_context *ctx, const weft_source *text, const weft_patterns *patterns,
                                   unsigned flags, uint64_t *counts) {
    weft_error *error = &ctx->error;
    search s = {.ctx = ctx, .patterns = patterns, .flags = flags};
    RETURN_IF_ERROR(chunks_check(ctx, "text", text));
    RETURN_IF(weft_dtype_size(text->dtype) != 1, WEFT_UNSUPPORTED,
              "a text requires a source of one-byte elements, not %s", weft_dtype_name(text->dtype));
    RETURN_IF(!counts, WEFT_INVALID, "counts is NULL");
    s.chunk = calloc(2 * WEFT_PATTERNS_MAX, sizeof *s.chunk);
    RETURN_IF(!s.chunk, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the counts of %d patterns",
              WEFT_PATTERNS_MAX);
    s.all = s.chunk + WEFT_PATTERNS_MAX;
    const weft_status status = search_all(&s, text, counts);
    free(s.chunk);
    return status;
}

weft_status weft_match_count_source(weft_context *ctx, const weft_source *text, const weft_patterns *patterns,
                                    unsigned flags, uint64_t *counts) {
    RETURN_STREAMED(ctx, run_match_count(ctx, text, patterns, flags, counts));
}
