#include "verify/index_failure.h"
#include "core/byte_order.h"

#include <stdlib.h>
#include <string.h>

weft_status index_failure_to_result(const match_case *c, weft_context *ctx, size_t bytes, const void *before,
                                    void *out) {
    const size_t size = c->operation->shape->out_bytes(c);
    uint64_t numbers[3] = {0};
    weft_status status = WEFT_INVALID;
    const char *message = weft_last_error(ctx);
    for (int k = 0; k < 3 && *(message += strcspn(message, "0123456789")); k++) {
        numbers[k] = strtoull(message, NULL, 10);
        message += strspn(message, "0123456789");
    }
    if (is_big_endian()) { /* parts of the numbers as elements */
        bytes_reverse(numbers, 3, sizeof *numbers);
        bytes_reverse(numbers, sizeof numbers / size, size);
    }
    void *const after = malloc(bytes + 1);
    const weft_status copied = after ? weft_copy(ctx, bytes, out, after) : WEFT_OUT_OF_MEMORY;
    if (copied == WEFT_OK && memcmp(before, after, bytes) == 0)
        status = weft_copy(ctx, bytes < sizeof numbers ? bytes : sizeof numbers, numbers, out);
    free(after);
    return status;
}
