/* weft_sobol on the CPU (ORDER.md 24). Points with few coordinates are generated several at a time, to fill
 * vectors: a strip is an aligned group of 2^p points. From point i to i + 1 the Gray code i xor i / 2 changes in
 * one bit. From one strip to the next it changes in one of the bits from p on, and in bit p - 1. Therefore a thread
 * computes the words of its first strip from the direction numbers, and those of each following strip by one
 * XOR. */
#include "arith/sobol.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    WIDTH_LEAST = 256,         /* minimum coordinates per strip */
    PART_COORDINATES = 1 << 17 /* coordinates per work item */
};
_Static_assert(2 * WIDTH_LEAST <= SOBOL_WIDTH_MOST, "a strip of several points fits too");

static const weft_sobol_line LINES[] = {
#define DIRECTIONS(degree, inner, ...) {degree, inner, {__VA_ARGS__}},
#include "core/sobol.def"
};

typedef struct plan {
    const sobol_call *call;
    sobol_maker *maker;
    size_t size; /* bytes of a coordinate */
    /* p: log2 of the points per strip. bits: number of bits of the number of the point after the last strip. */
    unsigned p, bits;
    uint64_t *directions;   /* direction number of coordinate j for bit b at [b * dimensions + j] */
    uint32_t *keys, *steps; /* tables of `strips`: all upper halves, then all lower ones */
    sobol_strips strips;    /* all members except the state */
} plan;

static sobol_maker *find_maker(const sobol_kernels *k, const sobol_call *c) {
    const bool owen = c->scrambling == WEFT_OWEN;
    if (c->dtype == WEFT_F32) return owen ? k->owen_f32 : k->shifted_f32;
    return owen ? k->owen_f64 : k->shifted_f64;
}

/* ---------------------------------------------------------------------------------- tables */

static plan plan_of(const cpu_context *ctx, const sobol_call *c) {
    plan p = {.call = c, .maker = find_maker(ctx->level->sobols, c), .size = weft_dtype_size(c->dtype)};
    while (c->dimensions << p.p < WIDTH_LEAST) p.p++;
    p.strips.width = c->dimensions << p.p;
    const uint64_t after = (((c->first + (c->n - 1)) >> p.p) + 1) << p.p;
    while (p.bits < WEFT_SOBOL_BITS && after >> p.bits) p.bits++;
    return p;
}

/* Allocates all tables in the workspace. */
static weft_status hold_tables(cpu_context *ctx, plan *p, weft_error *error) {
    const size_t width = p->strips.width, steps = (size_t)(p->bits - p->p) * width;
    const size_t directions = p->bits * p->call->dimensions;
    void *workspace;
    RETURN_IF_ERROR(cpu_workspace(ctx, directions * sizeof(uint64_t) + 2 * (width + steps) * sizeof(uint32_t),
                                  &workspace, error));
    p->directions = workspace;
    p->keys = (uint32_t *)(p->directions + directions);
    p->steps = p->keys + 2 * width;
    p->strips.key_high = p->keys;
    p->strips.key_low = p->keys + width;
    p->strips.step_high = p->steps;
    p->strips.step_low = p->steps + steps;
    return WEFT_OK;
}

void cpu_sobol_directions(size_t j, unsigned bits, size_t stride, uint64_t *v) {
    weft_sobol_directions(j == 0 ? NULL : &LINES[j - 1], bits, stride, v);
}

/* Repeats the values of the first point of a strip for its other points. */
static void repeat(size_t dimensions, size_t width, uint32_t *high, uint32_t *low) {
    for (size_t k = dimensions; k < width; k++) {
        high[k] = high[k - dimensions];
        low[k] = low[k - dimensions];
    }
}

static void fill_keys(const plan *p) {
    const sobol_call *const c = p->call;
    const bool scrambled = c->scrambling != WEFT_UNSCRAMBLED;
    uint32_t *const high = p->keys, *const low = high + p->strips.width;
    for (size_t j = 0; j < c->dimensions; j++) {
        const uint64_t key = scrambled ? weft_sobol_key(c->seed, c->stream, j) : 0;
        high[j] = (uint32_t)(key >> 32);
        low[j] = (uint32_t)key;
    }
    repeat(c->dimensions, p->strips.width, high, low);
}

