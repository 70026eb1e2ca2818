#include "cli/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 200 };

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double measure_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    return count ? values[count / 2] : 0;
}

weft_status measure(weft_status (*call)(void *state), void *state, int least, double budget, double *median) {
    double seconds[MOST_RUNS] = {0};
    int runs = 0;
    weft_status status = call(state);
    const double begin = cli_seconds();
    while (status == WEFT_OK && runs < MOST_RUNS && (runs < least || cli_seconds() - begin < budget)) {
        const double start = cli_seconds();
        status = call(state);
        seconds[runs++] = cli_seconds() - start;
    }
    *median = measure_median(seconds, runs);
    return status;
}

/* Returns false if a GPU is listed but cannot be used. */
static bool is_usable(const char *id) {
    weft_context *ctx;
    if (strncmp(id, "cuda", 4) != 0) return true;
    const weft_status status = weft_open(&ctx, id);
    weft_close(ctx);
    return status != WEFT_NO_DEVICE;
}

void measure_warn(const char *command, const cli_options *options) {
    weft_context *ctx;
    if (options->device || weft_open(&ctx, "auto") != WEFT_OK) return;
    cli_warn_of_gpu(command, options);
    weft_close(ctx);
}

size_t measure_devices(const cli_options *options, char ids[MEASURE_DEVICES][32]) {
    if (options->device) {
        snprintf(ids[0], sizeof ids[0], "%s", options->device);
        return 1;
    }
    size_t found = 0;
    const size_t count = weft_device_count();
    weft_device_info info = {.size = sizeof info};
    for (size_t i = 0; i < count && found < MEASURE_DEVICES; i++)
        if (weft_describe_device(i, &info) == WEFT_OK && is_usable(info.id))
            memcpy(ids[found++], info.id, sizeof ids[0]);
    return found;
}

/* Finds the description of the context's device. The context's id may be longer than the device's ("cpu:v3"). */
static bool find_info(const char *id, weft_device_info *info) {
    const size_t count = weft_device_count();
    for (size_t i = 0; i < count; i++) {
        if (weft_describe_device(i, info) != WEFT_OK) continue;
        const size_t length = strlen(info->id);
        if (strncmp(info->id, id, length) == 0 && (!id[length] || id[length] == ':')) return true;
    }
    return false;
}

void measure_describe(const weft_context *ctx, int threads, char *text, size_t size) {
    weft_device_info info = {.size = sizeof info};
    const char *id = weft_device(ctx);
    if (!find_info(id, &info))
        snprintf(text, size, "the specification, one thread");
    else if (measure_is_gpu(ctx))
        snprintf(text, size, "%s, %d SMs, %s", info.name, (int)info.cores, info.isa);
    else {
        const int used = threads ? threads : (int)info.cores;
        const char *level = strchr(id, ':') ? strchr(id, ':') + 1 : info.isa;
        snprintf(text, size, "%s, %d %s%s%s", info.name, used, used == 1 ? "thread" : "threads", *level ? ", " : "",
                 level);
    }
}

bool measure_is_gpu(const weft_context *ctx) { return strncmp(weft_device(ctx), "cuda", 4) == 0; }

weft_status measure_upload(weft_context *ctx, size_t bytes, const void *src, void **p) {
    weft_status status = weft_alloc(ctx, WEFT_DEVICE, bytes, p);
    if (status == WEFT_OK) status = weft_copy(ctx, bytes, src, *p);
    if (status == WEFT_OK) status = weft_synchronize(ctx);
    return status;
}
