/* Runs the agreement suite in a thread with a stack of 128 KiB, the default of musl, preceded by an unreadable page.
 * The argument is the device's name. */
#include "tests/expect.h"
#include "verify/match.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK_BYTES = 128 << 10, PAINT = 0xa5, N = 200003 };

static const char *device;
static char problem[512];
static match_report report;
static bool ran;
static double s[N], u[N], v[N];

static void *compare(void *unused) {
    const match_options options = {
        .level = MATCH_TINY, .device = device, .threads = 2, .jobs = 1, .every = 60, .log = stdout};
    ran = match_run(&options, &report, problem);
    return unused;
}

/* Runs the streaming operation with the largest frames, which are on the stack in addition to those of the operation
 * itself. */
static void *stream(void *unused) {
    weft_channel channels[3];
    weft_context *ctx;
    const weft_source from_s = weft_source_memory(&channels[0], WEFT_F64, N, s),
                      from_u = weft_source_memory(&channels[1], WEFT_F64, N, u);
    const weft_sink sink = weft_sink_memory(&channels[2], sizeof v, v);
    if (!EXPECT(weft_open(&ctx, device) == WEFT_OK, "%s", weft_last_error(NULL))) return unused;
    EXPECT_STATUS(ctx, weft_recurrence_source(ctx, &from_s, &from_u, NULL, &sink), WEFT_OK);
    weft_close(ctx);
    return unused;
}

/* Runs f in a thread on `stack`. Returns the number of its bytes that were never written. */
static size_t run_on(unsigned char *stack, void *(*f)(void *)) {
    pthread_attr_t attributes;
    pthread_t thread;
    size_t unused = 0;
    memset(stack, PAINT, STACK_BYTES);
    EXPECT(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK_BYTES) == 0,
           "a stack of %d bytes is refused", STACK_BYTES);
    if (EXPECT(pthread_create(&thread, &attributes, f, NULL) == 0, "no thread")) pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    while (unused < STACK_BYTES && stack[unused] == PAINT) unused++;
    return unused;
}

int main(int argc, char **argv) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *map =
        mmap(NULL, page + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (!EXPECT(map != MAP_FAILED && mprotect(map, page, PROT_NONE) == 0, "cannot allocate memory for a stack"))
        return expect_end();
    device = argc > 1 ? argv[1] : "cpu";
    const size_t unused = run_on(map + page, compare), left = run_on(map + page, stream);
    EXPECT(ran, "%s", problem);
    EXPECT(report.agreed > 0 && report.differed == 0, "%zu agree, %zu differ", report.agreed, report.differed);
    printf("%zu answers agree; of %d bytes of the stack %zu were used, to stream %zu\n", report.agreed, STACK_BYTES,
           STACK_BYTES - unused, STACK_BYTES - left);
    match_free(&report);
    return expect_end();
}
