#include "cpu/common/selection_parts.h"

enum {
    ALONE_BYTES = 1 << 17, /* below this size, starting threads costs more than it gains */
    PART_BYTES = 1 << 18   /* bytes of the elements of a part */
};

selection_parts cpu_selection_parts(const cpu_context *ctx, size_t n, size_t size) {
    const size_t fit = PART_BYTES / size, most = SELECTION_WORDS * 64;
    selection_parts parts = {.elements = fit < most ? fit : most, .threads = ctx->threads};
    parts.count = n / parts.elements + (n % parts.elements != 0);
    if (n < ALONE_BYTES / size || parts.count < 2) parts.threads = 1;
    return parts;
}
