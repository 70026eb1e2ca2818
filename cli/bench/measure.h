/* Timing, and the list of devices for bench and tour. */
#ifndef WEFT_CLI_MEASURE_H
#define WEFT_CLI_MEASURE_H

#include "cli/cli.h"

/* Runs call(state) once without timing it, then at least `least` times and until `budget` seconds have passed.
 * *median is the median of the times in seconds. Stops at the first failure and returns its status. */
weft_status measure(weft_status (*call)(void *state), void *state, int least, double budget, double *median);

/* Returns the median of `count` numbers, which are sorted; 0 if there are none. */
double measure_median(double *values, int count);

enum { MEASURE_DEVICES = 65 };

/* Lists the devices to measure: the one of the options, otherwise every device of this machine that can be described
 * and used, at most MEASURE_DEVICES. Returns their number. */
size_t measure_devices(const cli_options *options, char ids[MEASURE_DEVICES][32]);

/* Calls cli_warn_of_gpu if --device was not given, for a command that uses measure_devices. */
void measure_warn(const char *command, const cli_options *options);

/* Writes a one-line description of an open context: "Intel(R) Xeon(R) ..., 2 threads, x86-64-v4". */
void measure_describe(const weft_context *ctx, int threads, char *text, size_t size);

/* Returns true if the context's memory is not host memory. */
bool measure_is_gpu(const weft_context *ctx);

/* Allocates `bytes` bytes of device memory and copies them there from src. */
weft_status measure_upload(weft_context *ctx, size_t bytes, const void *src, void **p);

#endif
