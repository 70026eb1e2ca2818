#include "cli/commands/ascending.h"

#include "cli/cli.h"
#include "cli/io/value.h"

#include <string.h>

/* Returns the index of the first element that precedes its predecessor in sort order, or n. */
static size_t first_fall(const npy_array *a) {
    enum { SIGNED_IS_FLOAT = false, UNSIGNED_IS_FLOAT = false, FLOAT_IS_FLOAT = true };
#define TYPE(ID, name, ctype, kind, npy)                                                                    \
    if (a->dtype == WEFT_##ID) {                                                                            \
        const ctype *const x = a->data;                                                                     \
        for (size_t i = 1; i < a->n; i++)                                                                   \
            if (kind##_IS_FLOAT ? value_before((double)x[i], (double)x[i - 1]) : x[i - 1] > x[i]) return i; \
    }
#include "core/types.def"
    return a->n;
}

bool ascending_check(const char *command, const char *path, const npy_array *a) {
    const size_t size = weft_dtype_size(a->dtype), at = first_fall(a);
    value before, fallen;
    if (at >= a->n) return true;
    memcpy(&before, (const char *)a->data + (at - 1) * size, size);
    memcpy(&fallen, (const char *)a->data + at * size, size);
    cli_error(command, "%s: is not sorted: element %zu is %s, but element %zu is %s", path, at - 1,
              value_decimal(a->dtype, &before).text, at, value_decimal(a->dtype, &fallen).text);
    return false;
}
