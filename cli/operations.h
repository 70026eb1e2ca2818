/* The operations of core/ops.def as a table, so that one piece of code can run any of them. */
#ifndef WEFT_CLI_OPERATIONS_H
#define WEFT_CLI_OPERATIONS_H

#include "cli/value.h"
#include "weft.h"

#include <stdbool.h>

struct operands;
typedef struct operation operation;

struct operation {
    const char *name, *help;
    /* Calls the library; what became of it is in *out or in the array in->to, of *type. */
    weft_status (*run)(const operation *operation, weft_context *ctx, const struct operands *in, value *out,
                       weft_dtype *type);
    weft_op op;         /* of an operator of weft_reduce */
    bool integers;      /* not for floats */
    int inputs, passes; /* arrays it reads, and how often */
    int outputs;        /* arrays it writes; 0: it gives a value */
};

extern const operation OPERATIONS[];
extern const size_t OPERATION_COUNT;

/* The operation of that name, or NULL. `length` characters of it. */
const operation *operation_find(const char *name, size_t length);

/* Bytes that it reads and writes on arrays of n elements of `size` bytes. */
double operation_bytes(const operation *operation, size_t n, size_t size);

/* Whether it is the CALL of core/ops.def of that stem. */
bool operation_is(const operation *operation, const char *stem);

/* The arguments of any operation. y is read by dot, ddof by variance; op, kind, init and to are of scan; sort and argsort
 * write to `to` too, and the indices of argsort are u32. */
typedef struct operands {
    weft_dtype dtype, accumulate;
    size_t n, ddof;
    const void *x, *y;
    weft_op op;
    weft_scan_kind kind;
    const void *init;
    void *to; /* the array that it writes */
} operands;

/* Runs it on ctx; *type is the type of the value at out, or of the array that it wrote; then the value is 0.
 * A failure's sentence is in the context. */
weft_status operation_run(const operation *operation, weft_context *ctx, const operands *in, value *out,
                          weft_dtype *type);

#endif
