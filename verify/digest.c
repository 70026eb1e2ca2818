#include "verify/digest.h"

#include "verify/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct digest {
    weft_context *ctx;
    sha256 *hashes; /* by operation */
    digest_line *lines;
    memory_out answer;
    const digest_options *options;
    char *problem;
} digest;

static bool on_case(void *self, const match_case *c, const void *const *inputs) {
    digest *d = self;
    const size_t operation = (size_t)(c->operation - MATCH_OPERATIONS);
    void *const answer = memory_poison(&d->answer, c);
    const weft_status status = answer ? c->operation->shape->call(c, d->ctx, inputs, answer) : WEFT_OUT_OF_MEMORY;
    if (status != WEFT_OK && status != WEFT_EMPTY) {
        snprintf(d->problem, 512, "%s of %s: %s", c->operation->name, weft_dtype_name(c->dtype),
                 answer ? weft_last_error(d->ctx) : "out of memory");
        return false;
    }
    const unsigned char code = (unsigned char)status;
    sha256_add(&d->hashes[operation], &code, 1);
    if (status == WEFT_OK) {
        match_convert(c, answer);
        sha256_add(&d->hashes[operation], answer, match_out_bytes(c));
    }
    d->lines[operation].cases++;
    return true;
}

static void on_progress(void *self, double done, double all) {
    const digest *d = self;
    if (d->options->progress) d->options->progress(d->options->self, done, all);
}

static bool hash_cases(digest *d) {
    const match_visitor visitor = {.self = d, .visit = on_case, .progress = on_progress};
    d->hashes = calloc(MATCH_OPERATION_COUNT, sizeof *d->hashes);
    if (d->hashes)
        for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++) sha256_begin(&d->hashes[i]);
    if (!d->hashes || !match_walk(d->options->level, d->options->only, &visitor))
        snprintf(d->problem, 512, "cannot allocate memory for the cases");
    for (size_t i = 0; i < MATCH_OPERATION_COUNT && d->problem[0] == '\0'; i++)
        if (d->lines[i].cases > 0) sha256_end(&d->hashes[i], d->lines[i].hash);
    free(d->hashes);
    memory_drop(&d->answer);
    return d->problem[0] == '\0';
}

bool digest_run(const digest_options *options, digest_line *lines, char problem[512]) {
    digest d = {.lines = lines, .options = options, .problem = problem};
    problem[0] = '\0';
    memset(lines, 0, MATCH_OPERATION_COUNT * sizeof *lines);
    if (weft_open(&d.ctx, options->device) != WEFT_OK) {
        snprintf(problem, 512, "%s: %s", options->device, weft_last_error(NULL));
        return false;
    }
    bool good = options->threads == 0 || weft_set_threads(d.ctx, options->threads) == WEFT_OK;
    if (!good) snprintf(problem, 512, "%s", weft_last_error(d.ctx));
    good = good && hash_cases(&d);
    weft_close(d.ctx);
    return good;
}

digest_line digest_total(const digest_line *lines) {
    digest_line total = {0};
    sha256 all;
    char line[SHA256_TEXT + 64];
    sha256_begin(&all);
    for (size_t i = 0; i < MATCH_OPERATION_COUNT; i++) {
        total.cases += lines[i].cases;
        sha256_add(&all, line,
                   (size_t)snprintf(line, sizeof line, "%s %s\n", MATCH_OPERATIONS[i].name, lines[i].hash));
    }
    sha256_end(&all, total.hash);
    return total;
}
