/* build/bench_cpu_threads [--threads N] [--load N] [--last LOG2]: what the threads of a call cost and gain. Sums of
 * 2^10 to 2^26 f64 with one thread and with N (default: as many as cores), compared with an OpenMP loop whose threads
 * wait actively (libgomp's default) and passively.
 *
 *   idle      nothing else runs; calls follow one another
 *   pause     a millisecond passes before each call, so that the threads sleep
 *   load      --load processes (8) that do not sleep run at the same time
 *
 * Idle and pause are medians. Load is the mean time of a call, because a call waits for a core from time to time.
 * Each series runs in a process of its own, in which one thread and N threads alternate. */
#include "cpu_openmp_peer.h"
#include "cpu_timing.h"
#include "weft.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_LOG2 = 10, LAST_LOG2 = 26, SIZES = LAST_LOG2 - FIRST_LOG2 + 1, BUSY_MAX = 256 };
enum { ROUNDS = 7, WINDOW = 3000, PAUSES = 25, PAUSE = 1000, LOAD_ROUNDS = 3, LOAD_WINDOW = 80000 }; /* times: us */

/* Nanoseconds of a call with one thread and with several. */
typedef struct row {
    double idle[2], pause[2], load[2];
} row;

typedef struct series {
    const char *name, *policy; /* policy: OMP_WAIT_POLICY, or NULL */
    row rows[SIZES];
} series;

static int threads, last_log2 = LAST_LOG2;
static weft_context *ctx[2];
static bool by_weft;
static double sink; /* so that the compiler cannot remove the loops */

/* ----------------------------------------------------------------------------- measurements */

static void sum(int several, const double *x, size_t n) {
    double out = 0;
    if (by_weft) {
        if (weft_reduce(ctx[several], WEFT_SUM, WEFT_F64, WEFT_DEFAULT, n, x, &out) != WEFT_OK)
            stop("weft", weft_last_error(ctx[several]));
    } else
        out = openmp_sum_f64(x, NULL, n, several ? threads : 1);
    sink += out;
}

/* Returns the mean time of the calls of about `window` microseconds. */
static double mean_of_window(int several, const double *x, size_t n, double window) {
    const double start = now(), end = start + 1e-6 * window;
    double time = start;
    size_t calls = 0;
    for (; calls == 0 || time < end; calls++, time = now()) sum(several, x, n);
    return (time - start) / (double)calls;
}

static double after_pause(int several, const double *x, size_t n) {
    usleep(PAUSE);
    const double start = now();
    sum(several, x, n);
    return now() - start;
}

static void measure_idle(const double *x, size_t n, row *r) {
    double steady[2][ROUNDS], rested[2][PAUSES];
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < 2; k++) {
            sum(k, x, n);
            steady[k][i] = mean_of_window(k, x, n, WINDOW);
        }
    for (int i = 0; i < PAUSES; i++)
        for (int k = 0; k < 2; k++) rested[k][i] = after_pause(k, x, n);
    for (int k = 0; k < 2; k++) {
        r->idle[k] = median_of(steady[k], ROUNDS);
        r->pause[k] = median_of(rested[k], PAUSES);
    }
}

static void measure_load(const double *x, size_t n, row *r) {
    for (int i = 0; i < LOAD_ROUNDS; i++)
        for (int k = 0; k < 2; k++) r->load[k] += mean_of_window(k, x, n, LOAD_WINDOW) / LOAD_ROUNDS;
}

/* Measures a series in this process and writes its rows to standard output. */
static int measure(bool weft, bool loaded) {
    const size_t most = (size_t)1 << last_log2;
    static row rows[SIZES];
    double *x = malloc(most * sizeof *x);
    if (!x) stop("array", "cannot allocate memory");
    by_weft = weft;
    openmp_fill_f64(x, most, by_weft ? 1 : threads); /* weft runs without the threads of OpenMP */
    for (int k = 0; k < 2; k++)
        if (weft_open(&ctx[k], "cpu") != WEFT_OK || weft_set_threads(ctx[k], k ? threads : 1) != WEFT_OK)
            stop("weft", weft_last_error(ctx[k]));
    for (int i = 0; i <= last_log2 - FIRST_LOG2; i++)
        (loaded ? measure_load : measure_idle)(x, (size_t)1 << (FIRST_LOG2 + i), &rows[i]);
    return write(STDOUT_FILENO, rows, sizeof rows) == (ssize_t)sizeof rows ? 0 : 1;
}

