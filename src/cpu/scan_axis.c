/* weft_scan_axis on the CPU (ORDER.md 32). */
#include "cpu/common/vectors.h"

#include <stdlib.h>
#include <string.h>

weft_status cpu_scan_axis(void *state, const scan_axis_call *c, weft_error *error) {
    const size_t n = c->inner.n, size = weft_dtype_size(c->dtype), result_size = weft_dtype_size(c->result);
    weft_status status = WEFT_OK;
    char *const x = malloc(n * 16), *const y = x + n * size;
    for (size_t v = 0; v < c->vectors && status == WEFT_OK; v++) {
        const char *const from = (const char *)c->x + vectors_x(c->outer_count, c->outer, v);
        char *const to = (char *)c->y + vectors_y(c->outer_count, c->outer, v);
        for (size_t i = 0; i < n; i++) memcpy(x + i * size, from + (ptrdiff_t)i * c->inner.x, size);
        status = cpu_scan(state, &(scan_call){c->op, c->kind, c->dtype, c->result, n, x, c->init, y, NULL}, error);
        for (size_t i = 0; i < n; i++) memcpy(to + (ptrdiff_t)i * c->inner.y, y + i * result_size, result_size);
    }
    free(x);
    return status;
}
