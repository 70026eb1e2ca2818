/* Properties of the library's own sources and sinks. */
#ifndef WEFT_STREAM_CHANNEL_H
#define WEFT_STREAM_CHANNEL_H

#include "weft.h"

#include <stdbool.h>

/* Returns true if the source is an array in memory. The addresses that its `view` returns then stay valid. */
bool channel_is_array(const weft_source *source);

/* Returns the address in memory of the next bytes of a sink, and sets *bytes to the remaining capacity. Returns NULL
 * if the sink does not write to memory. */
void *channel_workspace(const weft_sink *sink, uint64_t *bytes);
/* Advances the sink by `bytes` bytes, which the caller has written there. */
void channel_advance(const weft_sink *sink, uint64_t bytes);

#endif
