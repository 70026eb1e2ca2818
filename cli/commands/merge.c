/* weft merge A.npy B.npy [--no-check-sorted] -o Y.npy */
#include "cli/io/json.h"
#include "cli/io/produce.h"
#include "cli/operations.h"

#include <stdint.h>
#include <stdlib.h>

static int merge_and_write(production *p, const char *to) {
    const npy_array *a = &p->in[0], *b = &p->in[1];
    const npy_shape shape = {1, {a->n + b->n}};
    void *y = produce_allocate(p, a->n > SIZE_MAX - b->n ? SIZE_MAX : a->n + b->n, weft_dtype_size(a->dtype));
    if (!y) return CLI_FAILED;
    produce_start(p);
    int code = produce_done(p, weft_merge(p->ctx, a->dtype, a->n, a->data, b->n, b->data, y));
    if (code == CLI_DONE) code = produce_write(p, to, a->dtype, &shape, y);
    free(y);
    if (code != CLI_DONE || !p->options->json) return code;
    produce_json_begin(p, to);
    json_count("n2", b->n);
    produce_json_end(p);
    return code;
}

int command_merge(const cli_options *options, int argc, char **argv) {
    production p = {0};
    const char *to = NULL;
    bool checks = true;
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == '?') return CLI_USAGE;
        if (option == 'o')
            to = optarg;
        else
            checks = option == 'c';
    }
    int code = produce_begin(&p, options, argc, argv, 2, to);
    if (code == CLI_DONE && !produce_one_type(&p)) code = CLI_FAILED;
    for (int i = 0; i < 2 && checks && code == CLI_DONE; i++)
        if (!produce_is_sorted(&p, i)) code = CLI_FAILED;
    if (code == CLI_DONE) code = merge_and_write(&p, to);
    produce_end(&p);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Merges the halves of in->halves. */
weft_status example_merge(const operation *o, weft_context *ctx, const operands *in, value *out, weft_dtype *type) {
    const size_t na = in->n / 2;
    (void)o, (void)out;
    *type = in->dtype;
    return weft_merge(ctx, in->dtype, na, in->halves, in->n - na,
                      (const char *)in->halves + na * weft_dtype_size(in->dtype), in->to);
}
