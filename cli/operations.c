#include "cli/operations.h"

#include <string.h>

/* ------------------------------------------------------------------- a call of each operation */

/* The result types of variance and dot follow the rules of mean and sum. */
static void find_type(weft_op rule, const operands *in, weft_dtype *type) {
    if (weft_reduce_result(rule, in->dtype, in->accumulate, type) != WEFT_OK) *type = WEFT_DEFAULT;
}

static weft_status run_reduce(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    find_type(o->op, in, type);
    return weft_reduce(ctx, o->op, in->dtype, in->accumulate, in->n, in->x, out);
}

static weft_status run_variance(const operation *o, weft_context *ctx, const operands *in, value *out,
                                weft_dtype *type) {
    (void)o;
    find_type(WEFT_MEAN, in, type);
    return weft_variance(ctx, in->dtype, in->accumulate, in->n, in->ddof, in->x, out);
}

static weft_status run_dot(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o;
    find_type(WEFT_SUM, in, type);
    return weft_dot(ctx, in->dtype, in->accumulate, in->n, in->x, in->y, out);
}

static weft_status run_scan(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    *type = in->accumulate == WEFT_DEFAULT ? in->dtype : in->accumulate;
    return weft_scan(ctx, in->op, in->kind, in->dtype, in->accumulate, in->n, in->x, in->init, in->to);
}

static weft_status run_sort(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o, (void)out;
    *type = in->dtype;
    return weft_sort(ctx, in->dtype, WEFT_ASCENDING, in->n, in->x, in->to);
}

static weft_status run_argsort(const operation *o, weft_context *ctx, const operands *in, value *out,
                               weft_dtype *type) {
    (void)o, (void)out;
    *type = WEFT_U32;
    return weft_argsort(ctx, in->dtype, WEFT_ASCENDING, *type, in->n, in->x, in->to);
}

/* ------------------------------------------------------------------------------- the table */

#define OPERATION_IS_ANY false
#define OPERATION_IS_INTEGER true

/* What a line of the list cannot say: the operator or the integers, arrays read, how often, arrays written. */
#define OPERATION_OF_variance WEFT_SUM, false, 1, 2, 0
#define OPERATION_OF_dot WEFT_SUM, false, 2, 1, 0
#define OPERATION_OF_scan WEFT_SUM, false, 1, 1, 1
#define OPERATION_OF_sort WEFT_SUM, false, 1, 1, 1
#define OPERATION_OF_argsort WEFT_SUM, false, 1, 1, 1

const operation OPERATIONS[] = {
#define REDUCE(ID, name, domain, result, empty, help) \
    {#name, help, run_reduce, WEFT_##ID, OPERATION_IS_##domain, 1, 1, 0},
#define CALL(stem, help) {#stem, help, run_##stem, OPERATION_OF_##stem},
#include "core/ops.def"
};
const size_t OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS;

const operation *operation_find(const char *name, size_t length) {
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (strlen(OPERATIONS[i].name) == length && memcmp(OPERATIONS[i].name, name, length) == 0)
            return &OPERATIONS[i];
    return NULL;
}

double operation_bytes(const operation *operation, size_t n, size_t size) {
    return (double)n * (double)size * (operation->inputs * operation->passes + operation->outputs);
}

bool operation_is(const operation *operation, const char *stem) {
    return operation->run != run_reduce && strcmp(operation->name, stem) == 0;
}

weft_status operation_run(const operation *operation, weft_context *ctx, const operands *in, value *out,
                          weft_dtype *type) {
    *out = (value){0};
    return operation->run(operation, ctx, in, out, type);
}
