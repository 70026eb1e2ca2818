/* Tests every argument that the sorting functions reject: the error message, and that nothing was written. The
 * argument is the device's name. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 100, VALUE_BYTES_MAX = 16 };
static const unsigned char POISON = 0x5a;
static weft_context *ctx;
static double keys[N];
static double values[2 * N] __attribute__((aligned(16)));
static unsigned char sorted[N * sizeof(double)] __attribute__((aligned(16)));
static unsigned char moved[N * VALUE_BYTES_MAX] __attribute__((aligned(16)));

static void *shifted(void *p, size_t bytes) { return (char *)p + bytes; }

static void keys_alone(void) {
#define REFUSED(dtype, order, n, keys, sorted, status, words) \
    EXPECT_ERROR(ctx, weft_sort(ctx, order, dtype, n, keys, sorted), status, words)
    REFUSED(WEFT_F64, WEFT_ASCENDING, N, NULL, sorted, WEFT_INVALID, "keys is NULL");
    REFUSED(WEFT_F64, WEFT_ASCENDING, N, keys, NULL, WEFT_INVALID, "sorted is NULL");
    REFUSED(WEFT_F64, WEFT_ASCENDING, 5, shifted(keys, 4), sorted, WEFT_INVALID, "keys is at");
    REFUSED(WEFT_F64, WEFT_ASCENDING, 5, keys, shifted(sorted, 4), WEFT_INVALID, "not aligned to its 8-byte");
    REFUSED(WEFT_F64, WEFT_ASCENDING, 5, keys, keys + 1, WEFT_INVALID, "sorted (40 bytes at");
    REFUSED(WEFT_F64, WEFT_ASCENDING, 5, keys + 4, keys, WEFT_INVALID, "overlaps keys");
    REFUSED(WEFT_F64, WEFT_ASCENDING, SIZE_MAX / 4, keys, sorted, WEFT_INVALID, "do not fit in memory");
    REFUSED((weft_dtype)14, WEFT_ASCENDING, 5, keys, sorted, WEFT_INVALID, "invalid dtype 14");
    REFUSED(WEFT_DEFAULT, WEFT_ASCENDING, 5, keys, sorted, WEFT_INVALID, "invalid dtype 0");
    REFUSED(WEFT_F64, (weft_order_of_sort)2, 5, keys, sorted, WEFT_INVALID, "invalid sort order 2");
    REFUSED(WEFT_F64, (weft_order_of_sort)-1, 5, keys, sorted, WEFT_INVALID, "invalid sort order -1");
#undef REFUSED
    EXPECT_ERROR(NULL, weft_sort(NULL, WEFT_ASCENDING, WEFT_F64, 5, keys, sorted), WEFT_INVALID, "ctx is NULL");
}

static void pairs(void) {
#define REFUSED(n, keys, value_bytes, values, sorted, moved, words)                                                \
    EXPECT_ERROR(ctx, weft_sort_pairs(ctx, WEFT_ASCENDING, WEFT_F64, n, keys, value_bytes, values, sorted, moved), \
                 WEFT_INVALID, words)
    static const size_t sizes[] = {0, 3, 5, 12, 17, 32, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        REFUSED(5, keys, sizes[i], values, sorted, moved, "expected 1, 2, 4, 8 or 16 bytes");
    REFUSED(N, NULL, 8, values, sorted, moved, "keys is NULL");
    REFUSED(N, keys, 8, NULL, sorted, moved, "values is NULL");
    REFUSED(N, keys, 8, values, NULL, moved, "sorted_keys is NULL");
    REFUSED(N, keys, 8, values, sorted, NULL, "sorted_values is NULL");
    REFUSED(5, keys, 8, shifted(values, 4), sorted, moved, "values is at");
    REFUSED(5, keys, 2, values, sorted, shifted(moved, 1), "not aligned to its 2-byte");
    REFUSED(5, keys, 16, values, sorted, shifted(moved, 4), "sorted_values is at");
    REFUSED(SIZE_MAX / 16, keys, 16, values, sorted, moved, "do not fit in memory");
    REFUSED(5, keys, 8, values, keys + 1, moved, "sorted_keys (40 bytes at");
    REFUSED(5, keys, 8, values, sorted, values + 2, "sorted_values (40 bytes at");
    REFUSED(5, keys, 8, values, values, moved, "overlaps values");
    REFUSED(5, keys, 8, values, sorted, keys, "overlaps keys");
    REFUSED(5, keys, 8, values, sorted, sorted, "overlaps sorted_values");
    REFUSED(5, keys, 8, keys, keys, moved, "overlaps values");
#undef REFUSED
    EXPECT_ERROR(NULL, weft_sort_pairs(NULL, WEFT_ASCENDING, WEFT_F64, 5, keys, 8, values, sorted, moved),
                 WEFT_INVALID, "ctx is NULL");
}

static void some_bits(void) {
#define REFUSED(dtype, first, bits, value_bytes, status, words)                                                    \
    EXPECT_ERROR(                                                                                                  \
        ctx, weft_sort_bits(ctx, WEFT_ASCENDING, dtype, first, bits, 5, keys, value_bytes, values, sorted, moved), \
        status, words)
    REFUSED(WEFT_F32, 0, 8, 0, WEFT_UNSUPPORTED, "integer keys, not f32");
    REFUSED(WEFT_F64, 0, 64, 4, WEFT_UNSUPPORTED, "requires integer keys");
    REFUSED(WEFT_U8, 0, 9, 0, WEFT_INVALID, "9 bits starting at bit 0: keys of u8 have only bits 0 to 7");
    REFUSED(WEFT_U8, 8, 1, 0, WEFT_INVALID, "1 bits starting at bit 8");
    REFUSED(WEFT_I64, 65, 0, 0, WEFT_INVALID, "0 bits starting at bit 65: keys of i64 have only bits 0 to 63");
    REFUSED(WEFT_I64, 1, 0xffffffff, 0, WEFT_INVALID, "4294967295 bits starting at bit 1");
    REFUSED(WEFT_I64, 0xffffffff, 2, 0, WEFT_INVALID, "2 bits starting at bit 4294967295");
    REFUSED(WEFT_I64, 0, 64, 7, WEFT_INVALID, "size of a value 7");
    REFUSED((weft_dtype)14, 0, 8, 0, WEFT_INVALID, "invalid dtype 14");
#undef REFUSED
    EXPECT_ERROR(NULL, weft_sort_bits(NULL, WEFT_ASCENDING, WEFT_U8, 0, 8, 5, keys, 0, NULL, sorted, NULL),
                 WEFT_INVALID, "ctx is NULL");
}

static void indices(void) {
#define REFUSED(index, n, keys, indices, status, words) \
    EXPECT_ERROR(ctx, weft_argsort(ctx, WEFT_ASCENDING, WEFT_F64, index, n, keys, indices), status, words)
    REFUSED(WEFT_I32, 5, keys, moved, WEFT_UNSUPPORTED, "indices must have type u32 or u64, not i32");
    REFUSED(WEFT_DEFAULT, 5, keys, moved, WEFT_UNSUPPORTED, "or u64, not unknown");
    REFUSED(WEFT_U32, ((size_t)1 << 32) + 1, keys, moved, WEFT_INVALID, "the indices of 4294967297 keys do not");
    REFUSED(WEFT_U64, 5, NULL, moved, WEFT_INVALID, "keys is NULL");
    REFUSED(WEFT_U64, 5, keys, NULL, WEFT_INVALID, "indices is NULL");
    REFUSED(WEFT_U64, 5, keys, shifted(moved, 4), WEFT_INVALID, "indices is at");
    REFUSED(WEFT_U64, 5, keys, keys, WEFT_INVALID, "indices (40 bytes at");
    REFUSED(WEFT_U32, 5, shifted(keys, 2), moved, WEFT_INVALID, "keys is at");
    REFUSED(WEFT_U64, SIZE_MAX / 4, keys, moved, WEFT_INVALID, "do not fit in memory");
#undef REFUSED
    EXPECT_ERROR(NULL, weft_argsort(NULL, WEFT_ASCENDING, WEFT_F64, WEFT_U64, 5, keys, moved), WEFT_INVALID,
                 "ctx is NULL");
}

static void taken(void) {
    double *const half = keys + N / 2;
#define TAKEN(call) EXPECT_STATUS(ctx, call, WEFT_OK)
    TAKEN(weft_sort(ctx, WEFT_ASCENDING, WEFT_F64, 0, NULL, NULL));
    TAKEN(weft_sort_pairs(ctx, WEFT_ASCENDING, WEFT_F64, 0, NULL, 4, NULL, NULL, NULL));
    TAKEN(weft_sort_bits(ctx, WEFT_ASCENDING, WEFT_I8, 8, 0, 0, NULL, 0, NULL, NULL, NULL));
    TAKEN(weft_argsort(ctx, WEFT_ASCENDING, WEFT_F64, WEFT_U32, 0, NULL, NULL));
    TAKEN(weft_sort(ctx, WEFT_ASCENDING, WEFT_F64, N / 2, keys, half)); /* adjacent arrays */
    TAKEN(weft_sort(ctx, WEFT_DESCENDING, WEFT_F64, N, keys, keys));
    TAKEN(weft_sort_pairs(ctx, WEFT_ASCENDING, WEFT_F64, N / 2, keys, 8, keys, half,
                          values)); /* values and keys are one array */
    TAKEN(weft_sort_pairs(ctx, WEFT_ASCENDING, WEFT_F64, 5, keys, 16, values + 1, keys, values + 1));
    TAKEN(weft_sort_bits(ctx, WEFT_ASCENDING, WEFT_I64, 64, 0, 5, keys, 0, shifted(keys, 1), keys, NULL));
#undef TAKEN
}

static void is_poison(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        EXPECT(bytes[i] == POISON, "a call that failed wrote byte %zu of an output", i);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (size_t i = 0; i < N; i++) keys[i] = values[i] = (double)(i * 37 % N);
    memset(sorted, POISON, sizeof sorted);
    memset(moved, POISON, sizeof moved);
    keys_alone();
    pairs();
    some_bits();
    indices();
    is_poison(sorted, sizeof sorted);
    is_poison(moved, sizeof moved);
    taken();
    weft_close(ctx);
    return expect_end();
}
