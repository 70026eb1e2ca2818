/* Distribution of elements by a digit of their keys, with all threads. Each thread counts the keys of a chunk; the
 * counts determine where the elements of each chunk begin in each bucket. */
#include "cpu/common/scatter.h"

#include <string.h>

enum {
    MOVED_AT_ONCE = 1 << 24, /* elements that a thread moves between two checks for cancellation */
    STREAM_BYTES = 1 << 17   /* minimum bytes of a chunk for lines */
};

static const scatter_kernel *kernel_of(const scatter_list *l) {
    return l->ctx->level->scatters->width[l->key_bytes == 2 ? 0 : l->key_bytes == 4 ? 1 : 2];
}

static size_t chunk_begin(const scatter_list *l, size_t chunk) {
    const size_t size = l->n / l->chunks, rest = l->n % l->chunks;
    return chunk * size + (chunk < rest ? chunk : rest);
}

static void count_chunk(void *self, size_t chunk) {
    scatter_list *l = self;
    const size_t end = chunk_begin(l, chunk + 1);
    size_t *const counts = l->next + chunk * SCATTER_BUCKETS_MAX;
    memset(counts, 0, sizeof *counts << l->digit.bits);
    for (size_t first = chunk_begin(l, chunk), n; first < end && !cpu_cancelled(); first += n) {
        n = scatter_end(first, MOVED_AT_ONCE, end) - first;
        if (kernel_of(l)->count(scatter_at(l->keys, first * l->key_bytes), n, l->last, l->digit, counts))
            l->above = true;
    }
}

/* Returns true if chunks are long enough for lines: most lines become full, and the results exceed the caches. */
static bool has_lines(const scatter_list *l) {
    const size_t n = l->n / l->chunks;
    return n >> l->digit.bits >= SCATTER_LINE / 2 && n * (l->value_bytes + l->key_bytes) >= STREAM_BYTES;
}

static void move_chunk(void *self, size_t chunk) {
    const scatter_list *l = self;
    const scatter_kernel *k = kernel_of(l);
    void (*const *const moves)(const scatter_part *) = l->to_keys ? k->pairs : l->values ? k->values : k->numbers;
    const size_t end = chunk_begin(l, chunk + 1);
    scatter_part part = {.digit = l->digit,
                         .next = l->next + chunk * SCATTER_BUCKETS_MAX,
                         .lines = has_lines(l) ? l->lines + chunk * l->line_bytes : NULL,
                         .to_values = l->to_values,
                         .to_keys = l->to_keys};
    for (part.first = chunk_begin(l, chunk); part.first < end && !cpu_cancelled(); part.first += part.n) {
        part.n = scatter_end(part.first, MOVED_AT_ONCE, end) - part.first;
        part.keys = scatter_at(l->keys, part.first * l->key_bytes);
        part.values = l->values ? scatter_at(l->values, part.first * l->value_bytes) : NULL;
        moves[__builtin_ctzll(l->value_bytes)](&part);
    }
}

void scatter_distribute(scatter_list *l, uint64_t *starts, size_t count) {
    const size_t buckets = (size_t)1 << l->digit.bits;
    size_t start = 0;
    l->chunks = scatter_chunks(l->n, l->threads);
    cpu_parallel_for((int)l->chunks, l->chunks, PARALLEL_RANGES, count_chunk, l);
    if (l->above || cpu_cancelled()) return;
    for (size_t b = 0; b < buckets; b++) {
        if (b < count) starts[b] = start;
        for (size_t chunk = 0; chunk < l->chunks; chunk++) {
            size_t *const next = &l->next[chunk * SCATTER_BUCKETS_MAX + b];
            const size_t n = *next;
            *next = start;
            start += n;
        }
    }
    for (size_t b = buckets; b < count; b++) starts[b] = start;
    cpu_parallel_for((int)l->chunks, l->chunks, PARALLEL_RANGES, move_chunk, l);
}
