/* Compares segmented reduction and scan, and reduction by key, with weft_reduce or weft_scan of each segment, and
 * integers with plain loops; and tests the rules of ORDER.md 8 as literal expectations. */
#include "core/types.h"
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <math.h>

enum { N = 30011, SEGMENTS = 4000 };
static weft_context *ctx;
static uint64_t x[N], y[N], z[N]; /* capacity for elements of any type */
static uint64_t offsets[SEGMENTS + 1];
static uint8_t heads[N];
static size_t segments;

#define COUNT(array) (sizeof(array) / sizeof *(array))
static const weft_op OPS[] = {WEFT_SUM, WEFT_PROD, WEFT_MIN, WEFT_MAX, WEFT_AND, WEFT_OR, WEFT_XOR};

static bool is_offered(weft_op op, weft_dtype dtype) { return !type_is_float(dtype) || op < WEFT_ARGMIN; }
static const char *at(const void *p, size_t i, weft_dtype dtype) {
    return (const char *)p + i * weft_dtype_size(dtype);
}

/* ------------------------------------------------------------------------------------ cuts */

/* Creates segments with lengths around every size that the order depends on, some of them empty, in a random
 * sequence.
 */
static void cut(uint64_t seed) {
    static const size_t lengths[] = {0,  1,  2,   3,   7,   8,   9,   15,  16,  17,  31,   32,   33,   63,   64,  65,
                                     66, 99, 127, 128, 129, 255, 256, 257, 511, 512, 1023, 1025, 4096, 4097, 8200};
    segments = 0;
    offsets[0] = input_random(seed, 0) % 5;
    while (segments < SEGMENTS) {
        const size_t length = lengths[input_random(seed, segments + 1) % COUNT(lengths)];
        if (offsets[segments] + length > N) break;
        offsets[segments + 1] = offsets[segments] + length;
        segments++;
    }
}

/* Sets flags at these offsets. Empty segments disappear, and the elements before and after all segments form two
 * more.
 */
static size_t flag(void) {
    size_t count = 1;
    memset(heads, 0, sizeof heads);
    for (size_t s = 0; s <= segments; s++)
        if (offsets[s] < N) heads[offsets[s]] = (uint8_t)(1 + s % 255);
    for (size_t i = 1; i < N; i++) count += heads[i] != 0;
    return count;
}

/* ----------------------------------------------------------------------------- each one alone */

static bool same(const void *a, const void *b, size_t bytes, const char *what, weft_op op, weft_dtype dtype, size_t s,
                 size_t length) {
    return EXPECT(memcmp(a, b, bytes) == 0, "%s, %s of %s: segment %zu, of %zu elements, is not what it is alone",
                  what, weft_op_name(op), weft_dtype_name(dtype), s, length);
}

static void check_reduce(weft_op op, weft_dtype dtype, weft_dtype accumulate) {
    weft_dtype result;
    uint64_t alone = 0;
    EXPECT_STATUS(NULL, weft_reduce_result(op, dtype, accumulate, &result), WEFT_OK);
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, op, dtype, accumulate, N, x, segments, offsets, y), WEFT_OK);
    for (size_t s = 0; s < segments; s++) {
        const size_t n = offsets[s + 1] - offsets[s];
        if (n == 0 && (op == WEFT_MIN || op == WEFT_MAX)) continue; /* see empty() */
        EXPECT_STATUS(ctx, weft_reduce(ctx, op, dtype, accumulate, n, at(x, offsets[s], dtype), &alone), WEFT_OK);
        if (!same(at(y, s, result), &alone, weft_dtype_size(result), "reduced", op, dtype, s, n)) return;
    }
}

