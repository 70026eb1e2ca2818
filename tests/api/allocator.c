/* Tests weft_set_allocator with an allocator that records its blocks: same bits as without, each block released once
 * with its size, alignment, changes of the allocator, and failures of every allocation. The argument is the device's
 * name. */
#include "tests/every.h"
#include "tests/expect.h"

#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *device;
static bool on_gpu;

/* ------------------------------------------------------------------------------ the allocator */

typedef struct block {
    weft_memory where;
    char *p, *base; /* base: what `pool` returned */
    size_t bytes;
} block;

/* Allocator whose memory comes from another context of the same device. */
typedef struct ledger {
    weft_context *pool;
    block blocks[512];
    size_t live, live_bytes, taken;
    size_t fails_at; /* number of the allocation that fails: NULL, or an address that is not aligned */
    bool misaligned;
    unsigned kinds; /* bit i: memory of kind i was allocated */
} ledger;

enum { MARGIN = 1024, NEVER = 1 << 30 };

/* Returns an address that is a multiple of `alignment`, but not of 2 * alignment, and memory that is not zero. */
static void *take(void *user, weft_memory where, size_t bytes, size_t alignment, void *stream) {
    ledger *l = user;
    void *base;
    EXPECT(bytes > 0 && alignment >= 64 && alignment <= 256 && (alignment & (alignment - 1)) == 0,
           "%zu bytes, aligned to %zu", bytes, alignment);
    EXPECT(on_gpu || !stream, "a stream without a GPU");
    l->kinds |= 1U << where;
    const bool fails = l->taken++ == l->fails_at;
    if ((fails && !l->misaligned) || !EXPECT(l->live < 512, "too many blocks")) return NULL;
    if (weft_alloc(l->pool, where, bytes + MARGIN, &base) != WEFT_OK) return NULL;
    if (!on_gpu) memset(base, 0xa5, bytes + MARGIN);
    char *p = (char *)base + (3 * alignment - (uintptr_t)base % (2 * alignment));
    if (fails) p += alignment / 2;
    l->blocks[l->live++] = (block){where, p, base, bytes};
    l->live_bytes += bytes;
    return p;
}

static void give(void *user, weft_memory where, void *p, size_t bytes, void *stream) {
    ledger *l = user;
    size_t i = 0;
    while (i < l->live && l->blocks[i].p != p) i++;
    if (!EXPECT(i < l->live, "%p is released, but is not allocated", p)) return;
    EXPECT(l->blocks[i].bytes == bytes && l->blocks[i].where == where, "%zu bytes of kind %d, released as %zu of %d",
           l->blocks[i].bytes, (int)l->blocks[i].where, bytes, (int)where);
    EXPECT(on_gpu || !stream, "a stream without a GPU");
    weft_free(l->pool, where, l->blocks[i].base);
    l->live_bytes -= bytes;
    l->blocks[i] = l->blocks[--l->live];
}

static weft_context *open_context(void) {
    weft_context *ctx = NULL;
    EXPECT(weft_open(&ctx, device) == WEFT_OK, "%s", weft_last_error(NULL));
    return ctx;
}

static ledger new_ledger(void) { return (ledger){.pool = open_context(), .fails_at = NEVER}; }

static weft_allocator allocator_of(ledger *l) {
    return (weft_allocator){.size = sizeof(weft_allocator), .user = l, .allocate = take, .release = give};
}

static void use(weft_context *ctx, ledger *l) {
    const weft_allocator allocator = allocator_of(l);
    EXPECT_STATUS(ctx, weft_set_allocator(ctx, l ? &allocator : NULL), WEFT_OK);
}

static void expect_balanced(ledger *l) {
    EXPECT(l->live == 0 && l->live_bytes == 0, "%zu blocks of %zu bytes are not released", l->live, l->live_bytes);
    weft_close(l->pool);
}

/* ------------------------------------------------------------------------------ the operations */

