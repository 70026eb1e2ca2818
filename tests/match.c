/* Runs every case on the specification and on every target, and keeps count. */
#include "tests/match.h"
#include "tests/memory.h"
#include "tests/targets.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TOLD = 20, TURNS = 40000 };

typedef struct match {
    const match_options *options;
    match_report *report;
    weft_context *ref;
    targets targets;
    memory_out truth, answer;
    size_t visits;
    char *problem;
} match;

/* ------------------------------------------------------------------------------- the report */

/* Most significant byte first. */
static void print_bits(FILE *log, const unsigned char *value, size_t bytes) {
    fputs("0x", log);
    for (size_t i = bytes; i-- > 0;) fprintf(log, "%02x", value[i]);
}

/* The first value of an array that is another in `truth`; its number is printed. */
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
    static const char *const places[] = {"0", "1", "3", "end of page"};
    char text[100];
    fprintf(log, "%s of %s", c->operation->name, weft_dtype_name(c->dtype));
    if (c->accumulate != WEFT_DEFAULT) fprintf(log, " in %s", weft_dtype_name(c->accumulate));
    fprintf(log, ", parameter %d, n %zu, place %s, input %s, seed %llu", c->parameter, c->n, places[c->place],
            input_name(c->kind), (unsigned long long)c->seed);
    if (!c->operation->shape->tell) return;
    c->operation->shape->tell(c, text);
    fprintf(log, ", %s", text);
}

static void tell(const match *m, const match_case *c, const target *t, weft_status truth_status,
                 const memory_out *truth, weft_status status, const memory_out *answer) {
    const size_t size = c->operation->shape->out_bytes(c);
    FILE *log = m->options->log;
    if (!log || m->report->differed > MOST_TOLD) return;
    if (m->report->differed == MOST_TOLD) {
        fprintf(log, "more disagree; they are counted and not printed\n");
        return;
    }
    print_case(log, c);
    fprintf(log, ":\n  %s", m->report->columns[t->column]);
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
        fprintf(log, "\n  bytes beside the result were written");
    fputc('\n', log);
}

/* -------------------------------------------------------------------------------- the cases */

static bool on_inputs(void *self, const match_case *c, const void *const *inputs) {
    match *m = self;
    for (size_t i = 0; i < m->targets.count; i++) {
        target *t = &m->targets.list[i];
        if (target_load(t, c, inputs) == WEFT_OK) continue;
        snprintf(m->problem, 512, "%s: %s", m->report->columns[t->column], weft_last_error(t->ctx));
        return false;
    }
    return true;
}

static void compare(match *m, const match_case *c, target *t, const void *const *inputs, weft_status truth_status,
                    const memory_out *truth) {
    const size_t bytes = truth_status == WEFT_OK ? match_out_bytes(c) : 0;
    const weft_status status = target_call(t, c, inputs, &m->answer);
    const bool agrees = status == truth_status && memory_intact(&m->answer, bytes) &&
                        memcmp(memory_output(&m->answer), memory_output(truth), bytes) == 0;
    match_cell *cell = &m->report->cells[c->operation - MATCH_OPERATIONS][t->column];
    if (agrees) {
        cell->agreed++;
        m->report->agreed++;
        return;
    }
    tell(m, c, t, truth_status, truth, status, &m->answer);
    cell->differed++;
    m->report->differed++;
}

/* Short arrays, which one thread does, take the thread counts in turn, but for the full level. */
static bool on_case(void *self, const match_case *c, const void *const *inputs) {
    match *m = self;
    const uint64_t draw = input_random(0, m->visits++);
    if (m->options->every > 1 && draw / 3 % m->options->every != 0) return true;
    void *const truth = memory_poison(&m->truth, c);
    if (!truth) {
        snprintf(m->problem, 512, "no memory for %zu bytes of output", match_out_bytes(c));
        return false;
    }
    const weft_status status = c->operation->shape->call(c, m->ref, inputs, truth);
    if ((status != WEFT_OK && status != WEFT_EMPTY) ||
        !memory_intact(&m->truth, status == WEFT_OK ? match_out_bytes(c) : 0)) {
        snprintf(m->problem, 512, "ref failed %s of %s, n = %zu: %s", c->operation->name, weft_dtype_name(c->dtype),
                 c->n, status == WEFT_OK ? "it wrote beside the result" : weft_last_error(m->ref));
        return false;
    }
    const size_t turn = draw % 3;
    for (size_t i = 0; i < m->targets.count; i++) {
        target *t = &m->targets.list[i];
        const bool in_turn = !t->threads || m->options->threads || (size_t)t->turn == turn;
        if (m->options->level == MATCH_FULL || c->n > TURNS || in_turn) compare(m, c, t, inputs, status, &m->truth);
    }
    return !m->options->first || m->report->differed == 0;
}

static void on_progress(void *self, double done, double all) {
    const match *m = self;
    if (m->options->progress) m->options->progress(m->options->self, done, all);
}

bool match_run(const match_options *options, match_report *report, char problem[512]) {
    match m = {.options = options, .report = report, .problem = problem};
    const match_visitor visitor = {&m, on_inputs, on_case, on_progress};
    memset(report, 0, sizeof *report);
    problem[0] = '\0';
    report->cells = calloc(MATCH_OPERATION_COUNT, sizeof *report->cells);
    if (!report->cells) {
        snprintf(problem, 512, "no memory for the report");
        return false;
    }
    if (weft_open(&m.ref, "ref") != WEFT_OK)
        snprintf(problem, 512, "ref: %s", weft_last_error(NULL));
    else if (targets_open(&m.targets, options, report, problem) &&
             !match_walk(options->level, options->only, &visitor))
        snprintf(problem, 512, "no memory for the test arrays");
    targets_close(&m.targets);
    memory_drop(&m.truth);
    memory_drop(&m.answer);
    weft_close(m.ref);
    return problem[0] == '\0';
}

void match_free(match_report *report) {
    free(report->cells);
    report->cells = NULL;
}
