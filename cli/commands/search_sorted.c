/* weft search_sorted SORTED.npy QUERIES.npy [-o POSITIONS.npy] */
#include "cli/io/json.h"
#include "cli/io/produce.h"
#include "cli/operations.h"

#include <stdlib.h>
#include <string.h>

static const char *const SIDES[] = {"left", "right"};

static int search_and_write(production *p, weft_side side, const char *to) {
    const npy_array *sorted = &p->in[0], *queries = &p->in[1];
    if (!produce_one_type(p)) return CLI_FAILED;
    uint64_t *positions = produce_allocate(p, queries->n, sizeof *positions);
    if (!positions) return CLI_FAILED;
    produce_start(p);
    int code = produce_done(p, weft_search_sorted(p->ctx, side, sorted->dtype, sorted->n, sorted->data, queries->n,
                                                  queries->data, positions));
    if (code == CLI_DONE) code = produce_write(p, to, WEFT_U64, &queries->shape, positions);
    if (code == CLI_DONE && p->options->json) {
        produce_json_begin(p, to);
        json_count("n2", queries->n);
        json_text("side", SIDES[side]);
        if (!to) json_values("positions", WEFT_U64, queries->n, positions);
        produce_json_end(p);
    }
    free(positions);
    return code;
}

static bool read_side(const char *text, weft_side *side) {
    for (*side = WEFT_LEFT; *side <= WEFT_RIGHT; ++*side)
        if (strcmp(text, SIDES[*side]) == 0) return true;
    cli_error("search_sorted", "--side %s: expected left or right", text);
    return false;
}

int command_search_sorted(const cli_options *options, int argc, char **argv) {
    production p = {.prints = true};
    weft_side side = WEFT_LEFT;
    const char *to = NULL;
    bool checks = false;
    for (int option; (option = cli_next_option(argc, argv)) != -1;) {
        if (option == 'o')
            to = optarg;
        else if (option == 'c' || option == 'n')
            checks = option == 'c';
        else if (option != 's' || !read_side(optarg, &side))
            return CLI_USAGE;
    }
    int code = produce_begin(&p, options, argc, argv, 2, to);
    if (code == CLI_DONE && checks && !produce_is_sorted(&p, 0)) code = CLI_FAILED;
    if (code == CLI_DONE) code = search_and_write(&p, side, to);
    produce_end(&p);
    return code;
}

/* ------------------------------------------------------------------------- for tour and bench */

/* Searches for the first half of x in the first half of in->halves. */
weft_status example_search_sorted(const operation *o, weft_context *ctx, const operands *in, value *out,
                                  weft_dtype *type) {
    const size_t n = in->n / 2;
    (void)o, (void)out;
    *type = WEFT_U64;
    return weft_search_sorted(ctx, WEFT_LEFT, in->dtype, n, in->halves, n, in->x, in->to);
}