enum { SMALL = 1 << 10, LARGE = 1 << 15, OPERATIONS = 9 };
static float x[LARGE], expected[2 * LARGE], found[2 * LARGE];

/* A source with a `view` needs no buffers: this one has only `read`. */
static weft_status scan_source(weft_context *ctx, size_t n, float *out) {
    weft_channel in, to;
    weft_source source = weft_source_memory(&in, WEFT_F32, n, x);
    const weft_sink sink = weft_sink_memory(&to, n * sizeof *x, out);
    source.view = NULL;
    return weft_scan_source(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_DEFAULT, &source, NULL, &sink);
}

static weft_status run(weft_context *ctx, int operation, size_t n, float *out) {
    uint64_t singular;
    static const float centre = 4, side = 1;
    const weft_lines around = {&side, 0, 0}, diagonal = {&centre, 0, 0}, right = {x, 1, n};
    const size_t side_length = n == SMALL ? 32 : 181;
    memset(out, 0, 2 * LARGE * sizeof *out);
    switch (operation) {
    case 0: return weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_F32, WEFT_DEFAULT, n, x, NULL, out);
    case 1: return weft_fft(ctx, WEFT_R2C, WEFT_F32, 1, n, x, out);
    case 2: return weft_tridiag(ctx, WEFT_OPEN_ENDS, WEFT_F32, 1, n, around, diagonal, around, right, out, &singular);
    case 3:
        return weft_matmul(ctx, WEFT_ROW_MAJOR, WEFT_NO_TRANSPOSE, WEFT_TRANSPOSE, WEFT_F32, WEFT_DEFAULT,
                           side_length, side_length, side_length, NULL, x, side_length, x, side_length, NULL, out,
                           side_length);
    case 4: return weft_sort(ctx, WEFT_ASCENDING, WEFT_F32, n, x, out);
    case 5: return weft_top_k(ctx, WEFT_LARGEST, WEFT_F32, n, x, n / 4, out, NULL);
    case 6: return weft_convolve(ctx, WEFT_SAME, WEFT_F32, WEFT_REAL, n, x, n / 4, x + n / 2, out);
    case 7: return weft_fft(ctx, WEFT_R2C, WEFT_F32, 1, n - 1, x, out);
    default: return scan_source(ctx, n, out);
    }
}

static void expect_same(int operation, size_t n) {
    EXPECT(memcmp(expected, found, sizeof found) == 0, "operation %d of %zu elements: other bits", operation, n);
}

static void same_bits(void) {
    ledger l = new_ledger();
    weft_context *ctx = open_context(), *plain = open_context();
    const size_t fixed = weft_scratch_bytes(ctx);
    use(ctx, &l);
    for (size_t n = SMALL; n <= LARGE; n += LARGE - SMALL)
        for (int operation = 0; operation < OPERATIONS; operation++) {
            if (!EXPECT_STATUS(plain, run(plain, operation, n, expected), WEFT_OK)) continue;
            EXPECT_STATUS(ctx, run(ctx, operation, n, found), WEFT_OK);
            expect_same(operation, n);
            EXPECT(weft_scratch_bytes(ctx) == fixed + l.live_bytes, "%zu bytes of scratch memory, %zu are allocated",
                   weft_scratch_bytes(ctx) - fixed, l.live_bytes);
        }
    EXPECT(l.taken >= 4, "only %zu allocations", l.taken);
    weft_close(plain);
    weft_close(ctx);
    expect_balanced(&l);
}

/* Runs every operation of the library. */
static void every_operation(void) {
    ledger l = new_ledger();
    weft_context *ctx = open_context(), *plain = open_context();
    uint64_t bits = 0, wanted = 1;
    every_prepare();
    use(ctx, &l);
    for (size_t i = 0; i < every_count(); i++) {
        EXPECT_STATUS(plain, every_run(plain, i, &wanted), WEFT_OK);
        EXPECT_STATUS(ctx, every_run(ctx, i, &bits), WEFT_OK);
        EXPECT(bits == wanted, "%s: other bits", every_name(i));
    }
    weft_close(plain);
    weft_close(ctx);
    expect_balanced(&l);
}

