/* Tests arguments that weft_recurrence rejects, and that such a call writes nothing. */
#include "tests/expect.h"

#include <stdint.h>

enum { N = 1000, POISON = 0x5a };
static weft_context *ctx;
static double s[N], u[N + 1], v[N + 1], init[N];

static void *shifted(void *p, size_t bytes) { return (char *)p + bytes; }

static bool untouched(const void *p, size_t bytes) {
    const unsigned char *byte = p;
    size_t i = 0;
    while (i < bytes && byte[i] == POISON) i++;
    return i == bytes;
}

static void refused(void) {
#define REFUSED(dtype, direction, rows, n, s, u, init, v, status, words) \
    EXPECT_ERROR(ctx, weft_recurrence(ctx, direction, dtype, rows, n, s, u, init, v), status, words)
#define F64_REFUSED(rows, n, s, u, init, v, words) \
    REFUSED(WEFT_F64, WEFT_FORWARD, rows, n, s, u, init, v, WEFT_INVALID, words)
    memset(v, POISON, sizeof v);
    EXPECT_ERROR(NULL, weft_recurrence(NULL, WEFT_FORWARD, WEFT_F64, 1, N, s, u, NULL, v), WEFT_INVALID,
                 "ctx is NULL");
    REFUSED((weft_dtype)14, WEFT_FORWARD, 1, N, s, u, NULL, v, WEFT_INVALID, "invalid dtype 14");
    REFUSED(WEFT_DEFAULT, WEFT_FORWARD, 1, N, s, u, NULL, v, WEFT_INVALID, "invalid dtype 0");
    REFUSED(WEFT_I32, WEFT_FORWARD, 1, N, s, u, NULL, v, WEFT_UNSUPPORTED, "requires f32 or f64");
    REFUSED(WEFT_U64, WEFT_FORWARD, 1, N, s, u, NULL, v, WEFT_UNSUPPORTED, "elements, not u64");
    REFUSED(WEFT_F64, (weft_direction)2, 1, N, s, u, NULL, v, WEFT_INVALID, "invalid direction 2");
    REFUSED(WEFT_F64, (weft_direction)-1, 1, N, s, u, NULL, v, WEFT_INVALID, "invalid direction -1");
    F64_REFUSED(1, N, NULL, u, NULL, v, "s is NULL");
    F64_REFUSED(1, N, s, NULL, NULL, v, "u is NULL");
    F64_REFUSED(1, N, s, u, NULL, NULL, "v is NULL");
    F64_REFUSED(1, 5, shifted(s, 4), u, NULL, v, "s is at");
    F64_REFUSED(1, 5, s, shifted(u, 1), NULL, v, "u is at");
    F64_REFUSED(1, 5, s, u, NULL, shifted(v, 4), "v is at");
    F64_REFUSED(1, 5, s, u, shifted(init, 4), v, "init is at");
    F64_REFUSED(1, 5, s, u, NULL, s + 1, "overlaps s (40 bytes at");
    F64_REFUSED(1, 5, s, u + 1, NULL, u, "overlaps u (40 bytes at");
    F64_REFUSED(5, 1, s, u, v + 4, v, "overlaps init (40 bytes at");
    F64_REFUSED(2, 5, s, u, u, u, "v (80 bytes at");
    F64_REFUSED(SIZE_MAX, 2, s, u, NULL, v, "rows of 2 elements do not fit in memory");
    F64_REFUSED(2, SIZE_MAX / 2 + 1, s, u, NULL, v, "2 rows of");
    F64_REFUSED(1, SIZE_MAX / 8, s, u, NULL, v, "do not fit in memory");
    EXPECT(untouched(v, sizeof v), "a call that failed wrote to v");
#undef F64_REFUSED
#undef REFUSED
}

static void taken(void) {
#define TAKEN(direction, rows, n, s, u, init, v) \
    EXPECT_STATUS(ctx, weft_recurrence(ctx, direction, WEFT_F64, rows, n, s, u, init, v), WEFT_OK)
    memset(v, POISON, sizeof v);
    TAKEN(WEFT_FORWARD, 0, 0, NULL, NULL, NULL, NULL);
    TAKEN(WEFT_FORWARD, 0, 7, NULL, NULL, NULL, NULL);
    TAKEN(WEFT_REVERSE, 7, 0, NULL, NULL, init, NULL);
    TAKEN(WEFT_REVERSE, SIZE_MAX, 0, NULL, NULL, NULL, NULL);
    TAKEN(WEFT_FORWARD, 10, N / 10, s, u, init, v);
    EXPECT(untouched(v + N, sizeof *v), "written after the end of v");
    TAKEN(WEFT_FORWARD, 1, N, s, s, NULL, s); /* both inputs and the output are one array */
    TAKEN(WEFT_REVERSE, 1, N, s, u, u, v);    /* init is part of u */
    TAKEN(WEFT_REVERSE, 1, N, s, v, NULL, v);
    TAKEN(WEFT_FORWARD, 1, N / 2, u, u, NULL, u + N / 2); /* adjacent arrays */
    EXPECT(*weft_last_error(ctx) == '\0', "after success: %s", weft_last_error(ctx));
#undef TAKEN
}

int main(int argc, char **argv) {
    const char *device = argc > 1 ? argv[1] : "cpu";
    if (weft_open(&ctx, device) != WEFT_OK) return printf("%s: %s\n", device, weft_last_error(NULL)), 1;
    for (size_t i = 0; i < N; i++) s[i] = 0.5, u[i] = (double)i;
    refused();
    taken();
    weft_close(ctx);
    return expect_end();
}
