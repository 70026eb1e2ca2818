/* Runs every case on the specification and on every target, and counts agreements and differences. Jobs run on
 * separate threads. Each job walks all cases with contexts and memory of its own, and visits only the arrays whose
 * number it has drawn. */
#include "verify/match.h"
#include "core/byte_order.h"
#include "verify/memory.h"
#include "verify/sorted.h"
#include "verify/targets.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD = 20, TURNS = 40000, MOST_JOBS = 64 };

/* Data that the jobs share. The lock protects all of it, and the log. */
typedef struct crew {
    const match_options *options;
    pthread_mutex_t lock;
    uint64_t next; /* number of the first arrays that no job has drawn */
    size_t differed;
    double done;
    char *problem; /* 512 bytes: the first error message */
} crew;

typedef struct match {
    crew *crew;
    const match_options *options;
    match_report report;
    weft_context *ref;
    targets targets;
    memory_out truth, answer;
    uint64_t drawn; /* number of the current arrays, or of the next ones */
    bool used;      /* the drawn arrays have been visited */
    size_t visits;  /* number of cases visited on the current arrays */
    pthread_t thread;
} match;

static void take_lock(crew *c) { (void)pthread_mutex_lock(&c->lock); }
static void give_lock(crew *c) { (void)pthread_mutex_unlock(&c->lock); }

__attribute__((format(printf, 2, 3))) static bool fail(crew *c, const char *format, ...) {
    va_list list;
    take_lock(c);
    va_start(list, format);
    if (!c->problem[0]) vsnprintf(c->problem, 512, format, list);
    va_end(list);
    give_lock(c);
    return false;
}

/* ------------------------------------------------------------------------------- byte order */

void match_convert(const match_case *c, void *out) {
    const match_shape *const shape = c->operation->shape;
    match_part parts[MATCH_PARTS] = {{0, shape->out_bytes(c), match_out_values(c)}};
    if (!is_big_endian()) return;
    const size_t count = shape->parts ? shape->parts(c, out, parts) : 1;
    for (size_t i = 0; i < count; i++) bytes_reverse((char *)out + parts[i].at, parts[i].count, parts[i].size);
}

/* ------------------------------------------------------------------------------- the report */

/* Prints the bytes of a value, the most significant one first. */
static void print_bits(FILE *log, const unsigned char *value, size_t bytes) {
    fputs("0x", log);
    for (size_t i = bytes; i-- > 0;) fprintf(log, "%02x", value[i]);
}

/* Returns the offset of the first value that differs from that in `truth`. Prints its number. */
static size_t first_difference(FILE *log, const match_case *c, const memory_out *truth, const memory_out *answer) {
    const size_t size = c->operation->shape->out_bytes(c);
    size_t i = 0;
    if (!c->operation->shape->values) return 0;
    while (i + 1 < match_out_values(c) &&
           memcmp(memory_output(truth) + i * size, memory_output(answer) + i * size, size) == 0)
        i++;
    fprintf(log, "[%zu] ", i);
    return i * size;
}

static void print_case(FILE *log, const match_case *c) {
    static const char *const offsets[] = {"0", "1", "3", "end of page"};
    char text[100];
    fprintf(log, "%s of %s", c->operation->name, weft_dtype_name(c->dtype));
    if (c->accumulate != WEFT_DEFAULT) fprintf(log, " in %s", weft_dtype_name(c->accumulate));
    fprintf(log, ", parameter %d, n %zu, offset %s, input %s, seed %llu", c->parameter, c->n, offsets[c->offset],
            input_name(c->kind), (unsigned long long)c->seed);
    if (!c->operation->shape->tell) return;
    c->operation->shape->tell(c, text);
    fprintf(log, ", %s", text);
}

