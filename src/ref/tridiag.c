/* The definition of weft_tridiag (ORDER.md 16). */
#include "ref/tridiag_levels.h"

static outcome solve_all_f32(const tridiag_call *c, const void *unused, faults *f, row_f32 *rows, size_t *number,
                             float *x) {
    (void)unused;
    solve_f32(f, c->periodic, rows, c->n, number, x);
    return SOLVED;
}

static outcome solve_all_f64(const tridiag_call *c, const void *unused, faults *f, row_f64 *rows, size_t *number,
                             double *x) {
    (void)unused;
    solve_f64(f, c->periodic, rows, c->n, number, x);
    return SOLVED;
}

weft_status ref_tridiag(void *state, const tridiag_call *c, weft_error *error) {
    (void)state;
    return solve_systems(c, solve_all_f32, solve_all_f64, error);
}
