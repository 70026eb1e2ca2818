/* What the library knows of its own sources and sinks. */
#ifndef WEFT_STREAM_CHANNEL_H
#define WEFT_STREAM_CHANNEL_H

#include "weft.h"

#include <stdbool.h>

/* Whether the source is an array in memory: what `view` gives then stays where it is. */
bool channel_is_array(const weft_source *source);

/* Where the next bytes of a sink go in memory, for which there is room for *bytes; NULL where they go elsewhere. */
void *channel_room(const weft_sink *sink, uint64_t *bytes);
/* They are there. */
void channel_advance(const weft_sink *sink, uint64_t bytes);

#endif
