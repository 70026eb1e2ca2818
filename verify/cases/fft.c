/* weft_fft. The parameter is the kind. The length and number of the transforms, and in place or not,
 * depend on match_case.turn: one transform as long as the array allows, or batches of shorter ones. Half of the
 * lengths are powers of two. */
#include "core/types.h"
#include "verify/match.h"

enum { KINDS = 4, BATCH_MOST = 20 };

typedef struct cut {
    size_t n, batch;
    bool in_place;
} cut;

/* Returns the number of reals of one transform on the complex side. */
static size_t complex_reals(const match_case *c, size_t n) {
    return c->parameter == WEFT_R2C || c->parameter == WEFT_C2R ? 2 * (n / 2 + 1) : 2 * n;
}

static size_t reals_in(const match_case *c, size_t n) { return c->parameter == WEFT_R2C ? n : complex_reals(c, n); }
static size_t reals_out(const match_case *c, size_t n) { return c->parameter == WEFT_C2R ? n : complex_reals(c, n); }

/* Returns a length that is less than n, a power of two: a multiple of n/16, one of few values less, or a prime for
 * which ORDER.md 14.10 applies. */
static size_t other_length(size_t n, uint64_t r) {
    static const size_t primes[] = {101, 103, 127, 211, 499, 1009, 2003, 4001, 16411};
    if (r % 3 == 0 && n >= 16) return n / 16 * (9 + r / 3 % 7);
    size_t i = r / 3 % (sizeof primes / sizeof *primes);
    while (i > 0 && primes[i] > n) i--;
    if (r % 3 == 1 && primes[i] <= n) return primes[i];
    return n - r / 3 % (n / 2);
}

static cut cut_of(const match_case *c) {
    static const int shifts[] = {0, 0, 1, 3, 6, 0, 9, 2};
    const uint64_t r = input_random(c->turn, (uint64_t)c->parameter);
    cut k = {.n = 1, .in_place = r >> 8 & 1 && c->parameter <= WEFT_C2C_INVERSE};
    while (reals_in(c, 2 * k.n) <= c->n) k.n *= 2;
    k.n >>= shifts[r % (sizeof shifts / sizeof *shifts)];
    if (k.n == 0) k.n = 1;
    if (r >> 16 & 1 && k.n > 2) k.n = other_length(k.n, r >> 17);
    k.batch = c->n / reals_in(c, k.n);
    if (k.batch > BATCH_MOST) k.batch = BATCH_MOST;
    return k;
}

static size_t values(const match_case *c) {
    const cut k = cut_of(c);
    return k.batch * reals_out(c, k.n);
}

static size_t out_bytes(const match_case *c) {
    const bool is_float = type_is_float(c->dtype);
    return is_float && c->accumulate == WEFT_DEFAULT ? weft_dtype_size(c->dtype) : 0;
}

static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const cut k = cut_of(c);
    if (k.in_place) {
        const weft_status status = weft_copy(ctx, values(c) * weft_dtype_size(c->dtype), inputs[0], out);
        if (status != WEFT_OK) return status;
    }
    return weft_fft(ctx, (weft_fft_kind)c->parameter, c->dtype, k.batch, k.n, k.in_place ? out : inputs[0], out);
}

static void tell(const match_case *c, char text[100]) {
    static const char *const kinds[KINDS] = {"c2c", "inverse c2c", "r2c", "c2r"};
    const cut k = cut_of(c);
    snprintf(text, 100, "%s, %zu of %zu%s", kinds[c->parameter], k.batch, k.n, k.in_place ? " in place" : "");
}

const match_shape match_fft = {.inputs = 1,
                               .parameters = KINDS,
                               .accumulates = 1,
                               .values = values,
                               .out_bytes = out_bytes,
                               .call = call,
                               .tell = tell};
