/* Tests short calls of weft_fft, for which a context keeps plans: calls of alternating lengths, types, kinds and
 * batches equal the specification, also after the number of threads or the allocator has changed, and if two threads
 * use the context in turn. The argument is the device's name. */
#include "tests/expect.h"
#include "tests/values.h"

#include <pthread.h>
#include <stdlib.h>

enum { LONGEST = 1100, BATCH_MOST = 5, REALS = BATCH_MOST * (2 * LONGEST + 2), CALLS = 400 };

/* Lengths of each kind of kernel, more than a context keeps tables of. */
static const size_t lengths[] = {1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  12,  15,  16,   20,   24,
                                 30,  34,  37,  48,  60,  64,  96,  100, 101, 112, 127, 128, 160,  192,  210,
                                 243, 320, 352, 360, 384, 448, 512, 576, 625, 640, 768, 960, 1000, 1024, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static weft_context *ctx, *ref;

/* One call and the arrays that it needs. */
typedef struct call {
    weft_fft_kind kind;
    weft_dtype dtype;
    size_t batch, n;
} call;

/* Returns call number `seed` of a pseudorandom sequence. */
static call call_of(uint32_t seed) {
    seed = seed * 2654435761u;
    const uint32_t bits = seed >> 8;
    return (call){(weft_fft_kind)(bits % 4), bits / 4 % 2 ? WEFT_F64 : WEFT_F32, bits / 8 % 4 ? 1 : BATCH_MOST,
                  lengths[bits / 32 % LENGTHS]};
}

/* Compares a call on ctx with the specification. */
static void compare(call c) {
    static double x[REALS], y[REALS], expected[REALS];
    const size_t half = c.n / 2 + 1, results = c.kind == WEFT_C2R ? c.n : 2 * (c.kind == WEFT_R2C ? half : c.n);
    const size_t bytes = c.batch * results * (c.dtype == WEFT_F32 ? sizeof(float) : sizeof(double));
    store_values(c.dtype, c.batch * 2 * (c.n + 1), (uint32_t)c.n, -1, 1, x);
    memset(y, 0x55, sizeof y);
    EXPECT_STATUS(ref, weft_fft(ref, c.kind, c.dtype, c.batch, c.n, x, expected), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, c.kind, c.dtype, c.batch, c.n, x, y), WEFT_OK);
    EXPECT(memcmp(y, expected, bytes) == 0, "kind %d of %zu times %zu %s values", (int)c.kind, c.batch, c.n,
           weft_dtype_name(c.dtype));
    EXPECT(((char *)y)[bytes] == 0x55, "kind %d of %zu times %zu %s values writes too much", (int)c.kind, c.batch,
           c.n, weft_dtype_name(c.dtype));
}

/* Every length and kind, after a call of the other type or the other direction. */
static void alternating(void) {
    for (size_t i = 0; i < LENGTHS; i++)
        for (int kind = WEFT_C2C; kind <= WEFT_C2R; kind++) {
            compare((call){(weft_fft_kind)kind, WEFT_F32, 1, lengths[i]});
            compare((call){(weft_fft_kind)kind, WEFT_F64, 1, lengths[i]});
            compare((call){(weft_fft_kind)kind, WEFT_F32, 2, lengths[i]});
            compare((call){(weft_fft_kind)(kind ^ 1), WEFT_F32, 1, lengths[i]});
        }
}

static void *allocate(void *user, weft_memory where, size_t bytes, size_t alignment, void *stream) {
    (void)where, (void)stream;
    ++*(int *)user;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user, weft_memory where, void *p, size_t bytes, void *stream) {
    (void)bytes, (void)where, (void)stream;
    --*(int *)user;
    free(p);
}

/* Tables that a context has released are not used again. */
static void changes(void) {
    int blocks = 0;
    const weft_allocator own = {.size = sizeof own, .allocate = allocate, .release = release, .user = &blocks};
    for (uint32_t i = 0; i < CALLS / 4; i++) {
        const call c = call_of(i);
        compare(c);
        EXPECT_STATUS(ctx, weft_set_threads(ctx, 1 + (int)(i % 3)), WEFT_OK);
        compare(c);
        EXPECT_STATUS(ctx, weft_set_allocator(ctx, i % 2 ? NULL : &own), WEFT_OK);
        compare(c);
    }
    EXPECT_STATUS(ctx, weft_set_allocator(ctx, NULL), WEFT_OK);
    EXPECT(blocks == 0, "%d blocks are not released", blocks);
}

/* Threads that use the context in turn. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void *take_turns(void *first) {
    for (uint32_t i = 0; i < CALLS; i++) {
        pthread_mutex_lock(&turn);
        compare(call_of(*(const uint32_t *)first + i));
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

static void in_turn(void) {
    uint32_t first[2] = {1000, 2000};
    pthread_t other;
    if (!EXPECT(pthread_create(&other, NULL, take_turns, &first[1]) == 0, "no thread")) return;
    take_turns(&first[0]);
    pthread_join(other, NULL);
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (!EXPECT(weft_open(&ctx, device) == WEFT_OK && weft_open(&ref, "ref") == WEFT_OK, "%s", weft_last_error(NULL)))
        return expect_end();
    alternating();
    changes();
    in_turn();
    weft_close(ref);
    weft_close(ctx);
    return expect_end();
}
