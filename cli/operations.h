/* Table of the operations in core/ops.def, so that generic code can run any of them. */
#ifndef WEFT_CLI_OPERATIONS_H
#define WEFT_CLI_OPERATIONS_H

#include "cli/io/value.h"
#include "weft.h"

#include <stdbool.h>
#include <stdint.h>

struct operands;
typedef struct operation operation;

/* Calls the library. The result, of type *type, is in *out or in the array in->to. */
typedef weft_status operation_call(const operation *operation, weft_context *ctx, const struct operands *in,
                                   value *out, weft_dtype *type);

struct operation {
    const char *name, *help;
    operation_call *run;
    weft_op op;         /* operator, for the operations of weft_reduce */
    bool integers;      /* integer elements only */
    bool is_value;      /* returns a value and writes no array */
    int inputs, passes; /* number of arrays read, and number of passes over them */
    double outputs;     /* arrays written, in units of n elements; a fixed number of values counts as 0 */
};

enum { OPERATION_BINS = 256 }; /* bins of histogram */

extern const operation OPERATIONS[];
extern const size_t OPERATION_COUNT;

/* Returns the operation called name[0..length), or NULL. '-' and '_' are the same character. */
const operation *operation_find(const char *name, size_t length);

/* Returns the number of bytes that the operation reads and writes on arrays of n elements of `size` bytes. */
double operation_bytes(const operation *operation, size_t n, size_t size);

/* Returns true if the operation has the function weft_<stem> (CALL or PRIMITIVE in core/ops.def). */
bool operation_is(const operation *operation, const char *stem);

/* Arguments of any operation. dot and recurrence read y; variance reads ddof. scan reads op and kind. recurrence
 * reads direction and rows (the number of rows of n elements; 0 means one). Both read init and write to `to`. The
 * segmented operations read op and offsets, or heads if offsets is NULL, and write to `to`. reduce_by_key reads keys.
 * scatter_reduce uses keys, of less than segments + 1, as indices. gather and scatter read permutation.
 * sort and argsort also write to `to`; the indices of argsort are u32. */
typedef struct operands {
    weft_dtype dtype, accumulate;
    size_t n, ddof;
    size_t lanes; /* reduce only: 0, or the lanes of weft_reduce_lanes */
    const void *x, *y;
    weft_op op;
    weft_scan_kind kind;
    weft_direction direction;
    size_t rows;
    const void *init;
    const void *halves;          /* n elements whose two halves are each sorted; read by merge and search_sorted */
    const uint32_t *permutation; /* the numbers below min(n, 2^32 - 1), each once, in an order without runs */
    void *to;                    /* output array: at least 8 n and at least 8 OPERATION_BINS bytes */
    size_t segments;
    const uint64_t *offsets;
    const uint8_t *heads;
    weft_dtype key_type;
    const void *keys;
    void *keys_to;   /* output: the first key of each run */
    uint64_t *count; /* output: the number of segments, by heads or keys */
} operands;

/* Runs the operation on ctx. *type is the type of *out, or of the array in->to; in that case *out is 0. On failure,
 * the error message is in the context. */
weft_status operation_run(const operation *operation, weft_context *ctx, const operands *in, value *out,
                          weft_dtype *type);

/* Sets *type to the type of the operator's result for these operands, or to WEFT_DEFAULT if it does not accept them.
 */
void operation_result_type(weft_op op, const operands *in, weft_dtype *type);

/* example_<stem>: a call of the operation, with parameters that suit any operands; in cli/commands. */
operation_call example_reduce;
#define CALL(stem, form, reads, passes, writes, help) extern operation_call example_##stem;
#include "core/ops.def"

#endif
