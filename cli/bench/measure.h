/* Timing, and the devices that bench and tour go through. */
#ifndef WEFT_CLI_MEASURE_H
#define WEFT_CLI_MEASURE_H

#include "cli/cli.h"

/* Runs call(state) once unmeasured, then at least `least` times and until `budget` seconds have passed;
 * *median is that of the seconds each took. Stops at the first failure and returns its status. */
weft_status measure(weft_status (*call)(void *state), void *state, int least, double budget, double *median);

enum { MEASURE_DEVICES = 65 };

/* The devices to go through: the one of the options, else every device of this machine that can be
 * described and used, at most MEASURE_DEVICES. Returns their number. */
size_t measure_devices(const cli_options *options, char ids[MEASURE_DEVICES][32]);

/* Without --device: cli_warn_of_gpu, for a command that goes through measure_devices. */
void measure_warn(const char *command, const cli_options *options);

/* Describes an open context in a line: "Intel(R) Xeon(R) ..., 2 threads, x86-64-v4". */
void measure_describe(const weft_context *ctx, int threads, char *text, size_t size);

/* A context that computes where its memory is not the host's. */
bool measure_is_gpu(const weft_context *ctx);

/* Allocates `bytes` in the device's memory and copies them there from src. */
weft_status measure_upload(weft_context *ctx, size_t bytes, const void *src, void **p);

#endif
