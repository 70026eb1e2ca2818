/* weft sobol --dimensions D --n N -o Y.npy. */
#include "cli/io/json.h"
#include "cli/io/sample_file.h"
#include "cli/operations.h"

#include <string.h>

typedef struct request {
    sample_options samples;
    long long dimensions; /* 0: not given */
    weft_scrambling scrambling;
} request;

static const char *const SCRAMBLINGS[] = {"none", "shift", "owen"};

static bool read_scrambling(const char *command, const char *text, weft_scrambling *scrambling) {
    for (int i = WEFT_UNSCRAMBLED; i <= WEFT_OWEN; i++)
        if (strcmp(text, SCRAMBLINGS[i]) == 0) {
            *scrambling = (weft_scrambling)i;
            return true;
        }
    cli_error(command, "--scramble %s: expected none, shift or owen", text);
    return false;
}

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case '?': return false;
    case 'D': return cli_number(command, "--dimensions", optarg, 1, WEFT_SOBOL_DIMENSIONS, &r->dimensions);
    case 'S': return read_scrambling(command, optarg, &r->scrambling);
    default: return sample_option(command, option, optarg, &r->samples);
    }
}

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(argv[0], option, r)) return false;
    if (optind < argc) {
        cli_error(argv[0], "unexpected argument %s: sobol does not read files", argv[optind]);
        return false;
    }
    if (r->samples.dtype == WEFT_DEFAULT) r->samples.dtype = WEFT_F32;
    if (r->samples.dtype != WEFT_F32 && r->samples.dtype != WEFT_F64) {
        cli_error(argv[0], "--dtype %s: expected f32 or f64", weft_dtype_name(r->samples.dtype));
        return false;
    }
    if (r->dimensions) return sample_options_suffice(options, argv[0], "points", &r->samples);
    cli_error(argv[0], "option --dimensions D is required: the number of coordinates of a point");
    return false;
}

static weft_status make(const void *self, weft_context *ctx, uint64_t first, size_t n, void *out) {
    const request *r = self;
    const sample_options *o = &r->samples;
    return weft_sobol(ctx, r->scrambling, o->dtype, o->seed, o->stream, (size_t)r->dimensions, first, n, out);
}

int command_sobol(const cli_options *options, int argc, char **argv) {
    request r = {.scrambling = WEFT_UNSCRAMBLED};
    char device[32];
    double seconds;
    if (!read_request(options, argc, argv, &r)) return CLI_USAGE;
    const sample_file file = {.options = &r.samples, .dimensions = (size_t)r.dimensions, .make = make, .self = &r};
    const int code = sample_file_write(options, argv[0], &file, device, &seconds);
    if (code != CLI_DONE || !options->json) return code;
    json_begin_command("sobol");
    json_integer("dimensions", r.dimensions);
    json_text("scramble", SCRAMBLINGS[r.scrambling]);
    sample_file_json(&r.samples, device, seconds);
    return CLI_DONE;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Generates Owen-scrambled points of 8 coordinates. In total, at most as many coordinates as x has elements. */
weft_status example_sobol(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    enum { DIMENSIONS = 8 };
    (void)o, (void)out;
    *type = in->dtype;
    return weft_sobol(ctx, WEFT_OWEN, in->dtype, 1, 0, DIMENSIONS, 0, in->n / DIMENSIONS, in->to);
}
