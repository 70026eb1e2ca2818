/* The body of ref/recurrence.c for one type. The includer sets REAL, DTYPE, FMA and OF(name). */
#include "ref/bodies/recurrence_maps_body.h"

/* Returns B_k(j), where `init` is the value before the row. */
static REAL OF(before)(const LEVELS *l, REAL init, size_t k, size_t j) {
    if (j == 0) return init;
    const size_t group = j / WEFT_SCAN_GROUP, d = j % WEFT_SCAN_GROUP;
    const REAL w = OF(before)(l, init, k + 1, group);
    return d ? OF(apply)(OF(scan_group)(l->level[k] + group * WEFT_SCAN_GROUP, d), w) : w;
}

/* Solves a row. In place, v is s or u; element i is not used again after v[i] has been stored. */
static void OF(one_row)(LEVELS *l) {
    const recurrence_call *c = l->call;
    const REAL init = c->init ? ((const REAL *)c->init)[l->row] : 0;
    REAL v = 0;
    OF(fill_levels)(l);
    for (size_t i = 0; i < c->n; i++) {
        if (i % WEFT_SCAN_GROUP == 0) v = OF(before)(l, init, 1, i / WEFT_SCAN_GROUP);
        v = OF(step)(l, i, v);
        ref_store_real(DTYPE, v, (REAL *)c->v + OF(index)(l, i));
    }
}

static weft_status OF(all_rows)(const recurrence_call *c, weft_error *error) {
    LEVELS l;
    RETURN_IF_ERROR(OF(make_levels)(c, &l, error));
    for (l.row = 0; l.row < c->rows; l.row++) OF(one_row)(&l);
    free(l.level[1]);
    return WEFT_OK;
}

#undef REAL
#undef DTYPE
#undef FMA
#undef OF
#undef MAP
#undef LEVELS
