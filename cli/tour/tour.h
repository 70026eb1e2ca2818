/* Sections of `weft tour` and their shared functions: the devices that compute, the count of comparisons. */
#ifndef WEFT_CLI_TOUR_H
#define WEFT_CLI_TOUR_H

#include "cli/bench/measure.h"
#include "cli/cli.h"
#include "cli/io/npy/npy.h"
#include "cli/operations.h"

/* A device. One with `shown` is printed with its times; others are witnesses, which are only compared. */
typedef struct tour_machine {
    char label[48];
    weft_context *ctx;
    bool shown, gpu;
    void *x, *y, *z; /* on a GPU: copies of the current arrays, or the output array */
} tour_machine;

enum { TOUR_MACHINES = MEASURE_DEVICES + 2 };

typedef struct tour {
    const cli_options *options;
    size_t n;     /* number of elements of the large arrays */
    bool n_given; /* --n was given */
    tour_machine machines[TOUR_MACHINES];
    int count;
    int compared,
        different; /* numbers of values compared with those of the first machine, and of those that differ */
    bool colours;
} tour;

/* Results of one operation on all machines. */
typedef struct tour_result {
    weft_dtype type;
    value value;                   /* result of the first machine */
    double seconds[TOUR_MACHINES]; /* medians, for machines with `shown` */
    bool same;
} tour_result;

/* Copies x and y (n elements; y may be NULL) to every GPU. tour_release frees the copies. */
bool tour_upload(tour *t, weft_dtype dtype, size_t n, const void *x, const void *y);
void tour_release(tour *t);

/* Runs the operation on every machine, on `in` or on the copies made by tour_upload, and compares all bits. With
 * `timed`, the machines that are shown run it repeatedly for a median. Returns false after an error. */
bool tour_run(tour *t, const operation *operation, const operands *in, bool timed, tour_result *result);

/* Selects the machines of the time columns: the first device that is not a GPU, and the first GPU. Returns their
 * number. */
int tour_columns(const tour *t, int columns[2]);

/* Fills x with uniform multiples of 2^-24 in [0, 1). */
void tour_fill_uniform(size_t n, float *x);

/* Prints why a machine failed. Returns false. */
bool tour_machine_failed(const tour_machine *m);

/* Print a heading, return a tick or a cross, and write the list "cpu, cuda:0 and ref" of all compared machines. */
void tour_heading(const tour *t, const char *text);
const char *tour_mark(const tour *t, bool same);
void tour_names(const tour *t, char *text, size_t size);

/* Counts a comparison with a known result. Returns `right`. */
bool tour_expect(tour *t, bool right);

/* Prints the line of a known answer: its description, its value, whether it is right and whether all machines agree.
 */
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
