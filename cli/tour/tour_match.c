/* Section on searching words in a text: random letters and four words, compared with a plain loop. */
#include "cli/tour/tour.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4, LENGTH = 4, MOST = 1 << 24, LEAST_RUNS = 3 };
static const double BUDGET_SECONDS = 0.1;
static const char LETTERS[] = "adeftrwx";
static const char BYTES[] = "dataweftwarptext"; /* p is in none of the texts */

/* State of the function passed to measure(). */
typedef struct call {
    weft_context *ctx;
    size_t n;
    const void *text;
    uint64_t counts[WORDS];
} call;

static weft_status call_match(void *state) {
    static const uint64_t offsets[] = {0, 4, 8, 12, 16};
    const weft_patterns words = {WORDS, offsets, BYTES};
    call *c = state;
    return weft_match_count(c->ctx, c->n, c->text, 0, c->n, &words, WEFT_MATCH_BYTES, c->counts);
}

static void make(size_t n, char *text) {
    uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        text[i] = LETTERS[state >> 29];
    }
}

/* Counts by a plain loop. Returns its time in seconds. */
static double count_plainly(size_t n, const char *text, uint64_t counts[WORDS]) {
    const double start = cli_seconds();
    for (size_t p = 0; p + LENGTH <= n; p++)
        for (int w = 0; w < WORDS; w++) counts[w] += memcmp(text + p, BYTES + LENGTH * w, LENGTH) == 0;
    return cli_seconds() - start;
}

/* Counts on every machine. Prints only the time of the first one. */
static bool show(tour *t, size_t n, const char *text) {
    uint64_t plain[WORDS] = {0};
    call first = {.n = n};
    double seconds[TOUR_MACHINES] = {0};
    bool same = true;
    char what[100], value[120];
    const double plain_seconds = count_plainly(n, text, plain);
    for (int i = 0; i < t->count; i++) {
        const tour_machine *const m = &t->machines[i];
        call c = {.ctx = m->ctx, .n = n, .text = m->x ? m->x : text};
        const weft_status status =
            m->shown ? measure(call_match, &c, LEAST_RUNS, BUDGET_SECONDS, &seconds[i]) : call_match(&c);
        if (status != WEFT_OK) return tour_machine_failed(m);
        if (i == 0)
            first = c;
        else
            same = tour_expect(t, memcmp(first.counts, c.counts, sizeof c.counts) == 0) && same;
    }
    snprintf(what, sizeof what, "%zu letters, %s: x %.0f", n, t->machines[0].label, plain_seconds / seconds[0]);
    snprintf(value, sizeof value, "%llu %llu %llu %llu, %.1f GB/s", (unsigned long long)first.counts[0],
             (unsigned long long)first.counts[1], (unsigned long long)first.counts[2],
             (unsigned long long)first.counts[3], 1e-9 * (double)n / seconds[0]);
    tour_known(t, what, value, tour_expect(t, memcmp(first.counts, plain, sizeof plain) == 0), same);
    return true;
}

bool tour_match(tour *t) {
    const size_t n = t->n < MOST ? t->n : MOST;
    char *const text = malloc(n);
    tour_heading(t, "11  Words in a text: data, weft, warp and text among random letters");
    puts("\n  Right: the counts of a plain loop. x: times as fast as it.\n");
    printf("    %-48s %-30s %5s  %s\n", "", "", "right", "same");
    if (!text) cli_error("tour", "cannot allocate memory for a text of %zu letters; try --quick", n);
    if (text) make(n, text);
    const bool done = text && tour_upload(t, WEFT_U8, n, text, NULL) && show(t, n, text);
    tour_release(t);
    free(text);
    return done;
}
