/* Prints the results of a topic as a table or as JSON. */
#include "cli/io/json.h"
#include "cli/io/value.h"
#include "cli/ladder/ladder_climb.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const VERDICTS[] = {
    [LADDER_RIGHT] = "right", [LADDER_WRONG] = "WRONG",     [LADDER_CAUGHT] = "faulty",
    [LADDER_LUCKY] = "lucky", [LADDER_NOT_RUN] = "not run",
};

static bool has_run(const ladder_row *row) { return row->verdict != LADDER_NOT_RUN; }

/* Returns true if the rate is given in operations, because there are more than 4 per byte. */
static bool is_computing(const ladder_row *row) { return row->flops > 4 * row->bytes; }
static const char *unit_of(const ladder_row *row) { return is_computing(row) ? "GFLOP/s" : "GB/s"; }

/* Returns the rate in 10^9 needed operations or bytes per second; 0 if it was not timed. */
static double rate(const ladder_row *row) {
    const double needed = is_computing(row) ? row->flops : row->bytes;
    return row->timed && row->seconds > 0 ? 1e-9 * needed / row->seconds : 0;
}

/* Returns the roofline's lower bound: the larger of the times for the bytes and for the operations. */
static double least_seconds(const ladder_result *r, const ladder_row *row) {
    const ladder_machine_info *m = r->machine;
    const double moving = m->bytes_a_second > 0 ? row->bytes / m->bytes_a_second : 0;
    const double computing = m->flops_a_second > 0 ? row->flops / m->flops_a_second : 0;
    return moving > computing ? moving : computing;
}

double ladder_share(const ladder_result *r, size_t i) {
    const ladder_row *row = &r->rungs[i].row;
    if (!has_run(row)) return 0;
    if (r->machine->gpu) return row->timed && row->seconds > 0 ? least_seconds(r, row) / row->seconds : 0;
    const double moved = (double)(row->read + row->written);
    return moved > 0 ? row->bytes / moved : 0;
}

static double seconds_for_one(const ladder_row *row) { return row->seconds / (double)row->n; }

/* Returns the speedup per element over the last earlier rung that was timed and is right; 0 if there is none. */
static double step_up(const ladder_result *r, size_t i) {
    const ladder_row *row = &r->rungs[i].row;
    if (!row->timed) return 0;
    for (size_t at = i; at-- > 0;) {
        const ladder_row *before = &r->rungs[at].row;
        if (before->timed && before->verdict == LADDER_RIGHT) return seconds_for_one(before) / seconds_for_one(row);
    }
    return 0;
}

/* Prints a number in its column, or a dash for 0. */
static void cell(int width, int digits, double value, const char *unit) {
    if (value > 0)
        printf(" %*.*f%s", width, digits, value, unit);
    else
        printf(" %*s%*s", width, "-", *unit ? 1 : 0, "");
}

static void print_gpu_row(const ladder_result *r, size_t i) {
    const ladder_row *row = &r->rungs[i].row;
    cell(10, 4, 1e3 * row->seconds, "");
    cell(8, 1, rate(row), "");
    printf(" %-7s", row->timed ? unit_of(row) : "");
    cell(5, 0, 100 * ladder_share(r, i), "%");
    cell(7, 2, step_up(r, i), "x");
}

/* Prints "moved/least" for each request, or a dash. */
static void requests_cell(const ladder_requests *r) {
    char text[32] = "-";
    if (r->requests)
        snprintf(text, sizeof text, "%.1f/%.1f", (double)r->moved / (double)r->requests,
                 (double)r->least / (double)r->requests);
    printf(" %9s", text);
}

static void print_executor_row(const ladder_result *r, size_t i) {
    const ladder_row *row = &r->rungs[i].row;
    cell(8, 2, row->bytes > 0 ? (double)(row->read + row->written) / row->bytes : 0, "x");
    printf(" %9" PRIu64 " %8" PRIu64 " %8" PRIu64, row->shared, row->atomics, row->barriers);
    requests_cell(&row->loads);
    requests_cell(&row->stores);
    requests_cell(&row->in_shared);
}

void ladder_print(const ladder_result *r) {
    printf("%s: %s\n%s\nn = %zu, %s\n\n", r->topic->name, r->topic->title, r->machine->name, r->n, r->dtype);
    printf("  %-18s", "rung");
    if (r->machine->gpu)
        printf(" %10s %16s %6s %8s", "ms", "rate", "share", "step");
    else
        printf(" %9s %9s %8s %8s %9s %9s %9s", "traffic", "shared", "atomics", "barriers", "loads", "stores",
               "banks");
    printf("  %-10s  idea\n", "verdict");
    for (size_t i = 0; i < r->count; i++) {
        printf("  %-18s", r->rungs[i].text->name);
        (r->machine->gpu ? print_gpu_row : print_executor_row)(r, i);
        printf("  %-10s  %s\n", VERDICTS[r->rungs[i].row.verdict], r->rungs[i].text->idea);
        if (r->rungs[i].row.n != r->n) printf("      with n = %zu, the largest that it takes\n", r->rungs[i].row.n);
        if (*r->rungs[i].said) printf("      %s\n", r->rungs[i].said);
    }
    if (!r->machine->gpu)
        puts(
            "\n  traffic: bytes moved to and from the device's memory, over those that the result needs; shared:\n"
            "  accesses to shared memory; atomics and barriers: their number; loads and stores: sectors of 32 bytes\n"
            "  of a request (an access instruction of a warp) / as few as its bytes need; banks: wavefronts of a\n"
            "  request of shared memory / without conflicts of banks. Only a run on a GPU gives times.");
    putchar('\n');
}

static void print_json_requests(const char *name, const ladder_requests *r) {
    json_begin_object(name);
    json_count("requests", r->requests);
    json_count("moved", r->moved);
    json_count("least", r->least);
    json_end();
}

static void print_json_rung(const ladder_result *r, size_t i) {
    const ladder_row *row = &r->rungs[i].row;
    json_begin_object(NULL);
    json_text("rung", r->rungs[i].text->name);
    json_count("n", row->n);
    json_text("idea", r->rungs[i].text->idea);
    json_text("verdict", VERDICTS[row->verdict]);
    json_text("said", r->rungs[i].said);
    json_fixed("seconds", 9, row->seconds);
    json_fixed("bytes", 0, row->bytes);
    json_fixed("flops", 0, row->flops);
    json_fixed("rate", 3, rate(row));
    json_text("unit", unit_of(row));
    json_fixed("share", 6, ladder_share(r, i));
    json_fixed("step", 3, step_up(r, i));
    json_count("read", row->read);
    json_count("written", row->written);
    json_count("shared", row->shared);
    json_count("atomics", row->atomics);
    json_count("barriers", row->barriers);
    print_json_requests("loads", &row->loads);
    print_json_requests("stores", &row->stores);
    print_json_requests("banks", &row->in_shared);
    json_end();
}

void ladder_print_json(const ladder_result *r) {
    json_begin_object(NULL);
    json_text("topic", r->topic->name);
    json_text("machine", r->machine->name);
    json_bool("gpu", r->machine->gpu);
    json_fixed("copy_gigabytes_a_second", 1, 1e-9 * r->machine->bytes_a_second);
    json_fixed("gigaflops_of_f32", 1, 1e-9 * r->machine->flops_a_second);
    json_count("n", r->n);
    json_text("dtype", r->dtype);
    json_begin_array("rungs");
    for (size_t i = 0; i < r->count; i++) print_json_rung(r, i);
    json_end();
    json_end();
}