/* ----------------------------------------------------------------------------------- failures */

/* Lets each allocation of an operation fail in turn, until none is left. */
static void failing(weft_context *ctx, ledger *l, int operation, size_t n) {
    weft_status status = WEFT_INTERNAL;
    for (size_t k = 0; k < 100 && status != WEFT_OK; k++) {
        l->fails_at = NEVER;
        use(ctx, l);
        EXPECT(l->live == 0, "%zu blocks are left of a failed call", l->live);
        l->fails_at = l->taken + k;
        status = run(ctx, operation, n, found);
        if (status == WEFT_OK) expect_same(operation, n);
        if (status != WEFT_OK && l->misaligned)
            EXPECT_ERROR(ctx, status, WEFT_INVALID, "expected a multiple of ");
        else if (status != WEFT_OK)
            EXPECT_ERROR(ctx, status, WEFT_OUT_OF_MEMORY, "the allocator of the context returned NULL for ");
    }
    EXPECT(status == WEFT_OK, "operation %d still fails", operation);
}

static void failures(void) {
    ledger l = new_ledger();
    weft_context *ctx = open_context(), *plain = open_context();
    void *p = ctx;
    for (int operation = 0; operation < OPERATIONS; operation++) {
        if (!EXPECT_STATUS(plain, run(plain, operation, LARGE, expected), WEFT_OK)) continue;
        for (int misaligned = 0; misaligned < 2; misaligned++) {
            l.misaligned = misaligned;
            failing(ctx, &l, operation, LARGE);
        }
    }
    for (int misaligned = 0; misaligned < 2; misaligned++) {
        const size_t live = l.live;
        l.misaligned = misaligned;
        l.fails_at = l.taken;
        EXPECT_ERROR(ctx, weft_alloc(ctx, WEFT_PINNED, 100, &p), misaligned ? WEFT_INVALID : WEFT_OUT_OF_MEMORY,
                     "the allocator of the context returned ");
        EXPECT(!p && l.live == live, "p is %p, %zu blocks", p, l.live);
    }
    weft_close(plain);
    weft_close(ctx);
    expect_balanced(&l);
}

static void refusals(void) {
    ledger l = new_ledger();
    weft_context *ctx = open_context();
    const weft_allocator right = allocator_of(&l);
    weft_allocator wrong = right;
    for (wrong.size = 0; wrong.size <= 2 * sizeof wrong; wrong.size += 2 * sizeof wrong)
        EXPECT_ERROR(ctx, weft_set_allocator(ctx, &wrong), WEFT_INVALID, "expected sizeof(weft_allocator)");
    wrong = right;
    wrong.allocate = NULL;
    EXPECT_ERROR(ctx, weft_set_allocator(ctx, &wrong), WEFT_INVALID, "allocator->allocate is NULL");
    wrong = right;
    wrong.release = NULL;
    EXPECT_ERROR(ctx, weft_set_allocator(ctx, &wrong), WEFT_INVALID, "allocator->release is NULL");
    EXPECT_ERROR(NULL, weft_set_allocator(NULL, &right), WEFT_INVALID, "ctx is NULL");
    EXPECT_STATUS(ctx, run(ctx, 0, SMALL, found), WEFT_OK);
    EXPECT(l.taken == 0, "an allocator that was refused is used");
    weft_close(ctx);
    expect_balanced(&l);
}

/* ------------------------------------------------------------------------------------ changes */

