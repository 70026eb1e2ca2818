#include "cli/commands/along_axes.h"

#include "cli/io/streamed.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads an integer from the start of *text and moves *text past it. */
static bool read_axis(const char **text, int *axis) {
    char *end;
    errno = 0;
    const long number = strtol(*text, &end, 10);
    const bool valid = end > *text && errno == 0 && number >= INT_MIN && number <= INT_MAX;
    *text = end;
    *axis = valid ? (int)number : 0;
    return valid;
}

bool axes_read(const char *command, const char *text, size_t most, axes_request *r) {
    const char *rest = text;
    r->text = text;
    for (r->count = 0; r->count < most && read_axis(&rest, &r->axes[r->count]);) {
        r->count++;
        if (*rest == '\0') return true;
        if (*rest++ != ',') break;
    }
    if (most == 1)
        cli_error(command, "--axis %s: expected an integer", text);
    else
        cli_error(command, "--axis %s: expected at most %zu integers separated by commas", text, most);
    return false;
}

int axes_begin(production *p, const cli_options *options, int argc, char **argv, int count, const char *to) {
    if (options->mpi) {
        cli_error(argv[0], "--axis: --mpi is not supported along an axis");
        return CLI_USAGE;
    }
    int code = produce_open(p, options, argc, argv, count, to);
    if (code != CLI_DONE) return code;
    for (int i = 0; i < count; i++) {
        if (!stream_wanted(options, p->files[i], 2)) continue;
        cli_error(p->command, "%s: is larger than the permitted memory (--memory), and --axis needs it whole",
                  p->files[i]);
        return CLI_FAILED;
    }
    return produce_read(p);
}

size_t axes_number(int axis, size_t rank) { return (size_t)(axis < 0 ? axis + (int)rank : axis); }

bool axes_check(const char *command, const axes_request *r, const char *name, const npy_shape *shape) {
    const int rank = (int)shape->rank;
    for (size_t a = 0; a < r->count; a++) {
        if (r->axes[a] < -rank || r->axes[a] >= rank) {
            cli_error(command, "--axis %s: axis %d is out of range: %s has %d %s, shape %s", r->text, r->axes[a],
                      name, rank, rank == 1 ? "dimension" : "dimensions", npy_text_of_shape(shape).text);
            return false;
        }
        for (size_t b = 0; b < a; b++)
            if (axes_number(r->axes[a], shape->rank) == axes_number(r->axes[b], shape->rank)) {
                cli_error(command, "--axis %s: %d and %d are the same axis of %s, shape %s", r->text, r->axes[b],
                          r->axes[a], name, npy_text_of_shape(shape).text);
                return false;
            }
    }
    return true;
}

bool axes_view_of(const char *command, const char *name, const npy_array *array, weft_view *v) {
    if (array->given.rank > WEFT_DIMENSIONS_MAX) {
        cli_error(command, "%s: has %zu dimensions: --axis supports at most %d", name, array->given.rank,
                  WEFT_DIMENSIONS_MAX);
        return false;
    }
    npy_view(array, v);
    return true;
}

bool axes_array(const production *p, int i, weft_view *v) {
    return axes_view_of(p->command, p->files[i], &p->in[i], v);
}

bool axes_view(const production *p, const axes_request *r, weft_view *v) {
    return axes_array(p, 0, v) && axes_check(p->command, r, p->files[0], &p->in[0].given);
}

bool axes_pair(const production *p, weft_view *x, weft_view *y, npy_shape *common) {
    const npy_shape *const a = &p->in[0].given, *const b = &p->in[1].given;
    if (!produce_one_type(p) || !axes_array(p, 0, x) || !axes_array(p, 1, y)) return false;
    *common = *a;
    if (npy_broadcast(common, b)) return true;
    cli_error(p->command, "%s has shape %s and %s has shape %s: they cannot be broadcast to one shape", p->files[0],
              npy_text_of_shape(a).text, p->files[1], npy_text_of_shape(b).text);
    return false;
}

bool axes_result_view(const production *p, weft_dtype dtype, const npy_shape *shape, void *values, weft_view *v) {
    if (weft_view_of(dtype, shape->rank, shape->dimensions, values, v) == WEFT_OK) return true;
    cli_error(p->command, "%s: %s", p->files[0], weft_last_error(NULL));
    return false;
}
