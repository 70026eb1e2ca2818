/* Tests weft_alloc, weft_free and weft_copy, that repeated calls allocate nothing, and the number of bytes of scratch
 * memory held. The argument is the device's name. */
#include "tests/expect.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef COUNTS_ALLOCATIONS
#endif
#endif

/* ------------------------------------------------- the C library's allocator, with a counter */

static atomic_size_t allocations;

#ifdef COUNTS_ALLOCATIONS
#define INTERPOSED __attribute__((visibility("default")))
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *p, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

INTERPOSED void *malloc(size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(bytes);
}
INTERPOSED void *calloc(size_t count, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, bytes);
}
INTERPOSED void *realloc(void *p, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(p, bytes);
}
INTERPOSED void *aligned_alloc(size_t alignment, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(alignment, bytes);
}
INTERPOSED int posix_memalign(void **p, size_t alignment, size_t bytes) {
    atomic_fetch_add(&allocations, 1);
    *p = __libc_memalign(alignment, bytes);
    return *p ? 0 : 12;
}
#endif

/* ------------------------------------------------------------------------------------ memory */

static void memory(weft_context *ctx) {
    static const unsigned char text[] = "what is copied there and back";
    unsigned char back[sizeof text] = {0};
    void *p = (void *)text;
    for (int kind = WEFT_DEVICE; kind <= WEFT_PINNED; kind++) {
        EXPECT_STATUS(ctx, weft_alloc(ctx, (weft_memory)kind, 1000, &p), WEFT_OK);
        EXPECT((uintptr_t)p % 64 == 0 && p, "kind %d of memory is at %p", kind, p);
        EXPECT_STATUS(ctx, weft_copy(ctx, sizeof text, text, p), WEFT_OK);
        EXPECT_STATUS(ctx, weft_copy(ctx, sizeof text, p, back), WEFT_OK);
        EXPECT(memcmp(text, back, sizeof text) == 0, "kind %d came back as \"%s\"", kind, back);
        EXPECT_ERROR(ctx, weft_copy(ctx, 100, p, (char *)p + 99), WEFT_INVALID, "overlaps");
        EXPECT_STATUS(ctx, weft_copy(ctx, 100, p, (char *)p + 100), WEFT_OK);
        EXPECT_STATUS(ctx, weft_free(ctx, (weft_memory)kind, p), WEFT_OK);
        memset(back, 0, sizeof back);
    }
    p = back;
    EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, 0, &p), WEFT_OK);
    EXPECT_STATUS(ctx, weft_free(ctx, WEFT_DEVICE, p), WEFT_OK);
    EXPECT_STATUS(ctx, weft_free(ctx, WEFT_DEVICE, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_copy(ctx, 0, NULL, NULL), WEFT_OK);
    EXPECT_ERROR(ctx, weft_copy(ctx, 1, NULL, back), WEFT_INVALID, "src is NULL");
    EXPECT_ERROR(ctx, weft_copy(ctx, 1, text, NULL), WEFT_INVALID, "dst is NULL");
    EXPECT_ERROR(ctx, weft_copy(ctx, SIZE_MAX, text, back), WEFT_INVALID, "do not fit in memory");
    EXPECT_ERROR(ctx, weft_alloc(ctx, WEFT_DEVICE, 8, NULL), WEFT_INVALID, "is NULL");
    EXPECT_ERROR(ctx, weft_alloc(ctx, (weft_memory)3, 8, &p), WEFT_INVALID, "invalid memory kind 3");
    EXPECT_ERROR(ctx, weft_free(ctx, (weft_memory)-1, back), WEFT_INVALID, "invalid memory kind -1");
}

#ifdef COUNTS_ALLOCATIONS /* a sanitizer's allocator may stop the program here */
static void too_much(weft_context *ctx) {
    void *p = ctx;
    char bytes[32];
    snprintf(bytes, sizeof bytes, "%zu", SIZE_MAX / 4);
    EXPECT_ERROR(ctx, weft_alloc(ctx, WEFT_DEVICE, SIZE_MAX / 4, &p), WEFT_OUT_OF_MEMORY, bytes);
    EXPECT(p == NULL, "a failed weft_alloc leaves %p", p);
}
#endif

