/* weft bench: measures the operations on this machine's devices, with all arrays in device memory. */
#include "cli/bench/measure.h"
#include "cli/bench/scaling.h"
#include "cli/io/json.h"
#include "cli/operations.h"
#include "cli/progress.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_RUNS = 5, MOST_OPERATIONS = 64, MOST_OUTPUTS = 3, SEGMENT = 100 };
static const double BUDGET_SECONDS = 0.3;
static const size_t CPU_DEFAULT = (size_t)1 << 26, GPU_DEFAULT = (size_t)1 << 28;
static const size_t MOST_ELEMENTS = sizeof(size_t) > 4 ? (size_t)(UINT64_C(1) << 40) : SIZE_MAX;

typedef struct plan {
    size_t n; /* 0: by device */
    const operation *operations[MOST_OPERATIONS];
    size_t count;
    const char *plot; /* file name, with --mpi */
} plan;

/* Arrays of one device, and the results measured on it. */
typedef struct bench {
    const char *id;
    weft_context *ctx;
    size_t n;
    void *x, *y, *halves, *to;              /* `to` is the output array */
    void *offsets, *keys, *keys_to, *count; /* for segments of SEGMENT elements */
    void *permutation;
    double copy_seconds;
    uint64_t data_sheet; /* bytes per second, 0 if unknown */
    double seconds[MOST_OPERATIONS];
} bench;

/* State of the function passed to measure(). */
typedef struct call {
    bench *bench;
    const operation *operation;
} call;

/* --------------------------------------------------------------------------------- plan */

static bool add_operation(plan *p, const char *name, size_t length) {
    const operation *found = operation_find(name, length);
    if (!found || p->count == MOST_OPERATIONS) {
        cli_error("bench", "--op %.*s: unknown operation; 'weft help' lists them", (int)length, name);
        return false;
    }
    p->operations[p->count++] = found;
    return true;
}

static bool add_operations(plan *p, const char *list) {
    for (const char *name = list;; name++) {
        const size_t length = strcspn(name, ",");
        if (!add_operation(p, name, length)) return false;
        name += length;
        if (!*name) return true;
    }
}

static bool read_plan(int argc, char **argv, plan *p) {
    long long n = 0;
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == 's' && cli_number(argv[0], "--size", optarg, 1, (long long)MOST_ELEMENTS, &n)) continue;
        if (option == 'p') p->plot = optarg;
        if (option == 'p') continue;
        if (option != 'o' || !add_operations(p, optarg)) return false;
    }
    p->n = (size_t)n;
    if (optind == argc) return true;
    cli_error(argv[0], "unexpected argument %s", argv[optind]);
    return false;
}

static void add_all(plan *p) {
    for (; p->count < OPERATION_COUNT && p->count < MOST_OPERATIONS; p->count++)
        p->operations[p->count] = &OPERATIONS[p->count];
}

/* ----------------------------------------------------------------------------- measuring */

static weft_dtype element_type(const operation *operation) { return operation->integers ? WEFT_I32 : WEFT_F32; }

static weft_status call_operation(void *state) {
    const call *c = state;
    const operands in = {.dtype = element_type(c->operation),
                         .n = c->bench->n,
                         .x = c->bench->x,
                         .y = c->bench->y,
                         .halves = c->bench->halves,
                         .permutation = c->bench->permutation,
                         .to = c->bench->to,
                         .segments = c->bench->n / SEGMENT,
                         .offsets = c->bench->offsets,
                         .key_type = WEFT_U32,
                         .keys = c->bench->keys,
                         .keys_to = c->bench->keys_to,
                         .count = c->bench->count};
    weft_dtype type;
    value out;
    return operation_run(c->operation, c->bench->ctx, &in, &out, &type);
}

static weft_status call_copy(void *state) {
    const call *c = state;
    const weft_status status = weft_copy(c->bench->ctx, c->bench->n * sizeof(float), c->bench->x, c->bench->y);
    return status == WEFT_OK ? weft_synchronize(c->bench->ctx) : status;
}

/* Returns values in [1, 2). No operation overflows early on them, and none takes a faster or slower path because of
 * its input. */
static float *make_values(size_t n) {
    float *x = n <= SIZE_MAX / sizeof *x ? malloc(n * sizeof *x) : NULL;
    uint32_t state = 1;
    for (size_t i = 0; x && i < n; i++) {
        state = state * 1664525 + 1013904223;
        x[i] = 1 + (float)(state >> 9) * 0x1p-23f;
    }
    return x;
}

