#include "cli/operations.h"

#include "cli/nearest.h"

#include <stdio.h>
#include <string.h>

void operation_result_type(weft_op op, const operands *in, weft_dtype *type) {
    if (weft_reduce_result(op, in->dtype, in->accumulate, type) != WEFT_OK) *type = WEFT_DEFAULT;
}

#define OPERATION_IS_ANY false
#define OPERATION_IS_INTEGER true
#define OPERATION_IS_VALUE true
#define OPERATION_IS_ARRAY false

const operation OPERATIONS[] = {
#define REDUCE(ID, name, domain, result, empty, help) \
    {#name, help, example_reduce, WEFT_##ID, OPERATION_IS_##domain, true, 1, 1, 0},
#define CALL(stem, form, reads, passes, writes, help) \
    {#stem, help, example_##stem, (weft_op)0, false, OPERATION_IS_##form, reads, passes, writes},
#include "core/ops.def"
};
const size_t OPERATION_COUNT = sizeof OPERATIONS / sizeof *OPERATIONS;

const operation *operation_find(const char *name, size_t length) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < sizeof wanted ? length : 0), name);
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (same_name(wanted, OPERATIONS[i].name)) return &OPERATIONS[i];
    return NULL;
}

double operation_bytes(const operation *operation, size_t n, size_t size) {
    const double written = operation->outputs > 0 ? operation->outputs : 0;
    return (double)n * (double)size * (operation->inputs * operation->passes + written);
}

bool operation_is(const operation *operation, const char *stem) {
    return operation->run != example_reduce && strcmp(operation->name, stem) == 0;
}

weft_status operation_run(const operation *operation, weft_context *ctx, const operands *in, value *out,
                          weft_dtype *type) {
    *out = (value){0};
    return operation->run(operation, ctx, in, out, type);
}
