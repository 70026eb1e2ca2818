/* weft top_k X.npy [-k K] [--axis A] [-o VALUES.npy] */
#include "cli/commands/top_k_axis.h"
#include "cli/io/file.h"
#include "cli/io/json.h"
#include "cli/io/produce.h"
#include "cli/io/value.h"
#include "cli/operations.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints a value, a tab and its index on each line. */
static void print_results(const production *p, size_t k, const char *values, const uint64_t *indices) {
    const weft_dtype dtype = p->in[0].dtype;
    const size_t size = weft_dtype_size(dtype);
    for (size_t i = 0; i < k; i++) {
        value v = {0};
        memcpy(&v, values + i * size, size);
        printf("%s%s%s\t%" PRIu64 "\n", value_decimal(dtype, &v).text, p->options->bits ? " " : "",
               p->options->bits ? value_bits(dtype, &v).text : "", indices[i]);
    }
}

static int write_results(const production *p, const top_k_request *r, const void *values, const uint64_t *indices) {
    const npy_shape shape = {1, {(size_t)r->k}};
    if (!r->to && !p->options->json) print_results(p, (size_t)r->k, values, indices);
    const int code = r->to ? produce_write(p, r->to, p->in[0].dtype, &shape, values) : CLI_DONE;
    return code == CLI_DONE && r->indices_to ? produce_write(p, r->indices_to, WEFT_U64, &shape, indices) : code;
}

static void print_json(const production *p, const top_k_request *r, const void *values, const uint64_t *indices) {
    produce_json_begin(p, r->to);
    if (r->indices_to) json_text("indices", r->indices_to);
    json_integer("k", r->k);
    json_text("extreme", r->extreme == WEFT_LARGEST ? "largest" : "smallest");
    if (!r->to) {
        json_values("values", p->in[0].dtype, (size_t)r->k, values);
        json_values("positions", WEFT_U64, (size_t)r->k, indices);
    }
    produce_json_end(p);
}

static int select_and_write(production *p, const top_k_request *r) {
    const npy_array *x = &p->in[0];
    const size_t k = (size_t)r->k;
    const bool wanted = r->indices_to || !r->to;
    void *values = produce_allocate(p, k, weft_dtype_size(x->dtype));
    uint64_t *indices = wanted ? produce_allocate(p, k, sizeof *indices) : NULL;
    int code = values && (indices || !wanted) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        produce_start(p);
        code = produce_done(p, weft_top_k(p->ctx, r->extreme, x->dtype, x->n, x->data, k, values, indices));
    }
    if (code == CLI_DONE) code = write_results(p, r, values, indices);
    if (code == CLI_DONE && p->options->json) print_json(p, r, values, indices);
    free(values);
    free(indices);
    return code;
}

static bool read_option(const char *command, int option, top_k_request *r) {
    switch (option) {
    case 'k': r->k_given = true; return cli_number(command, "-k", optarg, 0, LLONG_MAX, &r->k);
    case 's': r->extreme = WEFT_SMALLEST; return true;
    case 'i': r->indices_to = optarg; return true;
    case 'o': r->to = optarg; return true;
    case 'x': return axes_read(command, optarg, 1, &r->along);
    default: return false;
    }
}

/* Checks the outputs. Two arrays cannot share standard output or a file. */
static bool check_outputs(const cli_options *options, const top_k_request *r) {
    if (!r->indices_to) return true;
    if (r->to && strcmp(r->to, r->indices_to) == 0)
        cli_error("top_k", "-o and --indices name the same file, %s", r->to);
    else if (!r->to && file_is_output(r->indices_to))
        cli_error("top_k", "--indices -: requires -o VALUES.npy");
    else
        return file_takes_result(options, "top_k", "--indices", r->indices_to);
    return false;
}

int command_top_k(const cli_options *options, int argc, char **argv) {
    production p = {.prints = true};
    top_k_request r = {.k = 10};
    for (int option; (option = cli_next_option(argc, argv)) != -1;)
        if (!read_option(argv[0], option, &r)) return CLI_USAGE;
    if (!check_outputs(options, &r)) return CLI_USAGE;
    if (r.along.text) return top_k_axis(options, &r, argc, argv);
    int code = produce_begin(&p, options, argc, argv, 1, r.to);
    if (code == CLI_DONE) code = top_k_check_count(&p, &r, p.in[0].n);
    if (code == CLI_DONE) code = select_and_write(&p, &r);
    produce_end(&p);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

weft_status example_top_k(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    const size_t k = in->n < 100 ? in->n : 100;
    (void)o, (void)out;
    *type = in->dtype;
    return weft_top_k(ctx, WEFT_LARGEST, in->dtype, in->n, in->x, k, in->to, NULL);
}