/* Creates offsets and keys that divide the arrays into segments of equal length. */
static weft_status prepare_segments(bench *b) {
    const size_t bytes = b->n * sizeof(uint32_t), segments = b->n / SEGMENT;
    uint32_t *keys = malloc(bytes);
    uint64_t *offsets = malloc((segments + 1) * sizeof *offsets);
    weft_status status = keys && offsets ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    for (size_t i = 0; status == WEFT_OK && i < b->n; i++) keys[i] = (uint32_t)(i / SEGMENT);
    for (size_t s = 0; status == WEFT_OK && s <= segments; s++) offsets[s] = s * SEGMENT;
    if (status == WEFT_OK) status = measure_upload(b->ctx, bytes, keys, &b->keys);
    if (status == WEFT_OK) status = measure_upload(b->ctx, bytes, keys, &b->keys_to);
    if (status == WEFT_OK) status = measure_upload(b->ctx, (segments + 1) * sizeof *offsets, offsets, &b->offsets);
    if (status == WEFT_OK) status = measure_upload(b->ctx, sizeof *offsets, offsets, &b->count);
    free(keys);
    free(offsets);
    return status;
}

/* Fills x with two sorted halves that have different values. */
static void make_halves(size_t n, float *x) {
    const size_t half = n / 2;
    for (size_t i = 0; i < n; i++) {
        const size_t rank = i < half ? 2 * i : 2 * (i - half) + 1;
        x[i] = 1 + (float)((double)rank / (double)(n + 1));
    }
}

static uint64_t common_divisor(uint64_t a, uint64_t b) { return b == 0 ? a : common_divisor(b, a % b); }

/* Creates the multiples of a number without common divisor, modulo the number of elements. */
static weft_status prepare_permutation(bench *b) {
    const uint64_t n = b->n < UINT32_MAX ? b->n : UINT32_MAX;
    uint64_t step = (uint64_t)(0.618 * (double)n) + 1;
    uint32_t *permutation = malloc(n * sizeof *permutation);
    if (!permutation) return WEFT_OUT_OF_MEMORY;
    while (common_divisor(step, n) != 1) step++;
    for (uint64_t i = 0; i < n; i++) permutation[i] = (uint32_t)(i * step % n);
    const weft_status status = measure_upload(b->ctx, n * sizeof *permutation, permutation, &b->permutation);
    free(permutation);
    return status;
}

static weft_status prepare(bench *b, float *values) {
    const size_t bytes = b->n * sizeof(float), to_bytes = MOST_OUTPUTS * bytes + OPERATION_BINS * sizeof(uint64_t);
    weft_status status = measure_upload(b->ctx, bytes, values, &b->x);
    if (status == WEFT_OK) status = measure_upload(b->ctx, bytes, values, &b->y);
    if (status == WEFT_OK) status = weft_alloc(b->ctx, WEFT_DEVICE, to_bytes, &b->to);
    if (status == WEFT_OK) status = prepare_segments(b);
    if (status == WEFT_OK) status = prepare_permutation(b);
    make_halves(b->n, values);
    return status == WEFT_OK ? measure_upload(b->ctx, bytes, values, &b->halves) : status;
}

static weft_status measure_all(bench *b, const plan *p) {
    weft_status status = measure(call_copy, &(call){b, NULL}, LEAST_RUNS, BUDGET_SECONDS, &b->copy_seconds);
    for (size_t i = 0; i < p->count && status == WEFT_OK; i++) {
        progress_at((double)i, (double)p->count);
        status = measure(call_operation, &(call){b, p->operations[i]}, LEAST_RUNS, BUDGET_SECONDS, &b->seconds[i]);
    }
    return status;
}

/* ------------------------------------------------------------------------------ printing */

static double copy_speed(const bench *b) { return 2.0 * (double)b->n * sizeof(float) / b->copy_seconds; }

static void print_table(const bench *b, const plan *p, int threads) {
    char text[256];
    measure_describe(b->ctx, threads, text, sizeof text);
    printf("%s  %s\n%zu elements; a plain copy runs at %.1f GB/s, reads and writes counted", b->id, text, b->n,
           1e-9 * copy_speed(b));
    if (b->data_sheet) printf("; data sheet %.0f GB/s", 1e-9 * (double)b->data_sheet);
    printf("\n\n  %-16s %4s %10s %9s %9s\n", "operation", "type", "ms", "GB/s", "of copy");
    for (size_t i = 0; i < p->count; i++) {
        const double speed = operation_bytes(p->operations[i], b->n, sizeof(float)) / b->seconds[i];
        printf("  %-16s %4s %10.3f %9.1f %7.0f %%\n", p->operations[i]->name,
               weft_dtype_name(element_type(p->operations[i])), 1e3 * b->seconds[i], 1e-9 * speed,
               100 * speed / copy_speed(b));
    }
}

