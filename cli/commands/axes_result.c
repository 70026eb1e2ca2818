#include "cli/commands/axes_result.h"

#include "cli/io/json.h"

#include <stdio.h>
#include <string.h>

enum { PRINTED_MOST = 1000 }; /* values that are printed without -o */

void axes_result_reduce(const axes_request *r, const npy_shape *from, axes_result *y) {
    bool reduced[WEFT_DIMENSIONS_MAX] = {false};
    for (size_t a = 0; a < r->count; a++) reduced[r->axes[a] < 0 ? r->axes[a] + (int)from->rank : r->axes[a]] = true;
    y->shape.rank = 0;
    y->count = 1;
    for (size_t k = 0; k < from->rank; k++) {
        const size_t n = from->dimensions[k];
        if (!reduced[k]) y->count *= n;
        if (!reduced[k] || r->keepdims) y->shape.dimensions[y->shape.rank++] = reduced[k] ? 1 : n;
    }
}

bool axes_result_fits(const char *command, const axes_request *r, const char *name, const axes_result *y) {
    if (r->to || y->count <= PRINTED_MOST) return true;
    cli_error(command, "%s: option -o Y.npy is required: the result has %zu values, more than %d", name, y->count,
              PRINTED_MOST);
    return false;
}

void axes_result_print(const axes_result *y, bool bits, const char *values) {
    const size_t size = weft_dtype_size(y->dtype), rank = y->shape.rank;
    const size_t row = rank > 1 ? y->shape.dimensions[rank - 1] : 1;
    const size_t matrix = rank > 2 ? row * y->shape.dimensions[rank - 2] : y->count;
    for (size_t i = 0; i < y->count; i++) {
        value v = {0};
        memcpy(&v, values + i * size, size);
        if (i > 0 && i % matrix == 0) putchar('\n');
        printf("%s%s%s%c", value_decimal(y->dtype, &v).text, bits ? " " : "",
               bits ? value_bits(y->dtype, &v).text : "", (i + 1) % row == 0 ? '\n' : ' ');
    }
}

void axes_result_json_axes(const axes_request *r) {
    json_begin_array("axis");
    for (size_t a = 0; a < r->count; a++) json_integer(NULL, r->axes[a]);
    json_end();
}

void axes_result_json(const axes_request *r, const axes_result *y, const void *values) {
    json_text("result", weft_dtype_name(y->dtype));
    json_begin_array("shape");
    for (size_t k = 0; k < y->shape.rank; k++) json_count(NULL, y->shape.dimensions[k]);
    json_end();
    if (!r->to) json_values("values", y->dtype, y->count, values);
}
