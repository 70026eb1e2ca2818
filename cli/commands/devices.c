/* weft devices: lists the devices of this machine. */
#include "cli/cli.h"
#include "cli/io/json.h"
#include "cli/io/value.h"

#include <inttypes.h>
#include <stdlib.h>

/* Formats bytes as "132.5 GiB", in the largest unit that gives a number of at least 1. */
static value_string binary_units(uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    value_string s;
    double scaled = (double)bytes;
    size_t unit = 0;
    for (; scaled >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++) scaled /= 1024;
    snprintf(s.text, sizeof s.text, scaled == (double)(uint64_t)scaled ? "%.0f %s" : "%.1f %s", scaled, units[unit]);
    return s;
}

static void line(const char *label, const char *text) { printf("  %-22s %s\n", label, text); }

static void bytes_line(const char *label, uint64_t bytes) {
    if (bytes) line(label, binary_units(bytes).text);
}

static void number_line(const char *label, int32_t number) {
    if (number) printf("  %-22s %" PRId32 "\n", label, number);
}

static void cuda_version_line(const char *label, int32_t version) {
    if (version) printf("  %-22s %" PRId32 ".%" PRId32 "\n", label, version / 1000, version % 1000 / 10);
}

static void print_block(const weft_device_info *d) {
    const bool gpu = d->compute_major > 0;
    printf("%s  %s\n", d->id, d->name);
    if (*d->isa) line("instruction set", d->isa);
    if (gpu) printf("  %-22s %" PRId32 ".%" PRId32 "\n", "compute capability", d->compute_major, d->compute_minor);
    number_line(gpu ? "multiprocessors (SMs)" : "threads by default", d->cores);
    bytes_line("memory", d->memory_bytes);
    if (d->bandwidth_bytes)
        printf("  %-22s %.0f GB/s by its data sheet\n", "memory bandwidth", 1e-9 * (double)d->bandwidth_bytes);
    bytes_line("L1 cache, of a core", d->l1_bytes);
    bytes_line(gpu ? "L2 cache" : "L2 cache, of a core", d->l2_bytes);
    bytes_line("L3 cache", d->l3_bytes);
    number_line("max threads a block", d->max_threads_per_block);
    number_line("max threads an SM", d->max_threads_per_multiprocessor);
    number_line("max blocks an SM", d->max_blocks_per_multiprocessor);
    bytes_line("shared memory a block", d->shared_bytes_per_block);
    cuda_version_line("CUDA of the driver", d->driver_version);
    cuda_version_line("CUDA runtime", d->runtime_version);
    cuda_version_line("NVRTC", d->nvrtc_version);
    if (gpu && !d->nvrtc_version) line("NVRTC", "not found: formulas are interpreted");
}

static void print_json(const weft_device_info *d) {
    json_begin_object(NULL);
    json_text("id", d->id);
    json_text("name", d->name);
    json_text("isa", d->isa);
    json_integer("cores", d->cores);
    json_count("memory_bytes", d->memory_bytes);
    json_count("bandwidth_bytes", d->bandwidth_bytes);
    json_count("l1_bytes", d->l1_bytes);
    json_count("l2_bytes", d->l2_bytes);
    json_count("l3_bytes", d->l3_bytes);
    json_integer("compute_major", d->compute_major);
    json_integer("compute_minor", d->compute_minor);
    json_integer("max_threads_per_block", d->max_threads_per_block);
    json_integer("max_threads_per_multiprocessor", d->max_threads_per_multiprocessor);
    json_integer("max_blocks_per_multiprocessor", d->max_blocks_per_multiprocessor);
    json_count("shared_bytes_per_block", d->shared_bytes_per_block);
    json_integer("driver_version", d->driver_version);
    json_integer("runtime_version", d->runtime_version);
    json_integer("nvrtc_version", d->nvrtc_version);
    json_end();
}

/* Returns the reason why no GPU can be used, as reported by weft_open; "" if one can. */
static const char *no_gpu(void) {
    weft_context *ctx;
    if (weft_open(&ctx, "cuda") != WEFT_OK) return weft_last_error(NULL);
    weft_close(ctx);
    return "";
}

/* Describes all devices before anything is printed, so that a failure does not leave a partial list. */
static bool describe_all(const char *command, weft_device_info *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        all[i].size = sizeof all[i];
        if (weft_describe_device(i, &all[i]) == WEFT_OK) continue;
        cli_error(command, "device %zu: %s", i, weft_last_error(NULL));
        return false;
    }
    return true;
}

/* Prints all devices, including a GPU that cannot be used if the driver describes it. */
static void print_all(const weft_device_info *all, size_t count, const char *reason) {
    for (size_t i = 0; i < count; i++) {
        if (i) putchar('\n');
        print_block(&all[i]);
    }
    if (*reason) printf("\n%s: %s\n", count > 1 ? "The GPU cannot be used" : "No GPU", reason);
}

static void print_all_json(const weft_device_info *all, size_t count, const char *reason) {
    json_begin_object(NULL);
    json_begin_array("devices");
    for (size_t i = 0; i < count; i++) print_json(&all[i]);
    json_end();
    json_text("no_gpu", reason);
    json_end();
}

int command_devices(const cli_options *options, int argc, char **argv) {
    if (argc > 1) {
        cli_error(argv[0], "unexpected argument %s", argv[1]);
        return CLI_USAGE;
    }
    const size_t count = weft_device_count();
    weft_device_info *all = calloc(count, sizeof *all);
    if (!all) {
        cli_error(argv[0], "cannot allocate memory for the descriptions of %zu devices", count);
        return CLI_FAILED;
    }
    const bool described = describe_all(argv[0], all, count);
    if (described && options->json)
        print_all_json(all, count, no_gpu());
    else if (described)
        print_all(all, count, no_gpu());
    free(all);
    return described ? CLI_DONE : CLI_FAILED;
}
