/* weft select X.npy (--flags F.npy | --lt V ...) [--indices] -o Y.npy, and weft partition. */
#include "cli/io/json.h"
#include "cli/io/kept.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values of the options. */
typedef struct request {
    bool partition, indices;
    const char *from, *flags, *to;
    int conditions; /* number of conditions given; exactly one is required */
    weft_comparison comparison;
    const char *value; /* text; NULL: select by flags */
} request;

/* -------------------------------------------------------------------------------- options */

static bool read_option(int option, request *r) {
    switch (option) {
    case 'o': r->to = optarg; return true;
    case 'i': r->indices = true; return true;
    case 'f':
        r->flags = optarg;
        r->conditions++;
        return true;
    case '?': return false;
    default:
        r->comparison = (weft_comparison)option;
        r->value = optarg;
        r->conditions++;
        return true;
    }
}

static bool read_request(const cli_options *options, int argc, char **argv, request *r) {
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(option, r)) return false;
    r->from = kept_operand(argc, argv);
    if (!r->from) return false;
    if (!r->to) {
        kept_output_missing(argv[0], "-o Y.npy");
        return false;
    }
    if (!kept_check_output(options, argv[0], "-o", r->to)) return false;
    if (r->conditions != 1)
        cli_error(argv[0], "%d conditions given, 1 expected: --flags F.npy, --lt, --le, --eq, --ne, --ge or --gt V",
                  r->conditions);
    else if (r->flags && strcmp(r->flags, "-") == 0 && strcmp(r->from, "-") == 0)
        cli_error(argv[0], "-: only one of the two arrays can be read from standard input");
    else
        return true;
    return false;
}

/* -------------------------------------------------------------------------------- running */

/* Reads the value, which has the elements' type. */
static int read_value(const kept *k, const request *r, value *v) {
    char range[80];
    if (value_parse(k->x.dtype, r->value, v)) return CLI_DONE;
    value_range(k->x.dtype, range, sizeof range);
    cli_error(k->command, "--%s %s: expected a value of type %s (%s), the type of the elements",
              weft_comparison_name(r->comparison), r->value, weft_dtype_name(k->x.dtype), range);
    return CLI_USAGE;
}

static int read_flags(const kept *k, const request *r, npy_array *flags) {
    npy_error error;
    if (!npy_read(r->flags, flags, &error))
        cli_error(k->command, "%s: %s", r->flags, error.message);
    else if (flags->dtype != WEFT_U8)
        cli_error(k->command, "%s has elements of type %s: flags must have type bool or u8", r->flags,
                  weft_dtype_name(flags->dtype));
    else if (flags->n != k->x.n)
        cli_error(k->command, "%s has %zu flags and %s has %zu elements: both must have the same length", r->flags,
                  flags->n, r->from, k->x.n);
    else
        return CLI_DONE;
    return CLI_FAILED;
}

static weft_status call(kept *k, const request *r, const uint8_t *flags, const value *v, void *y) {
    const npy_array *x = &k->x;
    weft_context *ctx = k->ctx;
    uint64_t *count = &k->count;
    if (r->flags) {
        if (r->partition) return weft_partition(ctx, x->dtype, x->n, x->data, flags, y, count);
        if (r->indices) return weft_select_indices(ctx, x->n, flags, y, count);
        return weft_select(ctx, x->dtype, x->n, x->data, flags, y, count);
    }
    if (r->partition) return weft_partition_if(ctx, r->comparison, x->dtype, x->n, x->data, v, y, count);
    if (r->indices) return weft_select_indices_if(ctx, r->comparison, x->dtype, x->n, x->data, v, y, count);
    return weft_select_if(ctx, r->comparison, x->dtype, x->n, x->data, v, y, count);
}

static void print_json(const kept *k, const request *r) {
    kept_json_begin(k);
    json_text("output", r->to);
    json_text(r->flags ? "flags" : weft_comparison_name(r->comparison), r->flags ? r->flags : r->value);
    if (!r->partition) json_bool("indices", r->indices);
    kept_json_end(k);
}

static int compute_and_write(kept *k, const request *r, const uint8_t *flags, const value *v) {
    const weft_dtype type = r->indices ? WEFT_U64 : k->x.dtype;
    void *y = kept_allocate(k, k->x.n, weft_dtype_size(type));
    if (!y) return CLI_FAILED;
    const double start = cli_seconds();
    int code = kept_status(k, call(k, r, flags, v, y));
    k->seconds = cli_seconds() - start;
    if (code == CLI_DONE && !kept_write(k, r->to, type, r->partition ? k->x.n : (size_t)k->count, y))
        code = CLI_FAILED;
    free(y);
    if (code != CLI_DONE) return code;
    if (k->options->json)
        print_json(k, r);
    else if (r->partition && strcmp(r->to, "-") != 0)
        printf("%" PRIu64 "\n", k->count);
    return CLI_DONE;
}

static int run(const cli_options *options, int argc, char **argv, request *r) {
    kept k;
    npy_array flags = {0};
    value v;
    if (!read_request(options, argc, argv, r)) return CLI_USAGE;
    int code = kept_open(&k, argv[0], options, r->from);
    if (code == CLI_DONE) code = r->flags ? read_flags(&k, r, &flags) : read_value(&k, r, &v);
    if (code == CLI_DONE) code = compute_and_write(&k, r, flags.data, &v);
    npy_free(&flags);
    kept_close(&k);
    return code;
}

int command_select(const cli_options *options, int argc, char **argv) {
    return run(options, argc, argv, &(request){0});
}

int command_partition(const cli_options *options, int argc, char **argv) {
    return run(options, argc, argv, &(request){.partition = true});
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Keeps the elements that are at least 1.5: half of the elements in [1, 2). */
weft_status example_select(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    const float middle = 1.5F;
    (void)o;
    *type = WEFT_U64;
    return weft_select_if(ctx, WEFT_GE, WEFT_F32, in->n, in->x, &middle, in->to, &out->u64);
}

weft_status example_partition(const operation *o, weft_context *ctx, const operands *in, value *out,
                              weft_dtype *type) {
    const float middle = 1.5F;
    (void)o;
    *type = WEFT_U64;
    return weft_partition_if(ctx, WEFT_GE, WEFT_F32, in->n, in->x, &middle, in->to, &out->u64);
}
