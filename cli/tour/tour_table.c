/* Tables of the tour: every operation on an array of measurements, and on a large array made from it. */
#include "cli/io/plain.h"
#include "cli/tour/tour.h"

#include <stdio.h>
#include <string.h>

/* Returns the type of the elements. and, or and xor are for integers and use the bits of floats. */
static weft_dtype type_for(const operation *operation, weft_dtype dtype) {
    if (!operation->integers) return dtype;
    return dtype == WEFT_F32 ? WEFT_U32 : dtype == WEFT_F64 ? WEFT_U64 : dtype;
}

static void print_compared(const tour *t) {
    char names[1024];
    tour_names(t, names, sizeof names);
    printf("  Same bits: %s, every bit of every row.\n\n", names);
}

/* -------------------------------------------------------------------------------- the file */

bool tour_every_operation(tour *t, const char *path, const npy_array *file) {
    char heading[4300];
    const char *slash = strrchr(path, '/');
    snprintf(heading, sizeof heading, "3  Every operation on %s: %zu elements of %s", slash ? slash + 1 : path,
             file->n, weft_dtype_name(file->dtype));
    tour_heading(t, heading);
    puts("\n  and, or, xor of floats take their bits; dot is of the array with itself.");
    print_compared(t);
    printf("  %-14s %-4s %24s  %-18s  %s\n", "operation", "type", "value", "bits", "same bits");
    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        const operation *operation = &OPERATIONS[i];
        if (!operation->is_value) continue;
        const operands in = {
            .dtype = type_for(operation, file->dtype), .n = file->n, .x = file->data, .y = file->data};
        tour_result result;
        if (!tour_run(t, operation, &in, false, &result)) return false;
        printf("  %-14s %-4s %24s  %-18s  %s\n", operation->name, weft_dtype_name(result.type),
               value_decimal(result.type, &result.value).text, value_bits(result.type, &result.value).text,
               tour_mark(t, result.same));
    }
    return true;
}

/* -------------------------------------------------------------------------- the large array */

static float element_as_float(const npy_array *a, size_t i) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (a->dtype == WEFT_##ID) return (float)((const ctype *)a->data)[i];
#include "core/types.def"
    return 0;
}

/* Fills x with repetitions of the file's values, and y with these in reverse order. */
static void fill_from_file(const npy_array *file, size_t n, float *x, float *y) {
    for (size_t i = 0; i < n; i++) x[i] = i < file->n ? element_as_float(file, i) : x[i - file->n];
    for (size_t i = 0; i < n; i++) y[i] = x[n - 1 - i];
}

/* Prints the head: 53 columns, 20 for each device, 5: at most 98. */
static void print_table_head(const tour *t, const int *columns, int count) {
    printf("%-13s %13s %-18s %6s", "", "", "", "C loop");
    for (int c = 0; c < count; c++) printf(" | %-17s", t->machines[columns[c]].label);
    printf("\n%-13s %13s %-18s %6s", "operation", "value", "bits", "ms");
    for (int c = 0; c < count; c++) printf(" |%7s %5s%5s", "ms", "GB/s", "x");
    printf(" same\n");
}

static void print_table_row(const tour *t, const operation *operation, const tour_result *result, double plain,
                            const int *columns, int count) {
    const double bytes = operation_bytes(operation, t->n, sizeof(float));
    printf("%-13s %13s %-18s %6.1f", operation->name, value_decimal(result->type, &result->value).text,
           value_bits(result->type, &result->value).text, 1e3 * plain);
    for (int c = 0; c < count; c++) {
        const double seconds = result->seconds[columns[c]], times = plain / seconds;
        printf(" |%7.*f %5.0f%5.*f", seconds < 0.1 ? 3 : 1, 1e3 * seconds, 1e-9 * bytes / seconds,
               times < 9.95 ? 1 : 0, times);
    }
    printf(" %s\n", tour_mark(t, result->same));
}

/* Prevents the compiler from removing a loop whose result is not used. */
static volatile double plain_result;

static bool measure_row(tour *t, const operation *operation, const float *x, const float *y, tour_result *result,
                        double *plain) {
    const operands in = {.dtype = type_for(operation, WEFT_F32), .n = t->n, .x = x, .y = y};
    const double start = cli_seconds();
    plain_result = plain_loop(operation, t->n, x, y);
    *plain = cli_seconds() - start;
    return tour_run(t, operation, &in, true, result);
}

bool tour_large_array(tour *t, const npy_array *file, float *x, float *y) {
    char heading[160];
    int columns[2];
    const int count = tour_columns(t, columns);
    snprintf(heading, sizeof heading,
             "4  Every operation on a large array: the same values again and again, %zu of f32", t->n);
    tour_heading(t, heading);
    puts("\n  C loop: one thread, cc -O2; any and all stop early there. x: times as fast as that loop. GB/s of\n"
         "  input; variance reads it twice. A GPU's arrays are in its memory.");
    print_compared(t);
    fill_from_file(file, t->n, x, y);
    bool done = tour_upload(t, WEFT_F32, t->n, x, y);
    if (done) print_table_head(t, columns, count);
    for (size_t i = 0; i < OPERATION_COUNT && done; i++) {
        tour_result result;
        double plain;
        if (!OPERATIONS[i].is_value) continue;
        done = measure_row(t, &OPERATIONS[i], x, y, &result, &plain);
        if (done) print_table_row(t, &OPERATIONS[i], &result, plain, columns, count);
        fflush(stdout);
    }
    tour_release(t);
    return done;
}