/* -------------------------------------------------------------------------------- processes */

/* Measures a series in a new process, whose OpenMP reads the policy when it starts. */
static void run_series(const char *self, series *s, bool loaded) {
    row rows[SIZES];
    int ends[2], status;
    char threads_text[16], last_text[16];
    snprintf(threads_text, sizeof threads_text, "%d", threads);
    snprintf(last_text, sizeof last_text, "%d", last_log2);
    fflush(stdout);
    const pid_t pid = pipe(ends) ? -1 : fork();
    if (pid < 0) stop("series", "cannot start a process");
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        if (s->policy) setenv("OMP_WAIT_POLICY", s->policy, 1);
        execl(self, self, "--threads", threads_text, "--last", last_text, "--series", s->name,
              loaded ? "loaded" : "idle", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t more; got < sizeof rows && (more = read(ends[0], (char *)rows + got, sizeof rows - got)) > 0;)
        got += (size_t)more;
    close(ends[0]);
    if (waitpid(pid, &status, 0) != pid || status || got != sizeof rows) stop("series", "the process failed");
    for (int i = 0; i < SIZES; i++)
        if (loaded)
            memcpy(s->rows[i].load, rows[i].load, sizeof rows[i].load);
        else
            memcpy(&s->rows[i], &rows[i], sizeof rows[i]);
}

/* Starts processes that do not sleep. They end with this process. */
static int start_load(int count, pid_t *busy) {
    for (int i = 0; i < count; i++) {
        busy[i] = fork();
        if (busy[i] < 0) stop("load", "cannot start a process");
        if (busy[i] > 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned spins = 0;;) spins = spins + 1;
    }
    return count;
}

static void end_load(int count, const pid_t *busy) {
    for (int i = 0; i < count; i++) kill(busy[i], SIGKILL);
    for (int i = 0; i < count; i++) waitpid(busy[i], NULL, 0);
}

/* ------------------------------------------------------------------------------------ table */

static void print_pair(const double *times) {
    printf(" %11.2f %11.2f %6.2f", 1e6 * times[0], 1e6 * times[1], times[1] / times[0]);
}

static void print(const series *s, int load) {
    printf("\n%s: microseconds with 1 and with %d threads, and their ratio\n", s->name, threads);
    printf("  n   %31s %31s %25s %d\n", "idle", "pause", "load", load);
    for (int i = 0; i <= last_log2 - FIRST_LOG2; i++) {
        printf("2^%d ", FIRST_LOG2 + i);
        print_pair(s->rows[i].idle);
        print_pair(s->rows[i].pause);
        print_pair(s->rows[i].load);
        printf("\n");
    }
}

static int compare_all(const char *self, int load) {
    static series all[] = {{.name = "weft"}, {.name = "OpenMP"}, {.name = "OpenMP, passive", .policy = "passive"}};
    enum { ALL = sizeof all / sizeof *all };
    pid_t busy[BUSY_MAX];
    for (int i = 0; i < ALL; i++) run_series(self, &all[i], false);
    const int started = start_load(load, busy);
    for (int i = 0; i < ALL; i++) run_series(self, &all[i], true);
    end_load(started, busy);
    for (int i = 0; i < ALL; i++) print(&all[i], load);
    return 0;
}

static int number(const char *text, int least, int most) {
    char *end;
    const long value = text ? strtol(text, &end, 10) : -1;
    if (!text || *end || value < least || value > most) stop("option", "expected a number");
    return (int)value;
}

int main(int argc, char **argv) {
    weft_device_info info = {.size = sizeof info};
    int load = 8;
    if (weft_describe_device(0, &info) != WEFT_OK) stop("weft", weft_last_error(NULL));
    threads = info.cores;
    for (int i = 1; i < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0)
            threads = number(argv[i + 1], 2, 4096);
        else if (strcmp(argv[i], "--load") == 0)
            load = number(argv[i + 1], 0, BUSY_MAX);
        else if (strcmp(argv[i], "--last") == 0)
            last_log2 = number(argv[i + 1], FIRST_LOG2, LAST_LOG2);
        else if (strcmp(argv[i], "--series") == 0 && i + 2 < argc)
            return measure(strcmp(argv[i + 1], "weft") == 0, strcmp(argv[i + 2], "loaded") == 0);
        else
            stop("usage", "bench_cpu_threads [--threads N] [--load N] [--last LOG2]");
    }
    return compare_all("/proc/self/exe", load);
}
