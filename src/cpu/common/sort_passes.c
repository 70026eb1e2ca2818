/* LSD radix sort. Each pass moves all keys in the order of one digit of their codes and keeps the order of keys
 * with equal digits. After the last pass, which has the most significant digit, the keys are sorted. The keys are
 * split into chunks. Every chunk counts its digits; these counts determine where each bucket of each chunk begins,
 * so chunks are moved independently. The number of chunks and digits does not change the result, which is
 * unique. */
#include "cpu/common/sort_passes.h"

#include <string.h>

enum {
    FEW_KEYS =
        1
        << 14, /* below this number of keys, digits are short: clearing long tables costs more than moving the keys */
    FEW_BITS = 8,
    DIGITS_MAX = 64
};

/* ---------------------------------------------------------------------------------- chunks */

static size_t chunk_begin(const sort_params *params, size_t chunk) {
    const size_t size = params->n / params->chunks, rest = params->n % params->chunks;
    return chunk * size + (chunk < rest ? chunk : rest);
}

static size_t chunk_size(const sort_params *params, size_t chunk) {
    return chunk_begin(params, chunk + 1) - chunk_begin(params, chunk);
}

/* Maximum keys between two checks for cancellation. */
enum { KEYS_AT_ONCE = 1 << 24 };

static void for_chunks(const sort_params *params, void (*body)(void *self, size_t chunk), void *self) {
    cpu_parallel_for((int)params->chunks, params->chunks, PARALLEL_RANGES, body, self);
}

static const void *element(const sort_lane *lane, const void *array, size_t i) {
    return array ? (const char *)array + i * lane->bytes : NULL;
}

/* ---------------------------------------------------------------------------------- digits */

static void survey_chunk(void *self, size_t c) {
    const sort_params *params = self;
    params->kernel->survey(&params->rule, element(&params->keys, params->keys.from, chunk_begin(params, c)),
                           chunk_size(params, c), params->window, &params->all[c], &params->any[c]);
}

/* Returns the bits, among those to sort by, in which the codes differ. */
static uint64_t survey(sort_params *params) {
    uint64_t all = UINT64_MAX, any = 0;
    for_chunks(params, survey_chunk, params);
    for (size_t c = 0; c < params->chunks; c++) {
        all &= params->all[c];
        any |= params->any[c];
    }
    return (all ^ any) & params->window;
}

/* Covers the bits by digits of at most `longest` bits, starting at the least significant one. Returns the number of
 * digits. */
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

/* Chooses the minimum number of digits, and then the shortest digits for that number. */
static int plan_digits(uint64_t bits, size_t n, sort_digit *digits) {
    unsigned longest = n < FEW_KEYS ? FEW_BITS : SORT_BITS_MAX;
    const int count = cover(bits, longest, digits);
    while (longest > 1 && cover(bits, longest - 1, digits) == count) longest--;
    return cover(bits, longest, digits);
}

/* ---------------------------------------------------------------------------------- passes */

/* Returns the destination of pass `p` of `count`. Destinations alternate between lane->to and lane->spare, so that
 * the last pass writes lane->to. If from == to and count is odd, the first pass would then overwrite its own input;
 * in this case the last pass writes lane->spare. */
static void *target(const sort_lane *lane, int p, int count) {
    const bool in_place = lane->from == lane->to && count % 2 == 1;
    const bool is_last_target = (count - 1 - p) % 2 == 0;
    return is_last_target != in_place ? lane->to : lane->spare;
}

static const void *source(const sort_lane *lane, int p, int count) {
    return p == 0 ? lane->from : target(lane, p - 1, count);
}

/* Replaces counts by start indices: buckets are consecutive, and within a bucket the chunks. */
static void start_buckets(const sort_params *params, sort_digit digit) {
    size_t start = 0;
    for (size_t b = 0; b < (size_t)1 << digit.bits; b++)
        for (size_t c = 0; c < params->chunks; c++) {
            size_t *const at = &params->next[c * SORT_BUCKETS_MAX + b];
            const size_t count = *at;
            *at = start;
            start += count;
        }
}