static void check_scan(weft_op op, weft_dtype dtype, weft_scan_kind kind) {
    const size_t size = weft_dtype_size(dtype);
    memset(y, 0x5a, sizeof y);
    EXPECT_STATUS(ctx, weft_segmented_scan(ctx, op, kind, dtype, WEFT_DEFAULT, N, x, segments, offsets, y), WEFT_OK);
    for (size_t s = 0; s < segments; s++) {
        const size_t n = offsets[s + 1] - offsets[s];
        EXPECT_STATUS(ctx, weft_scan(ctx, op, kind, dtype, WEFT_DEFAULT, n, at(x, offsets[s], dtype), NULL, z),
                      WEFT_OK);
        if (!same(at(y, offsets[s], dtype), z, n * size, kind == WEFT_EXCLUSIVE ? "exclusive" : "scanned", op, dtype,
                  s, n))
            return;
    }
    for (size_t i = 0; i < offsets[0] * size; i++)
        EXPECT(((unsigned char *)y)[i] == 0x5a, "byte %zu before the first segment was written", i);
    for (size_t i = offsets[segments] * size; i < N * size; i++)
        if (!EXPECT(((unsigned char *)y)[i] == 0x5a, "byte %zu after the last segment was written", i)) return;
}

static void alone(void) {
    static const input_kind kinds[] = {INPUT_MIXED, INPUT_NAN_MANY, INPUT_SIGNED_ZEROS, INPUT_PATTERNS};
    for (int d = WEFT_I8; d <= WEFT_F64; d++)
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (size_t o = 0; o < COUNT(OPS); o++) {
                const weft_dtype dtype = (weft_dtype)d;
                if (!input_fits(kinds[k], dtype) || !is_offered(OPS[o], dtype)) continue;
                cut(k * 8 + o);
                input_fill(kinds[k], dtype, 3 + k, N, x);
                check_reduce(OPS[o], dtype, WEFT_DEFAULT);
                if (dtype == WEFT_F32 && o < 2) check_reduce(OPS[o], dtype, WEFT_F64);
                check_scan(OPS[o], dtype, WEFT_INCLUSIVE);
                check_scan(OPS[o], dtype, WEFT_EXCLUSIVE);
            }
}

/* Checks that flags give the results of the corresponding offsets. */
static void check_flags(weft_op op, weft_dtype dtype) {
    const size_t count = flag();
    uint64_t found = 0;
    segments = 0;
    for (size_t i = 0; i < N; i++)
        if (i == 0 || heads[i]) offsets[segments++] = i;
    offsets[segments] = N;
    weft_dtype result;
    EXPECT_STATUS(NULL, weft_reduce_result(op, dtype, WEFT_DEFAULT, &result), WEFT_OK);
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, op, dtype, WEFT_DEFAULT, N, x, segments, offsets, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_segmented_reduce_heads(ctx, op, dtype, WEFT_DEFAULT, N, x, heads, z, &found), WEFT_OK);
    EXPECT(found == count && memcmp(y, z, count * weft_dtype_size(result)) == 0, "%s of %s: %" PRIu64 " of %zu flags",
           weft_op_name(op), weft_dtype_name(dtype), found, count);
    const size_t bytes = N * weft_dtype_size(dtype);
    EXPECT_STATUS(ctx, weft_segmented_scan(ctx, op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, N, x, segments, offsets, y),
                  WEFT_OK);
    memcpy(z, x, bytes);
    EXPECT_STATUS(ctx, weft_segmented_scan_heads(ctx, op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, N, z, heads, z),
                  WEFT_OK);
    EXPECT(memcmp(y, z, bytes) == 0, "%s of %s: the scan by flags, in place, is another", weft_op_name(op),
           weft_dtype_name(dtype));
}

static void flags(void) {
    for (int d = WEFT_I8; d <= WEFT_F64; d++)
        for (size_t o = 0; o < COUNT(OPS); o++) {
            if (!is_offered(OPS[o], (weft_dtype)d)) continue;
            cut(100 + o);
            input_fill(type_is_float((weft_dtype)d) ? INPUT_MIXED : INPUT_PATTERNS, (weft_dtype)d, 5, N, x);
            check_flags(OPS[o], (weft_dtype)d);
        }
}

/* ------------------------------------------------------------------------------------- truth */

