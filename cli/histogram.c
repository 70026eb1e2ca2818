/* weft histogram X.npy --bins N [--lower A] [--upper B] -o COUNTS.npy, or with --edges E.npy */
#include "cli/produce.h"
#include "cli/value.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct request {
    long long bins;
    const char *lower, *upper; /* text */
    const char *edges, *to;
} request;

/* -------------------------------------------------------------------------------- options */

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case 'b': return cli_number(command, "--bins", optarg, 1, UINT32_MAX, &r->bins);
    case 'l': r->lower = optarg; return true;
    case 'u': r->upper = optarg; return true;
    case 'e': r->edges = optarg; return true;
    case 'o': r->to = optarg; return true;
    default: return false;
    }
}

static bool read_request(int argc, char **argv, request *r) {
    static const struct option list[] = {{"bins", required_argument, NULL, 'b'},
                                         {"lower", required_argument, NULL, 'l'},
                                         {"upper", required_argument, NULL, 'u'},
                                         {"edges", required_argument, NULL, 'e'},
                                         {"output", required_argument, NULL, 'o'},
                                         {"o", required_argument, NULL, 'o'},
                                         {0}};
    for (int option; (option = cli_next_option(argc, argv, list)) != -1;)
        if (!read_option(argv[0], option, r)) return false;
    if (r->edges && (r->bins || r->lower || r->upper)) {
        cli_error(argv[0], "--edges says all about the bins: --bins, --lower and --upper do not go with it");
        return false;
    }
    if (!r->bins) r->bins = 10;
    return true;
}

/* -------------------------------------------------------------------------------- running */

/* A bound from its text; without one the array's least or greatest element. */
static int read_bound(const production *p, const char *option, const char *text, weft_op op, value *bound) {
    const npy_array *x = &p->in[0];
    char range[80];
    if (text && value_parse(x->dtype, text, bound)) return CLI_DONE;
    if (!text) {
        if (weft_reduce(p->ctx, op, x->dtype, WEFT_DEFAULT, x->n, x->data, bound) == WEFT_OK) return CLI_DONE;
        cli_error(p->command, "%s: without %s: %s", p->files[0], option, weft_last_error(p->ctx));
        return CLI_FAILED;
    }
    value_range(x->dtype, range, sizeof range);
    cli_error(p->command, "%s %s: not a value of %s (%s), which the elements are", option, text,
              weft_dtype_name(x->dtype), range);
    return CLI_USAGE;
}

static int write_counts(const production *p, const request *r, size_t bins, const uint64_t *counts) {
    const npy_shape shape = {1, {bins}};
    uint64_t counted = 0;
    const int code = produce_write(p, r->to, WEFT_U64, &shape, counts);
    if (code != CLI_DONE || !p->options->json) return code;
    for (size_t i = 0; i < bins; i++) counted += counts[i];
    produce_json_begin(p, r->to);
    printf(", \"bins\": %zu, \"counted\": %llu", bins, (unsigned long long)counted);
    produce_json_end(p);
    return code;
}

static int count_evenly(production *p, const request *r) {
    const npy_array *x = &p->in[0];
    const size_t bins = (size_t)r->bins;
    value lower, upper;
    int code = read_bound(p, "--lower", r->lower, WEFT_MIN, &lower);
    if (code == CLI_DONE) code = read_bound(p, "--upper", r->upper, WEFT_MAX, &upper);
    if (code != CLI_DONE) return code;
    uint64_t *counts = produce_room(p, bins, sizeof *counts);
    if (!counts) return CLI_FAILED;
    produce_start(p);
    code = produce_done(p, weft_histogram_even(p->ctx, x->dtype, x->n, x->data, bins, &lower, &upper, counts));
    if (code == CLI_DONE) code = write_counts(p, r, bins, counts);
    free(counts);
    return code;
}

static int count_between(production *p, const request *r) {
    const npy_array *x = &p->in[0];
    npy_array *edges = &p->in[1];
    npy_error error;
    if (!npy_read(r->edges, edges, &error)) {
        cli_error(p->command, "%s: %s", r->edges, error.message);
        return CLI_FAILED;
    }
    if (edges->dtype != x->dtype || edges->n < 2) {
        cli_error(p->command, "%s: %zu edges of %s; at least 2 of %s are needed, as the elements of %s are", r->edges,
                  edges->n, weft_dtype_name(edges->dtype), weft_dtype_name(x->dtype), p->files[0]);
        return CLI_FAILED;
    }
    const size_t bins = edges->n - 1;
    uint64_t *counts = produce_room(p, bins, sizeof *counts);
    if (!counts) return CLI_FAILED;
    produce_start(p);
    int code = produce_done(p, weft_histogram(p->ctx, x->dtype, x->n, x->data, bins, edges->data, counts));
    if (code == CLI_DONE) code = write_counts(p, r, bins, counts);
    free(counts);
    return code;
}

int command_histogram(const cli_options *options, int argc, char **argv) {
    production p = {0};
    request r = {0};
    if (!read_request(argc, argv, &r)) return CLI_USAGE;
    int code = produce_begin(&p, options, argc, argv, 1, r.to);
    if (code == CLI_DONE) code = r.edges ? count_between(&p, &r) : count_evenly(&p, &r);
    produce_end(&p);
    return code;
}
