#include "ref/common/total_order.h"
#include "core/types.h"

#include <math.h>
#include <string.h>

bool ref_is_less(array x, size_t i, array y, size_t j) {
    if (!type_is_real(x.dtype)) {
        const uint64_t p = ref_integer(x, i), q = ref_integer(y, j);
        return type_is_signed(x.dtype) ? (int64_t)p < (int64_t)q : p < q;
    }
    const double p = ref_real(x, i), q = ref_real(y, j);
    if (isnan(p) || isnan(q)) return !isnan(p) && isnan(q);
    return p < q || (p == q && signbit(p) && !signbit(q));
}

void ref_move(array x, size_t i, void *out, size_t j) {
    const size_t size = weft_dtype_size(x.dtype);
    memcpy((char *)out + j * size, (const char *)x.p + i * size, size);
}
