/* Segments given by head flags or keys, processed in parts: their starts, and the first key of each. */
#ifndef WEFT_CPU_SEGMENTS_H
#define WEFT_CPU_SEGMENTS_H

#include "core/backend.h"

/* Elements begin .. end - 1 of a call, and the segments that begin there. */
typedef struct segment_part {
    size_t begin, end;
    size_t count;       /* number of segments */
    size_t first, last; /* starts of the first and of the last segment, if there are any */
    size_t before;      /* number of segments that begin before this part */
    size_t next;        /* start of the first segment after this part, or the end of the array */
} segment_part;

/* Computes count, first and last. begin and end must be set. */
void segments_count(const segmented_call *c, segment_part *part);

enum { SEGMENTS_BATCH = 1024 };

/* Consecutive segments of a part: segment number first + i is [offsets[i], offsets[i + 1]). */
typedef struct segment_batch {
    size_t first, count;
    size_t at; /* position up to which flags have been evaluated */
    /* If `waiting`, offsets[count] is the start of a segment whose end is not known yet. */
    uint64_t offsets[SEGMENTS_BATCH + 2];
    bool waiting;
} segment_batch;

void segments_begin(const segment_part *part, segment_batch *batch);
/* Computes the next segments of the part and writes their keys to unique_keys. Returns false after the last
 * batch. */
bool segments_next(const segmented_call *c, const segment_part *part, segment_batch *batch);

#endif
