#include "cli/operations.h"

#include <string.h>

#define OPERATION_IS_ANY false
#define OPERATION_IS_INTEGER true

/* What a line of the list cannot say. variance reads its array twice; dot reads two; scan writes one. */
#define OPERATION_OF_variance OPERATION_VARIANCE, WEFT_SUM, false, 1, 2, 0
#define OPERATION_OF_dot OPERATION_DOT, WEFT_SUM, false, 2, 1, 0
#define OPERATION_OF_scan OPERATION_SCAN, WEFT_SUM, false, 1, 1, 1

const operation OPERATIONS[] = {
#define REDUCE(ID, name, domain, result, empty, help) \
    {#name, help, OPERATION_REDUCE, WEFT_##ID, OPERATION_IS_##domain, 1, 1, 0},
#define CALL(stem, help) {#stem, help, OPERATION_OF_##stem},
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

weft_status operation_run(const operation *operation, weft_context *ctx, const operands *in, value *out,
                          weft_dtype *type) {
    /* The result types of variance and dot follow the rules of mean and sum. */
    const weft_op rule = operation->kind == OPERATION_REDUCE     ? operation->op
                         : operation->kind == OPERATION_VARIANCE ? WEFT_MEAN
                                                                 : WEFT_SUM;
    *out = (value){0};
    if (operation->kind == OPERATION_SCAN)
        *type = in->accumulate == WEFT_DEFAULT ? in->dtype : in->accumulate;
    else if (weft_reduce_result(rule, in->dtype, in->accumulate, type) != WEFT_OK)
        *type = WEFT_DEFAULT;
    switch (operation->kind) {
    case OPERATION_REDUCE: return weft_reduce(ctx, operation->op, in->dtype, in->accumulate, in->n, in->x, out);
    case OPERATION_VARIANCE: return weft_variance(ctx, in->dtype, in->accumulate, in->n, in->ddof, in->x, out);
    case OPERATION_DOT: return weft_dot(ctx, in->dtype, in->accumulate, in->n, in->x, in->y, out);
    case OPERATION_SCAN:
        return weft_scan(ctx, in->op, in->kind, in->dtype, in->accumulate, in->n, in->x, in->init, in->to);
    }
    return WEFT_INTERNAL;
}
