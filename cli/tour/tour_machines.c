/* Functions shared by the sections of the tour: run an operation on every machine, compare the bits, print marks. */
#include "cli/progress.h"
#include "cli/tour/tour.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_RUNS = 3 };
static const double BUDGET_SECONDS = 0.1;

bool tour_machine_failed(const tour_machine *m) {
    progress_end();
    cli_error("tour", "%s: %s", m->label, weft_last_error(m->ctx));
    return false;
}

void tour_release(tour *t) {
    for (int i = 0; i < t->count; i++) {
        tour_machine *m = &t->machines[i];
        weft_free(m->ctx, WEFT_DEVICE, m->x);
        weft_free(m->ctx, WEFT_DEVICE, m->y);
        weft_free(m->ctx, WEFT_DEVICE, m->z);
        m->x = m->y = m->z = NULL;
    }
}

bool tour_upload(tour *t, weft_dtype dtype, size_t n, const void *x, const void *y) {
    const size_t bytes = n * weft_dtype_size(dtype);
    for (int i = 0; i < t->count; i++) {
        tour_machine *m = &t->machines[i];
        if (!m->gpu) continue;
        if (measure_upload(m->ctx, bytes, x, &m->x) != WEFT_OK) return tour_machine_failed(m);
        if (y && measure_upload(m->ctx, bytes, y, &m->y) != WEFT_OK) return tour_machine_failed(m);
    }
    return true;
}

int tour_columns(const tour *t, int columns[2]) {
    int count = 0;
    for (int gpu = 0; gpu < 2; gpu++)
        for (int i = 0; i < t->count; i++)
            if (t->machines[i].shown && t->machines[i].gpu == (gpu == 1)) {
                columns[count++] = i;
                break;
            }
    return count;
}

/* -------------------------------------------------------------------- running an operation */

/* State of the function passed to measure(). */
typedef struct call {
    const operation *operation;
    const tour_machine *machine;
    operands in;
    value out;
    weft_dtype type;
} call;

static weft_status call_operation(void *state) {
    call *c = state;
    return operation_run(c->operation, c->machine->ctx, &c->in, &c->out, &c->type);
}

static void compare(tour *t, tour_result *result, const value *other) {
    t->compared++;
    if (result->value.u64 == other->u64) return; /* operation_run clears the bytes that a type does not use */
    t->different++;
    result->same = false;
}

static bool run_on(tour *t, int i, call *c, bool timed, tour_result *result) {
    const tour_machine *m = &t->machines[i];
    if (m->x) c->in.x = m->x;
    if (m->y) c->in.y = m->y;
    const weft_status status = timed && m->shown
                                   ? measure(call_operation, c, LEAST_RUNS, BUDGET_SECONDS, &result->seconds[i])
                                   : call_operation(c);
    return status == WEFT_OK || tour_machine_failed(m);
}

bool tour_run(tour *t, const operation *operation, const operands *in, bool timed, tour_result *result) {
    *result = (tour_result){.same = true};
    progress_start(t->options, operation->name);
    for (int i = 0; i < t->count; i++) {
        call c = {.operation = operation, .machine = &t->machines[i], .in = *in};
        progress_at(i, t->count);
        if (!run_on(t, i, &c, timed, result)) return false;
        if (i > 0) {
            compare(t, result, &c.out);
        } else {
            result->value = c.out;
            result->type = c.type;
        }
    }
    progress_end();
    return true;
}

/* ------------------------------------------------------------------------------ appearance */

void tour_heading(const tour *t, const char *text) { printf(t->colours ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text); }

const char *tour_mark(const tour *t, bool same) {
    if (!t->colours) return same ? "yes" : "NO";
    return same ? "\033[32myes\033[0m" : "\033[1;31mNO\033[0m";
}

void tour_names(const tour *t, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < t->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0              ? ""
                                 : i + 1 == t->count ? " and "
                                                     : ", ",
                                 t->machines[i].label);
}

/* -------------------------------------------------------------------------- known answers */

bool tour_expect(tour *t, bool right) {
    t->compared++;
    t->different += !right;
    return right;
}

void tour_known(const tour *t, const char *what, const char *value, bool right, bool same) {
    printf("    %-48s %-30s %5s  %s\n", what, value, tour_mark(t, right), tour_mark(t, same));
}
