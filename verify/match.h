/* The agreement engine: every device of this machine against the specification.
 *
 * A case is (operation, types, size, input, seed, placement in memory). The device "ref" says what
 * its answer is; every other device, at every instruction set and several thread counts, from host
 * memory and from its own, must give the same status and the same bytes, and write nothing else. */
#ifndef WEFT_TESTS_MATCH_H
#define WEFT_TESTS_MATCH_H

#include "verify/inputs.h"
#include "weft.h"

#include <stdbool.h>
#include <stdio.h>

enum { MATCH_INPUTS = 2, MATCH_COLUMNS = 24 };

/* How much is tried. GOLDEN is the fixed little of the golden hashes. */
typedef enum match_level { MATCH_TINY, MATCH_QUICK, MATCH_FULL, MATCH_GOLDEN, MATCH_LEVELS } match_level;

/* Where an array lies: some elements past a page's start (with an unreadable page before), or so
 * that it ends where an unreadable page begins. */
typedef enum match_place { PLACE_0, PLACE_1, PLACE_3, PLACE_END, PLACES } match_place;

struct match_shape;

/* One line of core/ops.def. */
typedef struct match_operation {
    const char *name;
    weft_op op; /* of weft_reduce */
    const struct match_shape *shape;
} match_operation;

typedef struct match_case {
    const match_operation *operation;
    weft_dtype dtype, accumulate;
    size_t n;
    int parameter; /* of the operation, 0 .. parameters - 1: the ddof of variance */
    input_kind kind;
    uint64_t seed;
    uint64_t turn; /* for what an operation takes in turn: another for other types, sizes, inputs */
    match_place place;
} match_case;

/* What verify/cases/<stem>.c tells about an operation. One that has several outputs lays them one behind another in
 * the array that `call` gets for its output. */
typedef struct match_shape {
    int inputs, parameters;
    int accumulates;                       /* of MATCH_ACCUMULATES: how many are tried */
    size_t (*values)(const match_case *c); /* how many values the output has; NULL: one */
    /* Bytes of a value of the output; 0 when these types are not offered. */
    size_t (*out_bytes)(const match_case *c);
    weft_status (*call)(const match_case *c, weft_context *ctx, const void *const *inputs, void *out);
    void (*tell)(const match_case *c, char text[100]); /* what was taken in turn; may be NULL */
} match_shape;

enum { MATCH_ACCUMULATE_COUNT = 4 };
extern const weft_dtype MATCH_ACCUMULATES[MATCH_ACCUMULATE_COUNT];

/* Number of values and of bytes of the whole output. */
static inline size_t match_out_values(const match_case *c) {
    return c->operation->shape->values ? c->operation->shape->values(c) : 1;
}
static inline size_t match_out_bytes(const match_case *c) {
    return c->operation->shape->out_bytes(c) * match_out_values(c);
}
/* c->n, for shapes whose output has a value for each element. */
size_t match_each(const match_case *c);

extern const match_shape match_reduce, match_variance, match_dot, match_scan, match_laplace, match_recurrence,
    match_fft, match_convolve, match_tridiag, match_heat, match_sort, match_argsort, match_price;
extern const match_shape match_reduce, match_variance, match_dot, match_scan, match_matmul;
extern const match_shape match_select, match_partition, match_unique, match_run_length;
extern const match_shape match_segmented_reduce, match_segmented_scan, match_reduce_by_key;
extern const match_shape match_map, match_map_reduce, match_map_scan, match_random, match_sobol;
extern const match_shape match_histogram, match_top_k, match_merge, match_search_sorted, match_match;

extern const match_operation MATCH_OPERATIONS[];
extern const size_t MATCH_OPERATION_COUNT;

/* The operation called `name`, or NULL. */
const match_operation *match_find(const char *name);
/* "tiny", "quick", "full"; false for another word. */
bool match_read_level(const char *text, match_level *level);

/* -------------------------------------------------------------------- every case of a level */

typedef struct match_visitor {
    void *self;
    /* Whether the arrays of this number are visited; they count from 0 and come in order. NULL: all are. */
    bool (*number)(void *self, uint64_t number);
    /* New arrays: x has c->n elements for each input; c has no operation yet. Returns false to stop. */
    bool (*inputs)(void *self, const match_case *c, const void *const *inputs);
    /* A case on the arrays last announced. Returns false to stop. */
    bool (*visit)(void *self, const match_case *c, const void *const *inputs);
    /* Called now and then with a share of the work. May be NULL. */
    void (*progress)(void *self, double done, double all);
} match_visitor;

/* Visits every case, of one operation when `only` is not NULL. False when there was no memory. */
bool match_walk(match_level level, const match_operation *only, const match_visitor *visitor);

/* ------------------------------------------------------------------------------- agreement */

typedef struct match_options {
    match_level level;
    const char *device;          /* NULL: all; "cpu": each instruction set; else this one */
    int threads;                 /* 0: 1, 2 and 7 */
    size_t jobs;                 /* threads that share the cases, each with contexts of its own; 0: one */
    const match_operation *only; /* NULL: all */
    size_t every;                /* one case in so many, at random; 0 and 1: all */
    bool first;                  /* stop at the first disagreement */
    FILE *log;                   /* one paragraph a disagreement, as long as they are few */
    void *self;
    void (*progress)(void *self, double done, double all);     /* may be NULL */
    weft_status (*prepare)(void *self, weft_context *context); /* of what is compared, once it is open; may be NULL */
} match_options;

typedef struct match_cell {
    size_t agreed, differed;
} match_cell;

typedef struct match_report {
    char columns[MATCH_COLUMNS][40]; /* devices */
    size_t column_count;
    match_cell (*cells)[MATCH_COLUMNS]; /* by operation, then column; match_free releases it */
    size_t agreed, differed;
} match_report;

/* Runs the suite. Returns false, with a sentence in `problem`, when it could not be run at all. */
bool match_run(const match_options *options, match_report *report, char problem[512]);
void match_free(match_report *report);

/* ---------------------------------------------------------------------------- golden hashes */

/* Hashes every answer of `device` at the golden level, one line for each operation, types, parameter
 * and input kind. With `write`, makes the files DIRECTORY/<operation>.txt; else compares with them.
 * Returns true when all is well; else `problem` says what, with the first line that differs. */
bool golden_run(const char *directory, const char *device, bool write, size_t *lines, char problem[512]);

#endif
