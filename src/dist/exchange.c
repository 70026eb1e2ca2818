/* Elements that one rank has and another one needs: each rank knows how much comes from where, so that every message
 * is expected. */
#include "dist/dist.h"

#include <string.h>

enum { MESSAGE_BYTES = 1 << 30 }; /* at most: MPI counts in int */

/* What of `bytes` is the message of round `round`; 0 when they are done. */
static int message_bytes(extent bytes, size_t round, uint64_t *at) {
    *at = bytes.first + (uint64_t)round * MESSAGE_BYTES;
    if (*at >= bytes.end) return 0;
    return bytes.end - *at < MESSAGE_BYTES ? (int)(bytes.end - *at) : MESSAGE_BYTES;
}

/* Starts the messages of one round to and from another rank. */
static weft_status start_messages(weft_dist *d, int other, size_t round, const char *from, char *to, int *started) {
    uint64_t at;
    int bytes = message_bytes(d->in[other], round, &at);
    if (bytes)
        FORWARD(dist_mpi(d, MPI_Irecv(to + at, bytes, MPI_BYTE, other, 0, d->comm, &d->requests[(*started)++]),
                         "receiving elements"));
    bytes = message_bytes(d->out[other], round, &at);
    if (bytes)
        FORWARD(dist_mpi(d, MPI_Isend(from + at, bytes, MPI_BYTE, other, 0, d->comm, &d->requests[(*started)++]),
                         "sending elements"));
    return WEFT_OK;
}

weft_status dist_move(weft_dist *d, const void *from, void *to) {
    const extent here = d->out[d->rank];
    int started = 1;
    if (here.first < here.end)
        memcpy((char *)to + d->in[d->rank].first, (const char *)from + here.first, (size_t)(here.end - here.first));
    for (size_t round = 0; started > 0; round++) {
        started = 0;
        for (int other = 0; other < d->size; other++)
            if (other != d->rank) FORWARD(start_messages(d, other, round, from, to, &started));
        FORWARD(dist_mpi(d, MPI_Waitall(started, d->requests, d->statuses), "exchanging elements"));
    }
    return WEFT_OK;
}

/* What a slice has of what is wanted, in bytes counted from `origin`. */
static extent overlap(const weft_dist *d, int rank, extent wish, uint64_t origin, size_t size) {
    const uint64_t begin = d->begin[rank], stop = d->begin[rank + 1];
    const uint64_t first = begin > wish.first ? begin : wish.first, end = stop < wish.end ? stop : wish.end;
    if (first >= end) return (extent){0, 0};
    return (extent){(first - origin) * size, (end - origin) * size};
}

weft_status dist_fetch(weft_dist *d, size_t size, wanted *wants, const void *from, void *to) {
    const extent wish = wants(d, d->rank, size);
    for (int r = 0; r < d->size; r++) {
        d->in[r] = overlap(d, r, wish, wish.first, size);
        d->out[r] = overlap(d, d->rank, wants(d, r, size), dist_first(d), size);
    }
    return dist_move(d, from, to);
}
