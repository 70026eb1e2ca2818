/* Segments by head flags or keys, part by part: where they begin, and the first key of each. */
#ifndef WEFT_CPU_SEGMENTS_H
#define WEFT_CPU_SEGMENTS_H

#include "core/backend.h"

/* Elements begin .. end - 1 of a call, and the segments that begin there. */
typedef struct segment_part {
    size_t begin, end;
    size_t count;       /* of segments */
    size_t first, last; /* where the first and the last of them begin, if there are any */
    size_t before;      /* how many begin before this part */
    size_t next;        /* where the first segment behind this part begins, or the call's end */
} segment_part;

/* Finds count, first and last. */
void segments_count(const segmented_call *c, segment_part *part);

enum { SEGMENTS_BATCH = 1024 };

/* Some segments of a part: segment number first + i goes from offsets[i] to offsets[i + 1]. */
typedef struct segment_batch {
    size_t first, count;
    size_t at;                            /* flags up to here have been looked at */
    uint64_t offsets[SEGMENTS_BATCH + 2]; /* the last one waits for its end */
    bool waiting;
} segment_batch;

void segments_begin(const segment_part *part, segment_batch *batch);
/* The next segments of the part, and their keys into unique_keys. False when all have been. */
bool segments_next(const segmented_call *c, const segment_part *part, segment_batch *batch);

#endif
