/* Totals of the blocks of a part of an array (scan_totals). The total of a block is the last value of its scan: the
 * initial value of a scan, -0.0 or 1, changes no total. */
#include "ref/ref.h"

#include <string.h>

weft_status ref_scan_totals(void *state, const scan_totals_call *c, weft_error *error) {
    enum { BLOCK = WEFT_SCAN_GROUP * WEFT_SCAN_GROUP * WEFT_SCAN_GROUP };
    double scanned[BLOCK];
    const size_t in = weft_dtype_size(c->dtype), out = weft_dtype_size(c->result);
    scan_call scan = {.op = c->op, .kind = WEFT_INCLUSIVE, .dtype = c->dtype, .result = c->result, .n = BLOCK};
    scan.y = scanned;
    for (size_t block = 0; block < c->blocks; block++) {
        scan.x = (const char *)c->x + block * BLOCK * in;
        RETURN_IF_ERROR(ref_scan(state, &scan, error));
        memcpy((char *)c->totals + block * out, (const char *)scanned + (BLOCK - 1) * out, out);
    }
    return WEFT_OK;
}