/* Compares integers with a plain loop. */
static void integers(void) {
    cut(7);
    input_fill(INPUT_PATTERNS, WEFT_I16, 9, N, x);
    const int16_t *v = (const int16_t *)x;
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_SUM, WEFT_I16, WEFT_DEFAULT, N, x, segments, offsets, y),
                  WEFT_OK);
    EXPECT_STATUS(
        ctx, weft_segmented_scan(ctx, WEFT_MAX, WEFT_INCLUSIVE, WEFT_I16, WEFT_DEFAULT, N, x, segments, offsets, z),
        WEFT_OK);
    for (size_t s = 0; s < segments; s++) {
        int64_t sum = 0;
        int16_t most = INT16_MIN;
        for (size_t i = offsets[s]; i < offsets[s + 1]; i++) {
            sum += v[i];
            most = v[i] > most ? v[i] : most;
            EXPECT(((int16_t *)z)[i] == most, "the running maximum at %zu is %d, not %d", i, ((int16_t *)z)[i], most);
        }
        EXPECT(((int64_t *)y)[s] == sum, "the sum of segment %zu is %" PRId64 ", not %" PRId64, s, ((int64_t *)y)[s],
               sum);
    }
}

/* Checks the result of an empty segment for each type: the least or greatest value, in the order of the types. */
static void empty(void) {
    static const uint64_t least[] = {0, 0x80, 0x8000, 0x80000000, UINT64_C(1) << 63,           0,
                                     0, 0,    0,      0xff800000, UINT64_C(0xfff0000000000000)};
    static const uint64_t greatest[] = {0,
                                        0x7f,
                                        0x7fff,
                                        0x7fffffff,
                                        UINT64_MAX >> 1,
                                        0xff,
                                        0xffff,
                                        0xffffffff,
                                        UINT64_MAX,
                                        0x7f800000,
                                        UINT64_C(0x7ff0000000000000)};
    static const uint64_t none[4] = {3, 3, 3, 3};
    for (int d = WEFT_I8; d <= WEFT_F64; d++) {
        const size_t size = weft_dtype_size((weft_dtype)d);
        for (int max = 0; max < 2; max++) {
            memset(y, 0, sizeof y[0] * 4);
            EXPECT_STATUS(
                ctx,
                weft_segmented_reduce(ctx, max ? WEFT_MAX : WEFT_MIN, (weft_dtype)d, WEFT_DEFAULT, 5, x, 3, none, y),
                WEFT_OK);
            const uint64_t *wanted = max ? &least[d] : &greatest[d];
            EXPECT(memcmp((char *)y + 2 * size, wanted, size) == 0, "%s of no %s is 0x%" PRIx64, max ? "max" : "min",
                   weft_dtype_name((weft_dtype)d), y[0]);
        }
    }
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F64, WEFT_DEFAULT, 5, x, 3, none, y), WEFT_OK);
    EXPECT(y[0] == 0 && y[2] == 0, "the sum of nothing is 0x%" PRIx64, y[0]);
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_PROD, WEFT_F64, WEFT_DEFAULT, 5, x, 3, none, y), WEFT_OK);
    EXPECT(((double *)y)[1] == 1, "the product of nothing is %g", ((double *)y)[1]);
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_AND, WEFT_U8, WEFT_DEFAULT, 5, x, 3, none, y), WEFT_OK);
    EXPECT(((uint8_t *)y)[2] == 0xff, "the conjunction of nothing is %d", ((uint8_t *)y)[2]);
}

/* Checks cases in which the order of operations matters. Elements are numbered from the segment's first. In a scan
 * adjacent elements are combined first; in a sum of at least 128 elements, those that are 128 apart. */