static void tell(const match *m, const match_case *c, const target *t, weft_status truth_status,
                 const memory_out *truth, weft_status status, const memory_out *answer) {
    const size_t size = c->operation->shape->out_bytes(c);
    FILE *log = m->options->log;
    if (!log || m->crew->differed > MOST_TOLD) return;
    if (m->crew->differed == MOST_TOLD) {
        fprintf(log, "further differences are counted but not printed\n");
        return;
    }
    print_case(log, c);
    fprintf(log, ":\n  %s", m->report.columns[t->column]);
    if (t->threads) fprintf(log, " with %d threads", t->threads);
    fprintf(log, ": %s ", weft_status_name(status));
    if (answer->bytes && match_out_bytes(c)) {
        const size_t at = first_difference(log, c, truth, answer);
        print_bits(log, memory_output(answer) + at, size);
        fprintf(log, ", ref: %s ", weft_status_name(truth_status));
        print_bits(log, memory_output(truth) + at, size);
    }
    if (status != WEFT_OK && status != truth_status) fprintf(log, "\n  %s", weft_last_error(t->ctx));
    if (answer->bytes && !memory_intact(answer, status == WEFT_OK ? match_out_bytes(c) : 0))
        fprintf(log, "\n  bytes outside the result were written");
    fputc('\n', log);
}

/* -------------------------------------------------------------------------------- the cases */

static bool on_number(void *self, uint64_t number) {
    match *m = self;
    if (m->used) {
        take_lock(m->crew);
        m->drawn = m->crew->next++;
        give_lock(m->crew);
    }
    m->used = number == m->drawn;
    return m->used;
}

/* Returns true if an event in any job has ended the run. */
static bool is_over(crew *c) {
    take_lock(c);
    const bool over = c->problem[0] || (c->options->first && c->differed);
    give_lock(c);
    return over;
}

static bool on_inputs(void *self, const match_case *c, const void *const *inputs) {
    match *m = self;
    m->visits = 0;
    for (size_t i = 0; i < m->targets.count; i++) {
        target *t = &m->targets.list[i];
        if (target_load(t, c, inputs) != WEFT_OK)
            return fail(m->crew, "%s: %s", m->report.columns[t->column], weft_last_error(t->ctx));
    }
    return true;
}

static void compare(match *m, const match_case *c, target *t, const void *const *inputs, weft_status truth_status,
                    const memory_out *truth) {
    const size_t bytes = truth_status == WEFT_OK ? match_out_bytes(c) : 0;
    const weft_status status = target_call(t, c, inputs, &m->answer);
    const bool agrees = status == truth_status && memory_intact(&m->answer, bytes) &&
                        memcmp(memory_output(&m->answer), memory_output(truth), bytes) == 0;
    match_cell *cell = &m->report.cells[c->operation - MATCH_OPERATIONS][t->column];
    if (agrees) {
        cell->agreed++;
        return;
    }
    cell->differed++;
    take_lock(m->crew);
    tell(m, c, t, truth_status, truth, status, &m->answer);
    m->crew->differed++;
    give_lock(m->crew);
}

/* Visits a case. Except at the full level, short arrays use only one of the thread counts, depending on the draw,
 * because one thread processes them. */
static bool on_case(void *self, const match_case *c, const void *const *inputs) {
    match *m = self;
    const uint64_t draw = input_random(m->drawn, m->visits++);
    if (m->options->every > 1 && draw / 3 % m->options->every != 0) return true;
    void *const truth = memory_poison(&m->truth, c);
    if (!truth) return fail(m->crew, "cannot allocate memory for %zu bytes of output", match_out_bytes(c));
    const match_shape *const shape = c->operation->shape;
    const weft_status status = (shape->define ? shape->define : shape->call)(c, m->ref, inputs, truth);
    if ((status != WEFT_OK && status != WEFT_EMPTY) ||
        !memory_intact(&m->truth, status == WEFT_OK ? match_out_bytes(c) : 0))
        return fail(m->crew, "ref failed %s of %s, n = %zu: %s", c->operation->name, weft_dtype_name(c->dtype), c->n,
                    status == WEFT_OK ? "it wrote outside the result" : weft_last_error(m->ref));
    const size_t turn = draw % 3;
    for (size_t i = 0; i < m->targets.count; i++) {
        target *t = &m->targets.list[i];
        const bool in_turn = !t->threads || m->options->threads || (size_t)t->turn == turn;
        if (m->options->level == MATCH_FULL || c->n > TURNS || in_turn) compare(m, c, t, inputs, status, &m->truth);
    }
    return !is_over(m->crew);
}