static void print_json(const bench *b, const plan *p) {
    json_begin_object(NULL);
    json_text("device", b->id);
    json_count("n", b->n);
    json_fixed("copy_gbs", 3, 1e-9 * copy_speed(b));
    json_fixed("data_sheet_gbs", 3, 1e-9 * (double)b->data_sheet);
    json_begin_array("rows");
    for (size_t i = 0; i < p->count; i++) {
        const double speed = operation_bytes(p->operations[i], b->n, sizeof(float)) / b->seconds[i];
        json_begin_object(NULL);
        json_text("op", p->operations[i]->name);
        json_text("dtype", weft_dtype_name(element_type(p->operations[i])));
        json_fixed("seconds", 9, b->seconds[i]);
        json_fixed("gbs", 3, 1e-9 * speed);
        json_fixed("of_copy", 4, speed / copy_speed(b));
        json_end();
    }
    json_end();
    json_end();
}

/* ------------------------------------------------------------------------------- a device */

static uint64_t data_sheet_of(const char *id) {
    weft_device_info info = {.size = sizeof info};
    for (size_t i = 0; i < weft_device_count(); i++)
        if (weft_describe_device(i, &info) == WEFT_OK && strcmp(info.id, id) == 0) return info.bandwidth_bytes;
    return 0;
}

static weft_status run_on(bench *b, const cli_options *options, const plan *p) {
    float *values = make_values(b->n);
    weft_status status = values ? prepare(b, values) : WEFT_OUT_OF_MEMORY;
    free(values);
    if (status == WEFT_OK) {
        progress_start(options, b->id);
        status = measure_all(b, p);
        progress_end();
    }
    if (!values)
        cli_error("bench", "%s: cannot allocate memory for %zu elements", b->id, b->n);
    else if (status != WEFT_OK)
        cli_error("bench", "%s: %s", b->id, weft_last_error(b->ctx));
    weft_free(b->ctx, WEFT_DEVICE, b->x);
    weft_free(b->ctx, WEFT_DEVICE, b->y);
    weft_free(b->ctx, WEFT_DEVICE, b->halves);
    weft_free(b->ctx, WEFT_DEVICE, b->to);
    weft_free(b->ctx, WEFT_DEVICE, b->permutation);
    weft_free(b->ctx, WEFT_DEVICE, b->offsets);
    weft_free(b->ctx, WEFT_DEVICE, b->keys);
    weft_free(b->ctx, WEFT_DEVICE, b->keys_to);
    weft_free(b->ctx, WEFT_DEVICE, b->count);
    return status;
}

static int bench_device(const cli_options *options, const char *id, const plan *p, bool first) {
    cli_options on_device = *options;
    bench b = {0};
    on_device.device = id;
    const int code = cli_open("bench", &on_device, &b.ctx);
    if (code != CLI_DONE) return code;
    b.id = weft_device(b.ctx);
    b.n = p->n ? p->n : measure_is_gpu(b.ctx) ? GPU_DEFAULT : CPU_DEFAULT;
    b.data_sheet = data_sheet_of(b.id);
    const weft_status status = run_on(&b, options, p);
    if (status == WEFT_OK && !first && !options->json) putchar('\n');
    if (status == WEFT_OK && options->json)
        print_json(&b, p);
    else if (status == WEFT_OK)
        print_table(&b, p, options->threads);
    weft_close(b.ctx);
    return status == WEFT_OK ? CLI_DONE : CLI_FAILED;
}

static void begin_json(void) {
    json_begin_command("bench");
    json_integer("order", weft_order_version());
    json_begin_array("devices");
}

static void end_json(void) {
    json_end();
    json_end();
}

int command_bench(const cli_options *options, int argc, char **argv) {
    char ids[MEASURE_DEVICES][32];
    plan p = {0};
    if (!read_plan(argc, argv, &p)) return CLI_USAGE;
    if (options->mpi) return scaling_bench(options, p.n, p.operations, p.count, p.plot);
    if (p.plot) cli_error("bench", "--plot requires --mpi: it draws the scaling over ranks");
    if (p.plot) return CLI_USAGE;
    if (p.count == 0) add_all(&p);
    const size_t count = measure_devices(options, ids);
    measure_warn("bench", options);
    if (options->json) begin_json();
    int code = CLI_DONE;
    for (size_t i = 0; i < count && code == CLI_DONE; i++) code = bench_device(options, ids[i], &p, i == 0);
    if (options->json) end_json(); /* also after a failure, so that the results so far are valid JSON */
    return code;
}
