/* The operations of core/ops.def as a table, so that one piece of code can run any of them. */
#ifndef WEFT_CLI_OPERATIONS_H
#define WEFT_CLI_OPERATIONS_H

#include "cli/io/value.h"
#include "weft.h"

#include <stdbool.h>
#include <stdint.h>

struct operands;
typedef struct operation operation;

struct operation {
    const char *name, *help;
    /* Calls the library; what became of it is in *out or in the array in->to, of *type. */
    weft_status (*run)(const operation *operation, weft_context *ctx, const struct operands *in, value *out,
                       weft_dtype *type);
    weft_op op;         /* of an operator of weft_reduce */
    bool integers;      /* not for floats */
    bool is_value;      /* it gives a value and writes no array */
    int inputs, passes; /* arrays it reads, and how often */
    double outputs;     /* arrays that it writes, as a share of n elements; few values do not count */
};

enum { OPERATION_BINS = 256 }; /* of histogram */

extern const operation OPERATIONS[];
extern const size_t OPERATION_COUNT;

/* The operation called name[0..length), '-' and '_' being the same character, or NULL. */
const operation *operation_find(const char *name, size_t length);

/* Bytes that it reads and writes on arrays of n elements of `size` bytes. */
double operation_bytes(const operation *operation, size_t n, size_t size);

/* Whether it is the CALL of core/ops.def of that stem. */
bool operation_is(const operation *operation, const char *stem);

/* The arguments of any operation. y is read by dot and recurrence, ddof by variance; op and kind are of scan,
 * direction and rows (of n elements each; 0: one) of recurrence, init and to of both. The
 * segmented operations take op and to, and offsets or, where that is NULL, heads; reduce_by_key takes keys; sort and
 * argsort write to `to` too, and the indices of argsort are u32. */
typedef struct operands {
    weft_dtype dtype, accumulate;
    size_t n, ddof;
    const void *x, *y;
    weft_op op;
    weft_scan_kind kind;
    weft_direction direction;
    size_t rows;
    const void *init;
    const void *halves; /* n elements, each half of them sorted: for merge and search_sorted */
    void *to;           /* the array that it writes: 8 n bytes, and 8 OPERATION_BINS at least */
    size_t segments;
    const uint64_t *offsets;
    const uint8_t *heads;
    weft_dtype key_type;
    const void *keys;
    void *keys_to;   /* the first key of each run */
    uint64_t *count; /* of segments, by heads or keys */
} operands;

/* Runs it on ctx; *type is the type of the value at out, or of the array that it wrote; then the value is 0.
 * A failure's sentence is in the context. */
weft_status operation_run(const operation *operation, weft_context *ctx, const operands *in, value *out,
                          weft_dtype *type);

#endif