/* ------------------------------------------------------------------------------ steady state */

/* Number of elements. The specification uses fewer: it is slow, and behaves alike for every size. */
enum { N = 1000003, REF_N = 20011 };

/* Runs transforms. They are short, because tables are kept for each length. */
static void transform_some(weft_context *ctx, const float *x, float *y) {
    for (int kind = WEFT_C2C; kind <= WEFT_C2R; kind++)
        EXPECT_STATUS(ctx, weft_fft(ctx, (weft_fft_kind)kind, WEFT_F32, 3, 1024, x, y), WEFT_OK);
    for (size_t taps = 11; taps <= 150; taps += 139) {
        EXPECT_STATUS(ctx, weft_convolve(ctx, WEFT_SAME, WEFT_F32, WEFT_REAL, 5000, x, taps, x, y), WEFT_OK);
        EXPECT_STATUS(ctx, weft_correlate(ctx, WEFT_FULL, WEFT_F32, WEFT_COMPLEX, 5000, x, taps, x, y), WEFT_OK);
    }
}

static void call_all(weft_context *ctx, size_t n, const float *x) {
    static float y[N];
    static float kept[N];
    static uint64_t lengths[N];
    uint64_t count;
    double out;
    for (int op = WEFT_SUM; op <= WEFT_NORMINF; op++) {
        const weft_dtype dtype = op >= WEFT_AND && op <= WEFT_XOR ? WEFT_U32 : WEFT_F32;
        EXPECT_STATUS(ctx, weft_reduce(ctx, (weft_op)op, dtype, WEFT_DEFAULT, n, x, &out), WEFT_OK);
    }
    EXPECT_STATUS(ctx, weft_variance(ctx, WEFT_F32, WEFT_DEFAULT, n, 1, x, &out), WEFT_OK);
    EXPECT_STATUS(ctx, weft_dot(ctx, WEFT_F32, WEFT_F64, n, x, x, &out), WEFT_OK);
    EXPECT_STATUS(ctx, weft_select_if(ctx, WEFT_GT, WEFT_F32, n, x, x + 600, kept, &count), WEFT_OK);
    EXPECT_STATUS(ctx, weft_select(ctx, WEFT_F32, n, x, (const uint8_t *)x, kept, &count), WEFT_OK);
    EXPECT_STATUS(ctx, weft_partition_if(ctx, WEFT_GT, WEFT_F32, n, x, x + 600, kept, &count), WEFT_OK);
    EXPECT_STATUS(ctx, weft_run_length(ctx, WEFT_F32, n, x, kept, lengths, &count), WEFT_OK);
    static const uint64_t offsets[] = {0, 7, 7, 100, 1000};
    static float sums[N], keys[N];
    EXPECT_STATUS(ctx, weft_segmented_reduce(ctx, WEFT_SUM, WEFT_F32, WEFT_DEFAULT, n, x, 4, offsets, sums), WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_reduce_by_key(ctx, WEFT_SUM, WEFT_F32, WEFT_F32, WEFT_DEFAULT, n, x, x, keys, sums, &count),
                  WEFT_OK);
    static const float edges[] = {-500, -1, 0, 7, 512};
    static uint64_t counts[100], indices[10];
    EXPECT_STATUS(ctx, weft_histogram_even(ctx, WEFT_F32, n, x, 100, &edges[0], &edges[4], counts), WEFT_OK);
    EXPECT_STATUS(ctx, weft_histogram(ctx, WEFT_F32, n, x, 4, edges, counts), WEFT_OK);
    EXPECT_STATUS(ctx, weft_random(ctx, WEFT_NORMAL, WEFT_F32, 1, 2, 3, 1000, 0, 1, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_merge(ctx, WEFT_F32, n / 2, x, n / 2, x, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_search_sorted(ctx, WEFT_LEFT, WEFT_F32, n, x, 100, x, counts), WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_NO_TRANSPOSE, WEFT_F32, WEFT_F64, 20, 30,
                              25, NULL, x, 25, x, 30, NULL, y, 30),
                  WEFT_OK);
    static weft_expr *expr; /* compiled once, since compiling allocates memory */
    const weft_binding binding = {"x", WEFT_F32, x, NULL};
    if (!expr) EXPECT_STATUS(ctx, weft_expr_compile(ctx, "x*x + 3", &expr), WEFT_OK);
    EXPECT_STATUS(ctx, weft_map(ctx, expr, WEFT_F32, n, &binding, 1, y), WEFT_OK);
    if (strcmp(weft_device(ctx), "ref") == 0) return; /* some of its other operations allocate in each call */
    EXPECT_STATUS(ctx, weft_map_reduce(ctx, WEFT_MEAN, expr, WEFT_F32, WEFT_DEFAULT, n, &binding, 1, &out), WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_scatter_reduce(ctx, WEFT_SUM, WEFT_RANGE_SKIP, WEFT_F32, WEFT_DEFAULT, WEFT_U32, n, 1, 100, x,
                                      x, sums, y),
                  WEFT_OK);
    static uint32_t reversed[N];
    for (size_t i = 0; i < n; i++) reversed[i] = (uint32_t)(n - 1 - i);
    EXPECT_STATUS(ctx, weft_gather(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_U32, n, 1, n, x, reversed, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scatter(ctx, WEFT_RANGE_ERROR, WEFT_F32, WEFT_U32, n, 1, n, x, reversed, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_top_k(ctx, WEFT_LARGEST, WEFT_F32, n, x, 10, y, indices), WEFT_OK);
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, NULL, y), WEFT_OK);
    EXPECT_STATUS(ctx,
                  weft_segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, 4, offsets, y),
                  WEFT_OK);
    EXPECT_STATUS(ctx, weft_scan(ctx, WEFT_MAX, WEFT_EXCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, NULL, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_recurrence(ctx, WEFT_FORWARD, WEFT_F32, 1, n, x, x, NULL, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_recurrence(ctx, WEFT_REVERSE, WEFT_F32, n / 100, 100, x, x, x, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_sort(ctx, WEFT_ASCENDING, WEFT_F32, n, x, y), WEFT_OK);
    EXPECT_STATUS(ctx, weft_argsort(ctx, WEFT_DESCENDING, WEFT_F32, WEFT_U32, n, x, y), WEFT_OK);
    transform_some(ctx, x, y);
}

static void steady_state(weft_context *ctx) {
    static float x[N];
    const size_t n = strcmp(weft_device(ctx), "ref") == 0 ? REF_N : N;
    for (size_t i = 0; i < N; i++) x[i] = (float)(i % 1013) - 500;
    for (int threads = 1; threads <= 7; threads += 3) {
        EXPECT_STATUS(ctx, weft_set_threads(ctx, threads), WEFT_OK);
        call_all(ctx, n, x);
        const size_t scratch = weft_scratch_bytes(ctx), before = atomic_load(&allocations);
        for (int i = 0; i < 50; i++) call_all(ctx, i % 2 ? n : 1000, x);
        EXPECT(weft_scratch_bytes(ctx) == scratch, "scratch grew from %zu to %zu", scratch, weft_scratch_bytes(ctx));
        EXPECT(scratch <= 5 * sizeof x + (4 << 20), "%zu bytes of scratch for %zu", scratch, sizeof x);
        EXPECT(atomic_load(&allocations) == before, "1100 calls with %d threads allocated %zu times", threads,
               atomic_load(&allocations) - before);
    }
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    weft_context *ctx;
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    memory(ctx);
#ifdef COUNTS_ALLOCATIONS
    void *volatile p = malloc(1);
    free(p);
    EXPECT(atomic_load(&allocations) > 0, "allocations are not counted");
    too_much(ctx);
#else
    puts("allocations are not counted here");
#endif
    steady_state(ctx);
    weft_close(ctx);
    return expect_end();
}
