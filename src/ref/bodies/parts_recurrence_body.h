/* The body of ref/parts/parts_recurrence.c for one type. The includer sets REAL, FMA and OF(name). */
#include "ref/bodies/recurrence_maps_body.h"

/* Computes the map of a row of 16^k elements: the only one of level k. */
static weft_status OF(find_map)(const recurrence_call *c, uint64_t *map, weft_error *error) {
    LEVELS l;
    size_t k = 0;
    RETURN_IF_ERROR(OF(make_levels)(c, &l, error));
    OF(fill_levels)(&l);
    for (size_t n = c->n; n > 1; n /= WEFT_SCAN_GROUP) k++;
    map[0] = map[1] = 0;
    memcpy(&map[0], &l.level[k]->s, sizeof(REAL));
    memcpy(&map[1], &l.level[k]->u, sizeof(REAL));
    free(l.level[1]);
    return WEFT_OK;
}

#undef REAL
#undef FMA
#undef OF
#undef MAP
#undef LEVELS
