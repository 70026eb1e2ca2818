#include "cli/commands/reduce_options.h"

#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/* Operators that are accepted: those whose value has the element's type, or a wider one. */
enum { OFFERS_WIDE = true, OFFERS_SAME = true, OFFERS_INDEX = false, OFFERS_TRUTH = false, OFFERS_REAL = false };
static const struct {
    const char *name;
    weft_op op;
    bool offered;
} OPERATORS[] = {
#define REDUCE(ID, name, domain, result, empty, help) {#name, WEFT_##ID, OFFERS_##result},
#include "core/ops.def"
};

bool reduce_options_op(const char *command, const char *text, weft_op *op) {
    for (size_t i = 0; i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (OPERATORS[i].offered && strcmp(text, OPERATORS[i].name) == 0) {
            *op = OPERATORS[i].op;
            return true;
        }
    cli_error(command, "--op %s: expected one of sum, prod, min, max, and, or, xor", text);
    return false;
}

bool reduce_options_type(const char *command, const char *text, const weft_dtype *types, weft_dtype *accumulate) {
    char names[80] = "";
    for (size_t i = 0; types[i] != WEFT_DEFAULT; i++) {
        const char *const name = weft_dtype_name(types[i]);
        const size_t at = strlen(names);
        *accumulate = types[i];
        if (strcmp(text, name) == 0) return true;
        snprintf(names + at, sizeof names - at, "%s%s",
                 at == 0                        ? ""
                 : types[i + 1] == WEFT_DEFAULT ? " or "
                                                : ", ",
                 name);
    }
    cli_error(command, "--accumulate %s: expected %s", text, names);
    return false;
}

static int refuse(const char *command, bool speaks, weft_dtype accumulate, const char *sentence) {
    if (speaks) cli_error(command, "--accumulate %s: %s", weft_dtype_name(accumulate), sentence);
    return CLI_USAGE;
}

int reduce_options_check_reduce(const char *command, bool speaks, weft_op op, weft_dtype dtype,
                                weft_dtype accumulate) {
    weft_dtype type;
    if (weft_reduce_result(op, dtype, WEFT_DEFAULT, &type) != WEFT_OK ||
        weft_reduce_result(op, dtype, accumulate, &type) == WEFT_OK)
        return CLI_DONE;
    return refuse(command, speaks, accumulate, weft_last_error(NULL));
}

/* Calls a scan of no elements to check the types. */
int reduce_options_check_scan(const char *command, bool speaks, weft_context *ctx, weft_op op, weft_dtype dtype,
                              weft_dtype accumulate) {
    const weft_scan_kind kind = WEFT_INCLUSIVE;
    if (weft_scan(ctx, op, kind, dtype, WEFT_DEFAULT, 0, NULL, NULL, NULL) != WEFT_OK ||
        weft_scan(ctx, op, kind, dtype, accumulate, 0, NULL, NULL, NULL) == WEFT_OK)
        return CLI_DONE;
    return refuse(command, speaks, accumulate, weft_last_error(ctx));
}
