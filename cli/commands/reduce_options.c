#include "cli/commands/reduce_options.h"

#include "cli/cli.h"

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

bool reduce_options_exact(const char *text, weft_dtype *accumulate) {
    *accumulate = WEFT_EXACT_SUM;
    return strcmp(text, weft_dtype_name(WEFT_EXACT_SUM)) == 0;
}

bool reduce_options_sums(const char *command, const char *text, weft_dtype *accumulate) {
    if (reduce_options_exact(text, accumulate)) return true;
    *accumulate = WEFT_F64;
    if (strcmp(text, weft_dtype_name(WEFT_F64)) == 0) return true;
    cli_error(command, "--accumulate %s: expected f64 or exact", text);
    return false;
}

bool reduce_options_type(const char *command, const char *text, weft_dtype *accumulate) {
    static const weft_dtype types[] = {WEFT_F64, WEFT_I64, WEFT_U64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(text, weft_dtype_name(types[i])) == 0) {
            *accumulate = types[i];
            return true;
        }
    cli_error(command, "--accumulate %s: expected f64, i64 or u64", text);
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