static void fill_steps(const plan *p) {
    const size_t dimensions = p->call->dimensions, width = p->strips.width;
    uint32_t *high = p->steps, *low = high + (size_t)(p->bits - p->p) * width;
    for (unsigned b = p->p; b < p->bits; b++, high += width, low += width) {
        for (size_t j = 0; j < dimensions; j++) {
            const uint64_t *const v = p->directions + j;
            const uint64_t step = v[b * dimensions] ^ (p->p ? v[(p->p - 1) * dimensions] : 0);
            high[j] = (uint32_t)(step >> 32);
            low[j] = (uint32_t)step;
        }
        repeat(dimensions, width, high, low);
    }
}

/* ----------------------------------------------------------------------------------- parts */

/* Computes the words of a strip from the direction numbers. */
static void set_words(const plan *p, uint64_t strip, uint32_t *high, uint32_t *low) {
    const size_t dimensions = p->call->dimensions;
    const uint64_t first = strip << p->p;
    for (size_t t = 0; t >> p->p == 0; t++, high += dimensions, low += dimensions) {
        const uint64_t point = first + t, gray = point ^ point >> 1;
        for (size_t j = 0; j < dimensions; j++) {
            const uint64_t *const v = p->directions + j;
            uint64_t word = 0;
            for (unsigned b = 0; b < p->bits; b++) word ^= (0 - (gray >> b & 1)) & v[b * dimensions];
            high[j] = (uint32_t)(word >> 32);
            low[j] = (uint32_t)word;
        }
    }
}

/* Generates points [from, end), numbered from the start of the sequence. Full strips are written in place; partial
 * strips at the ends of the call are copied from a buffer. */
static void make_part(const plan *p, uint64_t from, uint64_t end) {
    const sobol_call *const c = p->call;
    const size_t bytes = c->dimensions * p->size; /* bytes of a point */
    uint32_t high[SOBOL_WIDTH_MOST], low[SOBOL_WIDTH_MOST];
    double spare[SOBOL_WIDTH_MOST];
    sobol_strips strips = p->strips;
    uint64_t strip = from >> p->p;
    strips.high = high;
    strips.low = low;
    set_words(p, strip, high, low);
    while (from < end) {
        char *const out = (char *)c->out + (size_t)(from - c->first) * bytes;
        const uint64_t skipped = from - (strip << p->p), whole = skipped ? 0 : (end - from) >> p->p;
        if (whole) {
            p->maker(&strips, strip, (size_t)whole, out);
            from += whole << p->p;
            strip += whole;
            continue;
        }
        const uint64_t rest = (UINT64_C(1) << p->p) - skipped, n = end - from < rest ? end - from : rest;
        p->maker(&strips, strip++, 1, spare);
        memcpy(out, (const char *)spare + (size_t)skipped * bytes, (size_t)n * bytes);
        from += n;
    }
}

static uint64_t strips_of_part(const plan *p) { return PART_COORDINATES / p->strips.width; }

/* Returns the number of the last work item, counted from 0. */
static uint64_t last_part(const plan *p) {
    const sobol_call *const c = p->call;
    const uint64_t strips = ((c->first + c->n - 1) >> p->p) - (c->first >> p->p) + 1;
    return (strips - 1) / strips_of_part(p);
}

static void make_item(void *self, size_t part) {
    const plan *const p = self;
    const sobol_call *const c = p->call;
    const uint64_t from = ((c->first >> p->p) + part * strips_of_part(p)) << p->p;
    const uint64_t to = from + (strips_of_part(p) << p->p);
    make_part(p, part == 0 ? c->first : from, part == last_part(p) ? c->first + c->n : to);
}

weft_status cpu_sobol(void *state, const sobol_call *c, weft_error *error) {
    cpu_context *const ctx = state;
    plan p = plan_of(ctx, c);
    const int threads = cpu_threads_for(ctx->threads, c->n * c->dimensions * p.size);
    RETURN_IF_ERROR(hold_tables(ctx, &p, error));
    for (size_t j = 0; j < c->dimensions; j++) cpu_sobol_directions(j, p.bits, c->dimensions, p.directions + j);
    fill_keys(&p);
    fill_steps(&p);
    cpu_plan_regions(1);
    cpu_parallel_for(threads, last_part(&p) + 1, PARALLEL_RANGES, make_item, &p);
    return WEFT_OK;
}