static void on_progress(void *self, double done, double all) {
    const match *m = self;
    if (!m->options->progress) return;
    take_lock(m->crew);
    if (done > m->crew->done) {
        m->crew->done = done;
        m->options->progress(m->options->self, done, all);
    }
    give_lock(m->crew);
}

/* --------------------------------------------------------------------------------- the jobs */

static bool open_job(match *m) {
    char problem[512] = "";
    m->report.cells = calloc(MATCH_OPERATION_COUNT, sizeof *m->report.cells);
    if (!m->report.cells) return fail(m->crew, "cannot allocate memory for the report");
    if (weft_open(&m->ref, "ref") != WEFT_OK) return fail(m->crew, "ref: %s", weft_last_error(NULL));
    return targets_open(&m->targets, m->options, &m->report, problem) || fail(m->crew, "%s", problem);
}

static void *work(void *self) {
    match *m = self;
    const match_visitor visitor = {m, on_number, on_inputs, on_case, on_progress};
    if (open_job(m) && !match_walk(m->options->level, m->options->only, &visitor))
        fail(m->crew, "cannot allocate memory for the test arrays");
    targets_close(&m->targets);
    memory_drop(&m->truth);
    memory_drop(&m->answer);
    sorted_release();
    weft_close(m->ref);
    return NULL;
}

/* Adds the counts of `job` to those of the report, and copies its columns to the report. */
static void add_counts(match_report *report, match_report *job) {
    for (size_t i = 0; i < MATCH_OPERATION_COUNT && job->cells; i++)
        for (size_t c = 0; c < job->column_count; c++) {
            report->agreed += job->cells[i][c].agreed;
            report->differed += job->cells[i][c].differed;
            report->cells[i][c].agreed += job->cells[i][c].agreed;
            report->cells[i][c].differed += job->cells[i][c].differed;
        }
    memcpy(report->columns, job->columns, sizeof report->columns);
    report->column_count = job->column_count;
    match_free(job);
}

/* Runs the jobs. If fewer threads can be started, the started jobs do all the work. */
static void run_jobs(crew *c, match *jobs, size_t count) {
    size_t started = 1;
    for (size_t i = 0; i < count; i++) jobs[i] = (match){.crew = c, .options = c->options, .used = true};
    while (started < count && pthread_create(&jobs[started].thread, NULL, work, &jobs[started]) == 0) started++;
    work(&jobs[0]);
    for (size_t i = 1; i < started; i++) (void)pthread_join(jobs[i].thread, NULL);
}

bool match_run(const match_options *options, match_report *report, char problem[512]) {
    crew c = {.options = options, .lock = PTHREAD_MUTEX_INITIALIZER, .problem = problem};
    const size_t count = options->jobs == 0 ? 1 : options->jobs < MOST_JOBS ? options->jobs : MOST_JOBS;
    match *jobs = malloc(count * sizeof *jobs);
    memset(report, 0, sizeof *report);
    report->cells = calloc(MATCH_OPERATION_COUNT, sizeof *report->cells);
    problem[0] = '\0';
    if (jobs && report->cells) {
        run_jobs(&c, jobs, count);
        for (size_t i = count; i-- > 0;) add_counts(report, &jobs[i].report);
    } else
        fail(&c, "cannot allocate memory for the report");
    free(jobs);
    return problem[0] == '\0';
}

void match_free(match_report *report) {
    free(report->cells);
    report->cells = NULL;
}
