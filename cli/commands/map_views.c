#include "cli/commands/map_views.h"

#include "cli/cli.h"

#include <string.h>

static bool same_shape(const npy_shape *x, const npy_shape *y) {
    return x->rank == y->rank && memcmp(x->dimensions, y->dimensions, x->rank * sizeof *x->dimensions) == 0;
}

bool map_operands_alike(const map_operands *o) {
    for (size_t i = 1; i < o->count; i++) {
        const npy_array *const x = o->arrays[0], *const y = o->arrays[i];
        if (!same_shape(&x->given, &y->given) || (x->given.rank > 1 && x->fortran != y->fortran)) return false;
    }
    return true;
}

/* Prints that two arrays do not fit together. The first is the one that has a dimension of another length. */
static bool tell_misfit(const map_operands *o, size_t last) {
    for (size_t i = 0; i < last; i++) {
        npy_shape shape = o->arrays[i]->given;
        if (npy_broadcast(&shape, &o->arrays[last]->given)) continue;
        cli_error(o->command, "%s has shape %s and %s has shape %s: they cannot be broadcast to one shape",
                  o->texts[i], npy_text_of_shape(&o->arrays[i]->given).text, o->texts[last],
                  npy_text_of_shape(&o->arrays[last]->given).text);
        break;
    }
    return false;
}

bool map_operands_shape(const map_operands *o, npy_shape *shape) {
    *shape = (npy_shape){.rank = 0};
    for (size_t i = 0; i < o->count; i++) {
        if (o->arrays[i]->given.rank > WEFT_DIMENSIONS_MAX) {
            cli_error(o->command,
                      "%s has %zu dimensions: at most %d are supported for different shapes and along axes",
                      o->texts[i], o->arrays[i]->given.rank, WEFT_DIMENSIONS_MAX);
            return false;
        }
        if (!npy_broadcast(shape, &o->arrays[i]->given)) return tell_misfit(o, i);
    }
    return true;
}
