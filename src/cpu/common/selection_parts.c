#include "cpu/common/selection_parts.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

enum { PART_BYTES = 1 << 18 }; /* bytes of the elements of a part */

selection_parts cpu_selection_parts(const cpu_context *ctx, size_t n, size_t size) {
    const size_t fit = PART_BYTES / size, most = SELECTION_WORDS * 64;
    selection_parts parts = {.elements = fit < most ? fit : most};
    parts.count = n / parts.elements + (n % parts.elements != 0);
    parts.threads = parts.count < 2 ? 1 : cpu_threads_for(ctx->threads, saturated_product(n, size));
    return parts;
}