static sort_scatter *find_scatter(const sort_params *params) {
    static const int by_bytes[] = {[1] = SORT_1, [2] = SORT_2, [4] = SORT_4, [8] = SORT_8, [16] = SORT_16};
    sort_scatter *const *const scatters = params->kernel->scatter;
    return scatters[params->values.bytes ? by_bytes[params->values.bytes] : SORT_KEYS];
}

/* One pass over the keys with its source and destination arrays. */
typedef struct pass {
    const sort_params *params;
    sort_digit digit;
    sort_scatter *scatter;
    const void *keys, *values;
    void *keys_to, *values_to;
} pass;

static size_t *next_of(const sort_params *params, size_t c) { return &params->next[c * SORT_BUCKETS_MAX]; }

static void count_chunk(void *self, size_t c) {
    const pass *p = self;
    const sort_params *params = p->params;
    params->kernel->count(&params->rule, p->digit, element(&params->keys, p->keys, chunk_begin(params, c)),
                          chunk_size(params, c), next_of(params, c));
}

static void move_chunk(void *self, size_t c) {
    const pass *p = self;
    const sort_params *params = p->params;
    const size_t end = chunk_begin(params, c + 1);
    for (size_t first = chunk_begin(params, c), n; first < end && !cpu_cancelled(); first += n) {
        n = end - first < KEYS_AT_ONCE ? end - first : KEYS_AT_ONCE;
        const sort_part part = {element(&params->keys, p->keys, first), element(&params->values, p->values, first), n,
                                first, params->lines ? params->lines + c * 2 * SORT_LINES_BYTES : NULL};
        p->scatter(&params->rule, p->digit, &part, next_of(params, c), p->keys_to, p->values_to);
    }
}

static void run_pass(const sort_params *params, sort_digit digit, int number, int count) {
    pass p = {params,
              digit,
              find_scatter(params),
              source(&params->keys, number, count),
              source(&params->values, number, count),
              target(&params->keys, number, count),
              target(&params->values, number, count)};
    if (params->only_values && number == count - 1)
        p.scatter = params->kernel->scatter[params->values.bytes == 4 ? SORT_ONLY_4 : SORT_ONLY_8];
    for_chunks(params, count_chunk, &p);
    if (cpu_cancelled()) return;
    start_buckets(params, digit);
    for_chunks(params, move_chunk, &p);
}

/* Copy of an array to its output. */
typedef struct copy {
    const sort_params *params;
    const sort_lane *lane;
    const char *from;
} copy;

static void copy_chunk(void *self, size_t c) {
    const copy *w = self;
    const size_t first = chunk_begin(w->params, c) * w->lane->bytes,
                 bytes = chunk_size(w->params, c) * w->lane->bytes;
    memcpy((char *)w->lane->to + first, w->from + first, bytes);
}

/* Copies an array to its output if the last pass has written it elsewhere. */
static void copy_to_output(const sort_params *params, const sort_lane *lane, int count) {
    copy w = {params, lane, source(lane, count, count)};
    if (lane->bytes && w.from != lane->to) for_chunks(params, copy_chunk, &w);
}

void cpu_sort_passes(sort_params *params) {
    sort_digit digits[DIGITS_MAX];
    int count = plan_digits(survey(params), params->n, digits);
    /* All keys are equal. The indices must still be written, with any digit. */
    if (count == 0 && params->only_values) digits[count++] = (sort_digit){0, 1};
    cpu_plan_regions(3 * (size_t)count + 2);
    for (int p = 0; p < count && !cpu_cancelled(); p++) run_pass(params, digits[p], p, count);
    if (!params->only_values) copy_to_output(params, &params->keys, count);
    copy_to_output(params, &params->values, count);
}