/* Blocks of weft_alloc: from the default allocator, then from two others. */
static void blocks(void) {
    ledger a = new_ledger(), b = new_ledger();
    const weft_allocator other = allocator_of(&b);
    weft_context *ctx = open_context();
    void *by_default, *p[3], *left;
    EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, 5000, &by_default), WEFT_OK);
    use(ctx, &a);
    for (int kind = WEFT_DEVICE; kind <= WEFT_PINNED; kind++)
        EXPECT_STATUS(ctx, weft_alloc(ctx, (weft_memory)kind, 777, &p[kind]), WEFT_OK);
    EXPECT(a.live == 3 && a.live_bytes == 3 * 777 && a.kinds == 7, "%zu blocks of kinds %x", a.live, a.kinds);
    EXPECT_STATUS(ctx, weft_free(ctx, WEFT_DEVICE, by_default), WEFT_OK);
    EXPECT_STATUS(ctx, run(ctx, 2, LARGE, found), WEFT_OK);
    const size_t live = a.live;
    EXPECT_ERROR(ctx, weft_set_allocator(ctx, &other), WEFT_INVALID,
                 "while memory of weft_alloc is not freed: number of blocks: 3");
    EXPECT_ERROR(ctx, weft_set_allocator(ctx, NULL), WEFT_INVALID, "number of blocks: 3");
    EXPECT(a.live == live, "a refused change releases %zu blocks", live - a.live);
    for (int kind = WEFT_DEVICE; kind <= WEFT_PINNED; kind++)
        EXPECT_STATUS(ctx, weft_free(ctx, (weft_memory)kind, p[kind]), WEFT_OK);
    use(ctx, &b);
    EXPECT(a.live == 0, "%zu blocks of the previous allocator are left", a.live);
    const size_t taken = a.taken;
    EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, 1, &left), WEFT_OK);
    EXPECT_STATUS(ctx, run(ctx, 2, LARGE, found), WEFT_OK);
    EXPECT(a.taken == taken && b.taken > 0, "the previous allocator is used");
    weft_close(ctx); /* also releases the block `left` */
    expect_balanced(&a);
    expect_balanced(&b);
}

/* Changes the allocator between operations, and back to the default one. */
static void changes(void) {
    ledger a = new_ledger(), b = new_ledger();
    weft_context *ctx = open_context();
    for (int operation = 0; operation < OPERATIONS; operation++) {
        if (!EXPECT_STATUS(ctx, run(ctx, operation, LARGE, expected), WEFT_OK)) continue;
        ledger *const order[] = {&a, &b, NULL, &a};
        for (int i = 0; i < 4; i++) {
            use(ctx, order[i]);
            EXPECT((order[i] == &a || a.live == 0) && (order[i] == &b || b.live == 0),
                   "an allocator that is not set has blocks");
            EXPECT_STATUS(ctx, run(ctx, operation, LARGE, found), WEFT_OK);
            expect_same(operation, LARGE);
        }
    }
    weft_close(ctx);
    expect_balanced(&a);
    expect_balanced(&b);
}

/* A child process after fork() does not call the allocator. */
static void forked(void) {
    ledger l = new_ledger();
    weft_context *ctx = open_context();
    void *p;
    int status = 1;
    use(ctx, &l);
    EXPECT_STATUS(ctx, weft_alloc(ctx, WEFT_DEVICE, 100, &p), WEFT_OK);
    const pid_t child = fork();
    if (child == 0) {
        weft_close(ctx);
        _exit(l.live == 1 ? 0 : 3);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0, "the child ended with status %d", status);
    weft_close(ctx);
    expect_balanced(&l);
}

int main(int argc, char **argv) {
    device = argc > 1 ? argv[1] : "cpu";
    on_gpu = strcmp(device, "cuda") == 0;
    for (size_t i = 0; i < LARGE; i++) x[i] = (float)(i * 7919 % 1013) / 1024 - 0.3f;
    same_bits();
    if (strcmp(device, "cpu") == 0) every_operation();
    failures();
    refusals();
    blocks();
    changes();
    if (!on_gpu) forked();
    return expect_end();
}
