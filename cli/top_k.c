/* weft top_k X.npy -k K -o VALUES.npy */
#include "cli/produce.h"
#include "cli/value.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    long long k;
    weft_extreme extreme;
    const char *to, *indices_to;
} request;

static int write_results(const production *p, const request *r, const void *values, const uint64_t *indices) {
    const npy_shape shape = {1, {(size_t)r->k}};
    const int code = produce_write(p, r->to, p->in[0].dtype, &shape, values);
    return code == CLI_DONE && r->indices_to ? produce_write(p, r->indices_to, WEFT_U64, &shape, indices) : code;
}

static void print_json(const production *p, const request *r) {
    produce_json_begin(p, r->to);
    if (r->indices_to) {
        printf(", \"indices\": ");
        json_string(stdout, r->indices_to);
    }
    printf(", \"k\": %lld, \"extreme\": \"%s\"", r->k, r->extreme == WEFT_LARGEST ? "largest" : "smallest");
    produce_json_end(p);
}

static int select_and_write(production *p, const request *r) {
    const npy_array *x = &p->in[0];
    const size_t k = (size_t)r->k, room = k < x->n ? k : x->n; /* the library tells of a k past n */
    void *values = produce_room(p, room, weft_dtype_size(x->dtype));
    uint64_t *indices = r->indices_to ? produce_room(p, room, sizeof *indices) : NULL;
    int code = values && (indices || !r->indices_to) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE) {
        produce_start(p);
        code = produce_done(p, weft_top_k(p->ctx, x->dtype, r->extreme, x->n, x->data, k, values, indices));
    }
    if (code == CLI_DONE) code = write_results(p, r, values, indices);
    if (code == CLI_DONE && p->options->json) print_json(p, r);
    free(values);
    free(indices);
    return code;
}

static bool read_option(const char *command, int option, request *r) {
    switch (option) {
    case 'k': return cli_number(command, "-k", optarg, 0, LLONG_MAX, &r->k);
    case 's': r->extreme = WEFT_SMALLEST; return true;
    case 'i': r->indices_to = optarg; return true;
    case 'o': r->to = optarg; return true;
    default: return false;
    }
}

/* Two arrays cannot share standard output, nor may one stand in the other's file. */
static bool check_outputs(const cli_options *options, const request *r) {
    if (!r->indices_to) return true;
    if (r->to && strcmp(r->to, r->indices_to) == 0)
        cli_error("top_k", "-o and --indices name one file, %s", r->to);
    else if (options->json && strcmp(r->indices_to, "-") == 0)
        cli_error("top_k", "--json: standard output is for the indices here; give --indices the name of a file");
    else
        return true;
    return false;
}

int command_top_k(const cli_options *options, int argc, char **argv) {
    static const struct option list[] = {
        {"k", required_argument, NULL, 'k'},       {"smallest", no_argument, NULL, 's'},
        {"indices", required_argument, NULL, 'i'}, {"output", required_argument, NULL, 'o'},
        {"o", required_argument, NULL, 'o'},       {0}};
    production p = {0};
    request r = {.k = 10};
    for (int option; (option = cli_next_option(argc, argv, list)) != -1;)
        if (!read_option(argv[0], option, &r)) return CLI_USAGE;
    if (!check_outputs(options, &r)) return CLI_USAGE;
    int code = produce_begin(&p, options, argc, argv, 1, r.to);
    if (code == CLI_DONE) code = select_and_write(&p, &r);
    produce_end(&p);
    return code;
}
