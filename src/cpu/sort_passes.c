/* Each pass moves all keys, in order of one digit of their codes and else as they came: after the last, which has
 * the most significant digit, they are sorted. The keys are cut in chunks. Every chunk counts its digits; from
 * that follows where each bucket of each chunk begins, and chunks are moved without knowing of one another. How many
 * chunks and digits there are changes no bit of the result: it is unique. */
#include "cpu/sort_passes.h"

#include <string.h>

enum {
    FEW_KEYS = 1 << 14, /* whose digits had better be short: clearing long tables takes longer than moving them */
    FEW_BITS = 8,
    DIGITS_MAX = 64
};

/* ---------------------------------------------------------------------------------- chunks */

static size_t chunk_begin(const sort_job *job, size_t chunk) {
    const size_t size = job->n / job->chunks, rest = job->n % job->chunks;
    return chunk * size + (chunk < rest ? chunk : rest);
}

static size_t chunk_size(const sort_job *job, size_t chunk) {
    return chunk_begin(job, chunk + 1) - chunk_begin(job, chunk);
}

static const void *element(const sort_lane *lane, const void *array, size_t i) {
    return array ? (const char *)array + i * lane->bytes : NULL;
}

/* ---------------------------------------------------------------------------------- digits */

/* The bits in which the codes differ, of those that count. */
static uint64_t survey(const sort_job *job) {
    uint64_t all = UINT64_MAX, any = 0;
#pragma omp parallel for schedule(static) num_threads((int)job->chunks) if (job->chunks > 1)
    for (size_t c = 0; c < job->chunks; c++)
        job->kernel->survey(&job->rule, element(&job->keys, job->keys.from, chunk_begin(job, c)), chunk_size(job, c),
                            job->window, &job->all[c], &job->any[c]);
    for (size_t c = 0; c < job->chunks; c++) {
        all &= job->all[c];
        any |= job->any[c];
    }
    return (all ^ any) & job->window;
}

/* Covers the bits by digits of at most `longest` bits, from the least significant on. Returns their number. */
static int cover(uint64_t bits, unsigned longest, sort_digit *digits) {
    int count = 0;
    while (bits) {
        const unsigned shift = (unsigned)__builtin_ctzll(bits);
        const uint64_t window = ((UINT64_C(1) << longest) - 1) << shift;
        const unsigned last = 63 - (unsigned)__builtin_clzll(bits & window);
        digits[count++] = (sort_digit){shift, last - shift + 1};
        bits &= ~window;
    }
    return count;
}

/* As few digits as there can be, and no longer than that takes. */
static int plan_digits(uint64_t bits, size_t n, sort_digit *digits) {
    unsigned longest = n < FEW_KEYS ? FEW_BITS : SORT_BITS_MAX;
    const int count = cover(bits, longest, digits);
    while (longest > 1 && cover(bits, longest - 1, digits) == count) longest--;
    return cover(bits, longest, digits);
}

/* ---------------------------------------------------------------------------------- passes */

/* Where pass `p` of `count` puts what it moves. The last is to meet lane->to; not so where it would be the only
 * one's way, or an odd number's, from an array into itself. */
static void *target(const sort_lane *lane, int p, int count) {
    const bool in_place = lane->from == lane->to && count % 2 == 1;
    const bool meets = (count - 1 - p) % 2 == 0;
    return meets != in_place ? lane->to : lane->spare;
}

static const void *source(const sort_lane *lane, int p, int count) {
    return p == 0 ? lane->from : target(lane, p - 1, count);
}

/* Counts become places: buckets lie one behind another, and in each the chunks. */
static void place_buckets(const sort_job *job, sort_digit digit) {
    size_t place = 0;
    for (size_t b = 0; b < (size_t)1 << digit.bits; b++)
        for (size_t c = 0; c < job->chunks; c++) {
            size_t *const at = &job->next[c * SORT_BUCKETS_MAX + b];
            const size_t count = *at;
            *at = place;
            place += count;
        }
}

static sort_scatter *find_scatter(const sort_job *job) {
    static const int by_bytes[] = {[1] = SORT_1, [2] = SORT_2, [4] = SORT_4, [8] = SORT_8, [16] = SORT_16};
    sort_scatter *const *const scatters = job->kernel->scatter;
    return scatters[job->values.bytes ? by_bytes[job->values.bytes] : SORT_KEYS];
}

static void run_pass(const sort_job *job, sort_digit digit, int p, int count) {
    const void *const keys = source(&job->keys, p, count), *const values = source(&job->values, p, count);
    void *const keys_to = target(&job->keys, p, count), *const values_to = target(&job->values, p, count);
    sort_scatter *scatter = find_scatter(job);
    if (job->only_values && p == count - 1)
        scatter = job->kernel->scatter[job->values.bytes == 4 ? SORT_ONLY_4 : SORT_ONLY_8];
#pragma omp parallel for schedule(static) num_threads((int)job->chunks) if (job->chunks > 1)
    for (size_t c = 0; c < job->chunks; c++)
        job->kernel->count(&job->rule, digit, element(&job->keys, keys, chunk_begin(job, c)), chunk_size(job, c),
                           &job->next[c * SORT_BUCKETS_MAX]);
    place_buckets(job, digit);
#pragma omp parallel for schedule(static) num_threads((int)job->chunks) if (job->chunks > 1)
    for (size_t c = 0; c < job->chunks; c++) {
        const size_t first = chunk_begin(job, c);
        const sort_part part = {element(&job->keys, keys, first), element(&job->values, values, first),
                                chunk_size(job, c), first, job->lines ? job->lines + c * 2 * SORT_LINES_BYTES : NULL};
        scatter(&job->rule, digit, &part, &job->next[c * SORT_BUCKETS_MAX], keys_to, values_to);
    }
}

/* Brings a lane to its output when the passes have left it elsewhere. */
static void bring(const sort_job *job, const sort_lane *lane, int count) {
    const char *const from = source(lane, count, count);
    if (lane->bytes == 0 || from == lane->to) return;
#pragma omp parallel for schedule(static) num_threads((int)job->chunks) if (job->chunks > 1)
    for (size_t c = 0; c < job->chunks; c++) {
        const size_t first = chunk_begin(job, c);
        memcpy((char *)lane->to + first * lane->bytes, from + first * lane->bytes, chunk_size(job, c) * lane->bytes);
    }
}

void cpu_sort_passes(const sort_job *job) {
    sort_digit digits[DIGITS_MAX];
    int count = plan_digits(survey(job), job->n, digits);
    /* All keys are equal. Indices are still to be written; any digit will do. */
    if (count == 0 && job->only_values) digits[count++] = (sort_digit){0, 1};
    for (int p = 0; p < count; p++) run_pass(job, digits[p], p, count);
    if (!job->only_values) bring(job, &job->keys, count);
    bring(job, &job->values, count);
}
