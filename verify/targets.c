#include "verify/targets.h"

#include <string.h>

static const int THREADS[] = {1, 2, 7};
static const char *const LEVELS[] = {"cpu:base", "cpu:v2", "cpu:v3", "cpu:v4", "cpu:amx"};

static bool fail(char problem[512], const char *what, const weft_context *ctx) {
    snprintf(problem, 512, "%s: %s", what, weft_last_error(ctx));
    return false;
}

/* ---------------------------------------------------------------------------------- opening */

static bool add_target(targets *t, const match_options *options, const char *device, target model,
                       char problem[512]) {
    if (t->count == MOST_TARGETS) {
        snprintf(problem, 512, "more than %d devices and thread counts", MOST_TARGETS);
        return false;
    }
    if (weft_open(&model.ctx, device) != WEFT_OK) return fail(problem, device, NULL);
    t->list[t->count++] = model;
    if (model.threads && weft_set_threads(model.ctx, model.threads) != WEFT_OK)
        return fail(problem, device, model.ctx);
    if (options->prepare && options->prepare(options->self, model.ctx) != WEFT_OK)
        return fail(problem, device, model.ctx);
    return true;
}

static int add_column(match_report *report, const char *device, const char *suffix) {
    snprintf(report->columns[report->column_count], sizeof *report->columns, "%s%s", device, suffix);
    return (int)report->column_count++;
}

/* Adds a device that works in host memory, once for each number of threads. */
static bool add_cpu(targets *t, const match_options *options, const char *device, match_report *report,
                    char problem[512]) {
    target model = {.column = add_column(report, device, "")};
    if (options->threads) {
        model.threads = options->threads;
        return add_target(t, options, device, model, problem);
    }
    for (size_t i = 0; i < sizeof THREADS / sizeof *THREADS; i++, model.turn++) {
        model.threads = THREADS[i];
        if (!add_target(t, options, device, model, problem)) return false;
    }
    return true;
}

static bool add_gpu(targets *t, const match_options *options, const char *device, match_report *report,
                    char problem[512]) {
    if (report->column_count + 2 > MATCH_COLUMNS) return true;
    const target host = {.column = add_column(report, device, " host")};
    const target own = {.column = add_column(report, device, " device"), .own_memory = true};
    return add_target(t, options, device, host, problem) && add_target(t, options, device, own, problem);
}

static bool opens(const char *device) {
    weft_context *ctx;
    const bool opened = weft_open(&ctx, device) == WEFT_OK;
    weft_close(ctx);
    return opened;
}

/* Adds every instruction set that this processor supports. */
static bool add_levels(targets *t, const match_options *options, match_report *report, char problem[512]) {
    const size_t before = t->count;
    for (size_t i = 0; i < sizeof LEVELS / sizeof *LEVELS; i++)
        if (opens(LEVELS[i]) && !add_cpu(t, options, LEVELS[i], report, problem)) return false;
    return t->count > before || add_cpu(t, options, "cpu", report, problem);
}

static bool add_gpus(targets *t, const match_options *options, match_report *report, char problem[512]) {
    weft_device_info info = {.size = sizeof info};
    for (size_t i = 0; i < weft_device_count(); i++) {
        if (weft_describe_device(i, &info) != WEFT_OK) return fail(problem, "a device", NULL);
        if (strncmp(info.id, "cuda", 4) == 0 && !add_gpu(t, options, info.id, report, problem)) return false;
    }
    return true;
}

bool targets_open(targets *t, const match_options *options, match_report *report, char problem[512]) {
    const char *device = options->device;
    t->count = 0;
    if (!device || strcmp(device, "auto") == 0)
        return add_levels(t, options, report, problem) && add_gpus(t, options, report, problem);
    if (strcmp(device, "cpu") == 0) return add_levels(t, options, report, problem);
    if (strncmp(device, "cuda", 4) == 0) return add_gpu(t, options, device, report, problem);
    return add_cpu(t, options, device, report, problem);
}

void targets_close(targets *t) {
    for (size_t i = 0; i < t->count; i++) {
        target *one = &t->list[i];
        for (int k = 0; k < MATCH_INPUTS; k++) weft_free(one->ctx, WEFT_DEVICE, one->inputs[k]);
        weft_free(one->ctx, WEFT_DEVICE, one->out);
        weft_close(one->ctx);
    }
    t->count = 0;
}

/* ---------------------------------------------------------------------------------- calling */

enum { MAX_OFFSET = 64 }; /* bytes */

/* Returns the address of an input in device memory, at the case's offset from a 64-byte boundary. */
static void *device_input(const target *t, int i, const match_case *c) {
    static const size_t skipped[OFFSETS] = {0, 1, 3, 2};
    return (char *)t->inputs[i] + skipped[c->offset] * weft_dtype_size(c->dtype);
}

static weft_status grow(target *t, size_t bytes) {
    weft_status status = WEFT_OK;
    if (bytes <= t->capacity) return status;
    for (int i = 0; i < MATCH_INPUTS && status == WEFT_OK; i++) {
        weft_free(t->ctx, WEFT_DEVICE, t->inputs[i]);
        status = weft_alloc(t->ctx, WEFT_DEVICE, 2 * bytes + MAX_OFFSET, &t->inputs[i]);
    }
    t->capacity = status == WEFT_OK ? 2 * bytes : 0;
    return status;
}

weft_status target_load(target *t, const match_case *c, const void *const *inputs) {
    if (!t->own_memory) return WEFT_OK;
    const size_t bytes = c->n * weft_dtype_size(c->dtype);
    weft_status status = grow(t, bytes ? bytes : 1);
    for (int i = 0; i < MATCH_INPUTS && status == WEFT_OK; i++)
        status = weft_copy(t->ctx, bytes, inputs[i], device_input(t, i, c));
    return status;
}

static weft_status grow_output(target *t, size_t bytes) {
    if (bytes <= t->out_capacity) return WEFT_OK;
    weft_free(t->ctx, WEFT_DEVICE, t->out);
    const weft_status status = weft_alloc(t->ctx, WEFT_DEVICE, 2 * bytes, &t->out);
    t->out_capacity = status == WEFT_OK ? 2 * bytes : 0;
    return status;
}

weft_status target_call(target *t, const match_case *c, const void *const *inputs, memory_out *out) {
    const match_shape *shape = c->operation->shape;
    void *const answer = memory_poison(out, c);
    if (!answer) return WEFT_OUT_OF_MEMORY;
    if (!t->own_memory) return shape->call(c, t->ctx, inputs, answer);
    const void *moved[MATCH_INPUTS];
    for (int i = 0; i < MATCH_INPUTS; i++) moved[i] = device_input(t, i, c);
    weft_status status = grow_output(t, out->count);
    if (status != WEFT_OK) return status;
    status = weft_copy(t->ctx, out->count, out->bytes, t->out);
    if (status == WEFT_OK) status = shape->call(c, t->ctx, moved, (char *)t->out + out->at);
    const weft_status copied = weft_copy(t->ctx, out->count, t->out, out->bytes);
    return status == WEFT_OK ? copied : status;
}