static void order(void) {
    static float v[260];
    const float h = 0x1p-24f; /* 1 + h is 1, and 1 + (h + h) is not */
    const uint64_t whole[] = {5, 9}, rows[] = {3, 260};
    v[5] = 1, v[6] = v[7] = v[8] = h;
    EXPECT_STATUS(ctx,
                  weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, 260, v, 1, whole, y),
                  WEFT_OK);
    EXPECT(((float *)y)[6] == 1 && ((float *)y)[8] == 1 + 2 * h, "sums in a group: %a, %a", (double)((float *)y)[6],
           (double)((float *)y)[8]);
    memset(v, 0, sizeof v);
    v[3] = h, v[3 + 128] = h, v[3 + 64] = 1;
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, 260, v, 1, rows, y), WEFT_OK);
    float sum;
    memcpy(&sum, y, sizeof sum);
    EXPECT(sum == 1 + 2 * h, "a lane's sum comes first: %a", (double)sum);
}

static void keys(void) {
    const double k[] = {0.0, -0.0, NAN, -NAN, NAN, 1, 1, 2, 1, INFINITY, -INFINITY};
    const double v[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, sums[] = {3, 12, 13, 8, 9, 10, 11};
    static const size_t first[] = {0, 2, 5, 7, 8, 9, 10};
    double unique[11], out[11];
    uint64_t count = 0;
    EXPECT_STATUS(ctx,
                  weft_reduce_by_key(ctx, WEFT_SUM, WEFT_F64, WEFT_F64, WEFT_DEFAULT, 11, k, v, unique, out, &count),
                  WEFT_OK);
    EXPECT(count == 7 && memcmp(out, sums, sizeof sums) == 0, "%" PRIu64 " keys", count);
    for (size_t i = 0; i < 7; i++)
        EXPECT(memcmp(&unique[i], &k[first[i]], sizeof *k) == 0, "key %zu is %a, not key number %zu", i, unique[i],
               first[i]);
    EXPECT_STATUS(
        ctx, weft_reduce_by_key(ctx, WEFT_MAX, WEFT_I8, WEFT_F64, WEFT_DEFAULT, 0, NULL, NULL, NULL, NULL, &count),
        WEFT_OK);
    EXPECT(count == 0, "%" PRIu64 " runs of nothing", count);
}

/* Compares runs with a plain loop, for keys of every type. */
static void runs(void) {
    static uint64_t key[N], unique[N];
    for (int d = WEFT_I8; d <= WEFT_F64; d++) {
        const size_t size = weft_dtype_size((weft_dtype)d);
        uint64_t count = 0, wanted = 0, values[2] = {0, 0};
        input_fill(type_is_float((weft_dtype)d) ? INPUT_MIXED : INPUT_SMALL, (weft_dtype)d, 1, 2, values);
        for (size_t i = 0; i < N; i++) {
            const size_t which = input_random(3, i / (1 + i % 37)) % 2;
            memcpy((char *)key + i * size, (char *)values + which * size, size);
        }
        input_fill(INPUT_PATTERNS, WEFT_U32, 2, N, x);
        EXPECT_STATUS(
            ctx,
            weft_reduce_by_key(ctx, WEFT_XOR, (weft_dtype)d, WEFT_U32, WEFT_DEFAULT, N, key, x, unique, y, &count),
            WEFT_OK);
        uint32_t value = 0;
        for (size_t i = 0; i < N; i++) {
            value ^= ((uint32_t *)x)[i];
            if (i + 1 < N && memcmp(at(key, i, (weft_dtype)d), at(key, i + 1, (weft_dtype)d), size) == 0) continue;
            if (!EXPECT(((uint32_t *)y)[wanted] == value &&
                            memcmp(at(unique, wanted, (weft_dtype)d), at(key, i, (weft_dtype)d), size) == 0,
                        "run %" PRIu64 " of %s ends at %zu with another value or key", wanted,
                        weft_dtype_name((weft_dtype)d), i))
                return;
            wanted++;
            value = 0;
        }
        EXPECT(count == wanted, "%" PRIu64 " runs of %s, not %" PRIu64, count, weft_dtype_name((weft_dtype)d),
               wanted);
    }
}

int main(int argc, char **argv) {
    ctx = oracle_open(argc, argv);
    alone();
    flags();
    integers();
    empty();
    order();
    keys();
    runs();
    weft_close(ctx);
    return expect_end();
}
