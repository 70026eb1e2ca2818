/* weft tune --check: runs the agreement suite with every variant. */
#include "cli/bench/tune.h"
#include "cli/progress.h"
#include "verify/match.h"

#include <stdlib.h>
#include <string.h>

/* Selects variant `number` of each tunable of the operation, or the last one of a tunable with fewer variants. */
typedef struct choice {
    const char *operation;
    size_t number;
} choice;

static weft_status prepare(void *self, weft_context *ctx) {
    const choice *c = self;
    weft_status status = WEFT_OK;
    for (size_t i = 0; i < weft_tune_count(ctx) && status == WEFT_OK; i++) {
        weft_tunable t = {.size = sizeof t};
        status = weft_tune_describe(ctx, i, &t);
        if (status != WEFT_OK || strcmp(t.operation, c->operation) != 0) continue;
        status = weft_tune_choose(ctx, i, c->number < t.count ? c->number : t.count - 1);
        if (status == WEFT_UNSUPPORTED)
            status = weft_tune_choose(ctx, i, 0); /* this device does not support the variant */
    }
    return status;
}

static size_t most_variants(weft_context *ctx, const char *operation) {
    size_t most = 0;
    weft_tunable t = {.size = sizeof t};
    for (size_t i = 0; i < weft_tune_count(ctx); i++)
        if (weft_tune_describe(ctx, i, &t) == WEFT_OK && strcmp(t.operation, operation) == 0 && t.count > most)
            most = t.count;
    return most;
}

static bool check_one(const char *command, match_options *match, const choice *c, size_t *answers) {
    match_report report;
    char problem[512];
    const bool ran = match_run(match, &report, problem);
    const bool good = ran && report.agreed > 0 && report.differed == 0;
    if (!ran)
        cli_error(command, "%s", problem);
    else if (!good)
        cli_error(command, "%s by variant %zu: %zu of %zu answers DIFFER from the specification", c->operation,
                  c->number, report.differed, report.agreed + report.differed);
    *answers += report.agreed;
    match_free(&report);
    return good;
}

bool tune_check(const cli_options *options, const char *command, weft_context *ctx, const char *operation,
                const tune_check_options *check, size_t *answers) {
    choice c = {operation, 0};
    match_options match = {.device = weft_device(ctx),
                           .threads = options->threads,
                           .only = match_find(operation),
                           .every = check->every,
                           .log = stderr,
                           .self = &c,
                           .prepare = prepare};
    const size_t most = most_variants(ctx, operation);
    *answers = 0;
    if (!match_read_level(check->level, &match.level)) {
        cli_error(command, "--level %s: expected tiny, quick or full", check->level);
        return false;
    }
    bool good = true;
    progress_start(options, "check");
    for (; good && c.number < most; c.number++) {
        progress_at((double)c.number, (double)most);
        good = check_one(command, &match, &c, answers);
    }
    progress_end();
    return good;
}
