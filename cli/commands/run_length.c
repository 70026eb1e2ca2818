/* weft unique X.npy -o Y.npy, and weft run_length X.npy --values V.npy --lengths L.npy. */
#include "cli/io/json.h"
#include "cli/io/kept.h"
#include "cli/operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Output files: the values of the runs, and their lengths unless that is NULL. */
typedef struct outputs {
    const char *values, *lengths;
} outputs;

static void print_json(const kept *k, const outputs *to) {
    kept_json_begin(k);
    json_text(to->lengths ? "values" : "output", to->values);
    if (to->lengths) json_text("lengths", to->lengths);
    kept_json_end(k);
}

static int compute_and_write(kept *k, const outputs *to) {
    const npy_array *x = &k->x;
    void *values = kept_allocate(k, x->n, weft_dtype_size(x->dtype));
    uint64_t *lengths = values && to->lengths ? kept_allocate(k, x->n, sizeof *lengths) : NULL;
    int code = values && (lengths || !to->lengths) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        const double start = cli_seconds();
        code = kept_status(k, lengths ? weft_run_length(k->ctx, x->dtype, x->n, x->data, values, lengths, &k->count)
                                      : weft_unique(k->ctx, x->dtype, x->n, x->data, values, &k->count));
        k->seconds = cli_seconds() - start;
    }
    if (code == CLI_DONE && (!kept_write(k, to->values, x->dtype, (size_t)k->count, values) ||
                             (lengths && !kept_write(k, to->lengths, WEFT_U64, (size_t)k->count, lengths))))
        code = CLI_FAILED;
    if (code == CLI_DONE && k->options->json) print_json(k, to);
    free(values);
    free(lengths);
    return code;
}

static int run(const cli_options *options, int argc, char **argv, const outputs *to) {
    kept k;
    const char *from = kept_operand(argc, argv);
    if (!from) return CLI_USAGE;
    int code = kept_open(&k, argv[0], options, from);
    if (code == CLI_DONE) code = compute_and_write(&k, to);
    kept_close(&k);
    return code;
}

int command_unique(const cli_options *options, int argc, char **argv) {
    outputs to = {0};
    for (int option; (option = cli_next_option(argc, argv)) != -1; to.values = optarg)
        if (option == '?') return CLI_USAGE;
    if (!to.values) {
        kept_output_missing(argv[0], "-o Y.npy");
        return CLI_USAGE;
    }
    if (!kept_check_output(options, argv[0], "-o", to.values)) return CLI_USAGE;
    return run(options, argc, argv, &to);
}

int command_run_length(const cli_options *options, int argc, char **argv) {
    outputs to = {0};
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == '?') return CLI_USAGE;
        *(option == 'v' ? &to.values : &to.lengths) = optarg;
    }
    if (!to.values || !to.lengths) {
        kept_output_missing(argv[0], to.values ? "--lengths L.npy" : "--values V.npy");
        return CLI_USAGE;
    }
    if (!kept_check_output(options, argv[0], "--values", to.values) ||
        !kept_check_output(options, argv[0], "--lengths", to.lengths))
        return CLI_USAGE;
    if (strcmp(to.values, to.lengths) == 0) {
        cli_error(argv[0], "%s: --values and --lengths must name different files", to.values);
        return CLI_USAGE;
    }
    return run(options, argc, argv, &to);
}

/* ------------------------------------------------------------------------- for tour and bench */

weft_status example_unique(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    (void)o;
    *type = WEFT_U64;
    return weft_unique(ctx, in->dtype, in->n, in->x, in->to, &out->u64);
}

/* Stores the lengths before the values, for alignment. */
weft_status example_run_length(const operation *o, weft_context *ctx, const operands *in, value *out,
                               weft_dtype *type) {
    uint64_t *lengths = in->to;
    (void)o;
    *type = WEFT_U64;
    return weft_run_length(ctx, in->dtype, in->n, in->x, lengths + in->n, lengths, &out->u64);
}
