/* Failures of operations because of the values of their indices. */
#ifndef WEFT_VERIFY_INDEX_FAILURE_H
#define WEFT_VERIFY_INDEX_FAILURE_H

#include "verify/match.h"

/* Replaces a failure of a call by a result, if the call has written nothing: the first three numbers in its message.
 * before: what the `bytes` bytes of `out` contained. Returns WEFT_INVALID if they have changed. */
weft_status index_failure_to_result(const match_case *c, weft_context *ctx, size_t bytes, const void *before,
                                    void *out);

#endif
