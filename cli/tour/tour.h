/* The parts of `weft tour` and what they share: the machines that compute, the count of comparisons. */
#ifndef WEFT_CLI_TOUR_H
#define WEFT_CLI_TOUR_H

#include "cli/bench/measure.h"
#include "cli/cli.h"
#include "cli/io/npy.h"
#include "cli/operations.h"

/* One that computes: a device that is shown with its times, or a witness that is only compared. */
typedef struct tour_machine {
    char label[48];
    weft_context *ctx;
    bool shown, gpu;
    void *x, *y, *z; /* a GPU's copies of the arrays at hand, or where it writes one */
} tour_machine;

enum { TOUR_MACHINES = MEASURE_DEVICES + 2 };

typedef struct tour {
    const cli_options *options;
    size_t n;     /* elements of the large arrays */
    bool n_given; /* by --n */
    tour_machine machines[TOUR_MACHINES];
    int count;
    int compared, different; /* values held against the first machine's */
    bool colours;
} tour;

/* What all machines found for one operation. */
typedef struct tour_result {
    weft_dtype type;
    value value;                   /* of the first machine */
    double seconds[TOUR_MACHINES]; /* medians, of those that are shown */
    bool same;
} tour_result;

/* Gives every GPU copies of x and y (n elements; y may be NULL); tour_release takes them back. */
bool tour_upload(tour *t, weft_dtype dtype, size_t n, const void *x, const void *y);
void tour_release(tour *t);

/* Runs the operation on every machine, on `in` or the copies of it that tour_upload made, and compares all
 * the bits. `timed`: the shown ones run several times for a median. Returns false after an error. */
bool tour_run(tour *t, const operation *operation, const operands *in, bool timed, tour_result *result);

/* The columns of times: the first device that is not a GPU, and the first GPU. Returns their number. */
int tour_columns(const tour *t, int columns[2]);

/* Uniform multiples of 2^-24 in [0, 1). */
void tour_fill_uniform(size_t n, float *x);

/* Says why a machine failed; false. */
bool tour_machine_failed(const tour_machine *m);

/* A heading; a tick or a cross; the list "cpu, cuda:0 and ref" of all that are compared. */
void tour_heading(const tour *t, const char *text);
const char *tour_mark(const tour *t, bool same);
void tour_names(const tour *t, char *text, size_t size);

/* Counts whether a result that is known is right; returns `right`. */
bool tour_expect(tour *t, bool right);

/* A line of a known answer: what was computed, its value, whether it is right and the same everywhere. */
void tour_known(const tour *t, const char *what, const char *value, bool right, bool same);

/* The sections. Each returns false after an error was printed. */
bool tour_classic_dot(tour *t);
bool tour_hard_sums(tour *t, float *x);
bool tour_every_operation(tour *t, const char *path, const npy_array *file);
bool tour_large_array(tour *t, const npy_array *file, float *x, float *y);
bool tour_scans(tour *t);
bool tour_products(tour *t);
bool tour_tridiag(tour *t);
bool tour_sort(tour *t);
bool tour_filter(tour *t);
bool tour_price(tour *t);
bool tour_match(tour *t);
bool tour_laplace(tour *t);

#endif
