/* The agreement engine compares every device of this machine with the specification.
 *
 * A case is (operation, types, size, input, seed, placement in memory). The device "ref" defines the expected
 * result. All other devices, with every instruction set and several thread counts, from host memory and from their
 * own, must return the same status and the same bytes. They must not write any other bytes. */
#ifndef WEFT_TESTS_MATCH_H
#define WEFT_TESTS_MATCH_H

#include "verify/inputs.h"
#include "weft.h"

#include <stdbool.h>
#include <stdio.h>

enum { MATCH_INPUTS = 2, MATCH_COLUMNS = 24 };

/* Number of cases. GOLDEN is the small fixed set of the golden hashes. */
typedef enum match_level { MATCH_TINY, MATCH_QUICK, MATCH_FULL, MATCH_GOLDEN, MATCH_LEVELS } match_level;

/* Offset of an array: a number of elements after a page's start (with an unreadable page before it), or so that
 * it ends where an unreadable page begins. */
typedef enum match_offset { OFFSET_0, OFFSET_1, OFFSET_3, OFFSET_END, OFFSETS } match_offset;

struct match_shape;

/* One line of core/ops.def or composed.def. */
typedef struct match_operation {
    const char *name;
    weft_op op; /* operator, for weft_reduce */
    const struct match_shape *shape;
} match_operation;

typedef struct match_case {
    const match_operation *operation;
    weft_dtype dtype, accumulate;
    size_t n;
    int parameter; /* parameter of the operation, 0 .. parameters - 1, for example the ddof of variance */
    input_kind kind;
    uint64_t seed;
    uint64_t turn; /* seed of the arguments that an operation varies; differs between types, sizes and inputs */
    match_offset offset;
} match_case;

/* A part of an output: `count` values of `size` bytes, which is at most 8, from byte `at` on. */
typedef struct match_part {
    size_t at, size, count;
} match_part;
enum { MATCH_PARTS = 3 };

/* Description of an operation, defined in verify/cases/<stem>.c. If an operation has several outputs, `call` stores
 * them consecutively in the array `out`. */
typedef struct match_shape {
    int inputs, parameters;
    int accumulates;                       /* number of entries of MATCH_ACCUMULATES that are tested */
    bool halves;                           /* f16 and bf16 are tested too, with all entries, or the first one alone */
    size_t (*values)(const match_case *c); /* number of values of the output; NULL: one */
    /* Returns the bytes of a value of the output, or 0 if the types are not supported. */
    size_t (*out_bytes)(const match_case *c);
    /* Describes the parts of the output at `out`, and returns their number. NULL: all values have out_bytes bytes. */
    size_t (*parts)(const match_case *c, const void *out, match_part parts[MATCH_PARTS]);
    weft_status (*call)(const match_case *c, weft_context *ctx, const void *const *inputs, void *out);
    /* Computes the expected result on ref by calls of other operations, which define the function. NULL: `call`
     * does, on ref, which has a definition of its own. */
    weft_status (*define)(const match_case *c, weft_context *ref, const void *const *inputs, void *out);
    void (*tell)(const match_case *c, char text[100]); /* describes what varies with `turn`; may be NULL */
} match_shape;

enum { MATCH_ACCUMULATE_COUNT = 6 };
extern const weft_dtype MATCH_ACCUMULATES[MATCH_ACCUMULATE_COUNT];

/* Return the number of values and of bytes of the whole output. */
static inline size_t match_out_values(const match_case *c) {
    return c->operation->shape->values ? c->operation->shape->values(c) : 1;
}
static inline size_t match_out_bytes(const match_case *c) {
    return c->operation->shape->out_bytes(c) * match_out_values(c);
}
/* Converts an output in host memory from the byte order of the machine to little-endian, or back. */
void match_convert(const match_case *c, void *out);
/* Returns c->n, for operations whose output has one value for each element. */
size_t match_each(const match_case *c);

/* match_<stem> for each operation, and match_reduce for the operators of weft_reduce. */
extern const match_shape match_reduce;
#define CALL(stem, form, reads, passes, writes, help) extern const match_shape match_##stem;
#define VIEW(stem) extern const match_shape match_##stem;
#include "core/ops.def"
#define COMPOSED(stem) extern const match_shape match_##stem;
#include "verify/composed.def"

extern const match_operation MATCH_OPERATIONS[];
extern const size_t MATCH_OPERATION_COUNT;

/* Returns the operation called `name`, or NULL. */
const match_operation *match_find(const char *name);
/* Parses "tiny", "quick" or "full". Returns false for any other text. */
bool match_read_level(const char *text, match_level *level);
const char *match_level_name(match_level level);

/* -------------------------------------------------------------------- every case of a level */

typedef struct match_visitor {
    void *self;
    /* Returns true if the arrays of this number are to be visited. Numbers count from 0 and are passed in order.
     * NULL: visit all arrays. */
    bool (*number)(void *self, uint64_t number);
    /* Announces new arrays: x has c->n elements for each input, and c has no operation yet. Returns false to
     * stop. */
    bool (*inputs)(void *self, const match_case *c, const void *const *inputs);
    /* Visits a case on the arrays announced last. Returns false to stop. */
    bool (*visit)(void *self, const match_case *c, const void *const *inputs);
    /* Reports progress: `done` of `all` units of work. May be NULL. */
    void (*progress)(void *self, double done, double all);
} match_visitor;

/* Visits every case, or only those of `only` if it is not NULL. Returns false without memory. */
bool match_walk(match_level level, const match_operation *only, const match_visitor *visitor);

/* ------------------------------------------------------------------------------- agreement */

typedef struct match_options {
    match_level level;
    const char *device;          /* NULL: all; "cpu": each instruction set; else this device */
    int threads;                 /* 0: 1, 2 and 7 */
    size_t jobs;                 /* number of threads that share the cases, each with contexts of its own; 0: one */
    const match_operation *only; /* NULL: all operations */
    size_t every;                /* test one case in `every`, selected at random; 0 and 1: all */
    bool first;                  /* stop at the first disagreement */
    FILE *log;                   /* one paragraph for each of the first 20 disagreements */
    void *self;
    void (*progress)(void *self, double done, double all);     /* may be NULL */
    weft_status (*prepare)(void *self, weft_context *context); /* called for each opened context; may be NULL */
} match_options;

typedef struct match_cell {
    size_t agreed, differed;
} match_cell;

typedef struct match_report {
    char columns[MATCH_COLUMNS][40]; /* devices */
    size_t column_count;
    match_cell (*cells)[MATCH_COLUMNS]; /* by operation, then column; freed by match_free */
    size_t agreed, differed;
} match_report;

/* Runs the suite. Returns false, with an error message in `problem`, if it could not be run at all. */
bool match_run(const match_options *options, match_report *report, char problem[512]);
void match_free(match_report *report);

/* ---------------------------------------------------------------------------- golden hashes */

/* Hashes all results of `device` at the golden level, or those of the operation `only`. If `write` is set, writes the
 * files DIRECTORY/<operation>.txt; otherwise compares the hashes with them. golden.c describes the format. Returns
 * true if this succeeds and all hashes agree. `count` receives the number of hashes. On failure `problem` contains
 * the error message, with the first hash that differs. */
bool golden_run(const char *directory, const char *device, const match_operation *only, bool write, size_t *count,
                char problem[512]);

#endif
