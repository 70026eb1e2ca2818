/* Tests that weft_fft returns the same bits for a batch in host memory that a GPU copies in parts, and reports each
 * part to the progress callback. The argument is the device's name. */
#include "tests/expect.h"
#include "tests/values.h"

#include <stdlib.h>

enum { PART = 1 << 27 }; /* bytes of a part (fft_lengths.c) */

static weft_context *ctx, *cpu;
static bool copies;          /* the device is a GPU */
static uint64_t done, total; /* of the last call of the callback */

static int watch(void *user, uint64_t now, uint64_t all) {
    (void)user;
    done = now;
    total = all;
    return 0;
}

/* Transforms arrays of n f32 values, which take two parts, the second of one array. */
static void compare(weft_fft_kind kind, size_t n, bool in_place) {
    const size_t longer = kind < WEFT_R2C ? 2 * n : 2 * (n / 2 + 1); /* reals of the longer array of a transform */
    const size_t batch = PART / (longer * sizeof(float)) + 1, reals = batch * longer;
    float *const x = malloc(reals * sizeof *x), *const wanted = malloc(reals * sizeof *x),
                 *const found = in_place ? x : malloc(reals * sizeof *x);
    if (!EXPECT(x && wanted && found, "no memory")) exit(expect_end());
    const size_t results = kind == WEFT_C2R ? batch * n : reals;
    store_values(WEFT_F32, reals, n, -1, 1, x);
    EXPECT_STATUS(cpu, weft_fft(cpu, kind, WEFT_F32, batch, n, x, wanted), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_progress(ctx, watch, NULL), WEFT_OK);
    EXPECT_STATUS(ctx, weft_fft(ctx, kind, WEFT_F32, batch, n, x, found), WEFT_OK);
    EXPECT_STATUS(ctx, weft_set_progress(ctx, NULL, NULL), WEFT_OK);
    EXPECT(memcmp(found, wanted, results * sizeof *x) == 0, "kind %d of %zu times %zu values differs", (int)kind,
           batch, n);
    if (copies)
        EXPECT(done == 2 && total == 2, "kind %d of %zu values: %llu of %llu parts", (int)kind, n,
               (unsigned long long)done, (unsigned long long)total);
    if (!in_place) free(found);
    free(wanted);
    free(x);
}

int main(int argc, char **argv) {
    if (!EXPECT(weft_open(&ctx, argc > 1 ? argv[1] : "cpu") == WEFT_OK, "%s", weft_last_error(NULL)) ||
        !EXPECT(weft_open(&cpu, "cpu") == WEFT_OK, "%s", weft_last_error(NULL)))
        return expect_end();
    copies = argc > 1 && strcmp(argv[1], "cuda") == 0;
    compare(WEFT_C2C_INVERSE, 12, true);
    compare(WEFT_R2C, 8, false);
    weft_close(cpu);
    weft_close(ctx);
    return expect_end();
}
