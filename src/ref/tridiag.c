/* The definition of weft_tridiag (ORDER.md 16). */
#include "ref/tridiag_levels.h"

static bool solve_all_f32(const tridiag_call *c, const void *unused, faults *f, row_f32 *rows, size_t *number,
                          float *x) {
    (void)unused;
    solve_f32(f, c->periodic, rows, c->n, number, x);
    return true;
}

static bool solve_all_f64(const tridiag_call *c, const void *unused, faults *f, row_f64 *rows, size_t *number,
                          double *x) {
    (void)unused;
    solve_f64(f, c->periodic, rows, c->n, number, x);
    return true;
}

weft_status ref_tridiag(void *state, const tridiag_call *c, weft_error *error) {
    (void)state;
    uint64_t singular = UINT64_MAX;
    for (size_t s = 0; s < c->systems && c->n > 0; s++) {
        faults f = {SIZE_MAX, SIZE_MAX};
        RETURN_IF_ERROR(c->dtype == WEFT_F32 ? system_f32(c, s, solve_all_f32, NULL, &f, error)
                                             : system_f64(c, s, solve_all_f64, NULL, &f, error));
        const size_t row = f.pivot < SIZE_MAX ? f.pivot : f.value;
        if (row < SIZE_MAX && singular == UINT64_MAX) singular = s * c->n + row;
    }
    memcpy(c->singular, &singular, sizeof singular);
    return WEFT_OK;
}
