/* What came of a topic, as a table or as JSON. */
#include "cli/ladder_climb.h"
#include "cli/value.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const VERDICTS[] = {
    [LADDER_RIGHT] = "right", [LADDER_WRONG] = "WRONG",     [LADDER_CAUGHT] = "faulty",
    [LADDER_LUCKY] = "lucky", [LADDER_NOT_RUN] = "not run",
};

static bool has_run(const ladder_row *row) { return row->verdict != LADDER_NOT_RUN; }

double ladder_rate(const ladder_result *r, size_t i) {
    const ladder_row *row = &r->rungs[i].row;
    return row->timed && row->seconds > 0 ? row->bytes / row->seconds : 0;
}

/* The roofline: what the bytes and the operations take at the least, whichever is longer. */
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

/* The time of the last rung before that was timed and right, over this one's; 0: there is none. */
static double step_up(const ladder_result *r, size_t i) {
    for (size_t before = i; before-- > 0;) {
        const ladder_row *row = &r->rungs[before].row;
        if (row->timed && row->verdict == LADDER_RIGHT) return row->seconds / r->rungs[i].row.seconds;
    }
    return 0;
}

/* A number, or a dash for 0, in its column. */
static void cell(int width, int digits, double value, const char *unit) {
    if (value > 0)
        printf(" %*.*f%s", width, digits, value, unit);
    else
        printf(" %*s%*s", width, "-", *unit ? 1 : 0, "");
}

static void print_gpu_row(const ladder_result *r, size_t i) {
    const ladder_row *row = &r->rungs[i].row;
    const bool floats = row->flops > 4 * row->bytes;
    const double rate = floats ? (row->seconds > 0 ? row->flops / row->seconds : 0) : ladder_rate(r, i);
    cell(10, 4, 1e3 * row->seconds, "");
    cell(8, 1, 1e-9 * rate, "");
    printf(" %s", floats ? "GFLOP/s" : "GB/s   ");
    cell(5, 0, 100 * ladder_share(r, i), "%");
    cell(7, 2, row->timed ? step_up(r, i) : 0, "x");
}

static void print_executor_row(const ladder_result *r, size_t i) {
    const ladder_row *row = &r->rungs[i].row;
    cell(8, 2, row->bytes > 0 ? (double)(row->read + row->written) / row->bytes : 0, "x");
    printf(" %9" PRIu64 " %8" PRIu64 " %8" PRIu64, row->shared, row->atomics, row->barriers);
}

void ladder_print(const ladder_result *r) {
    printf("%s: %s\n%s\nn = %zu, %s\n\n", r->topic->name, r->topic->title, r->machine->name, r->n, r->dtype);
    printf("  %-18s", "rung");
    if (r->machine->gpu)
        printf(" %10s %16s %6s %8s", "ms", "rate", "share", "step");
    else
        printf(" %9s %9s %8s %8s", "traffic", "shared", "atomics", "barriers");
    printf("  %-10s  idea\n", "verdict");
    for (size_t i = 0; i < r->count; i++) {
        printf("  %-18s", r->rungs[i].text->name);
        (r->machine->gpu ? print_gpu_row : print_executor_row)(r, i);
        printf("  %-10s  %s\n", VERDICTS[r->rungs[i].row.verdict], r->rungs[i].text->idea);
        if (*r->rungs[i].said) printf("      %s\n", r->rungs[i].said);
    }
    if (!r->machine->gpu)
        puts("\n  traffic: bytes moved to and from the device's memory, over those that the result needs; shared:\n"
             "  accesses to shared memory; atomics and barriers: their number. Times are a GPU's to tell.");
    putchar('\n');
}

void ladder_print_json(const ladder_result *r) {
    printf("{\"topic\": \"%s\", \"machine\": ", r->topic->name);
    json_string(stdout, r->machine->name);
    printf(", \"gpu\": %s, \"n\": %zu, \"dtype\": \"%s\", \"rungs\": [", r->machine->gpu ? "true" : "false", r->n,
           r->dtype);
    for (size_t i = 0; i < r->count; i++) {
        const ladder_row *row = &r->rungs[i].row;
        printf("%s{\"rung\": \"%s\", \"idea\": ", i ? ", " : "", r->rungs[i].text->name);
        json_string(stdout, r->rungs[i].text->idea);
        printf(", \"verdict\": \"%s\", \"said\": ", VERDICTS[row->verdict]);
        json_string(stdout, r->rungs[i].said);
        printf(", \"seconds\": %.9f, \"bytes\": %.0f, \"flops\": %.0f, \"share\": %.4f, \"read\": %" PRIu64
               ", \"written\": %" PRIu64 ", \"shared\": %" PRIu64 ", \"atomics\": %" PRIu64 ", \"barriers\": %" PRIu64
               "}",
               row->seconds, row->bytes, row->flops, ladder_share(r, i), row->read, row->written, row->shared,
               row->atomics, row->barriers);
    }
    printf("]}");
}
