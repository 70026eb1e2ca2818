/* The digest: SHA-256 hashes of the results of one device, to compare machines that cannot compare results
 * themselves. The hash of an operation is that of its cases in the order of match_walk: for each case a byte with the
 * status, and the output, in little-endian byte order, if the status is WEFT_OK. */
#ifndef WEFT_TESTS_DIGEST_H
#define WEFT_TESTS_DIGEST_H

#include "verify/match.h"
#include "verify/sha256.h"

typedef struct digest_options {
    match_level level;
    const char *device;
    int threads;                 /* of the CPU; 0: all */
    const match_operation *only; /* NULL: all operations */
    void *self;
    void (*progress)(void *self, double done, double all); /* may be NULL */
} digest_options;

typedef struct digest_line {
    size_t cases;
    char hash[SHA256_TEXT];
} digest_line;

/* Computes `lines`, one for each operation of MATCH_OPERATIONS; the others are 0 if `only` is set. Returns false,
 * with an error message in `problem`, if a case fails or the device cannot be opened. */
bool digest_run(const digest_options *options, digest_line *lines, char problem[512]);

/* Returns the hash of all operations: that of the text "NAME HASH\n" for each of them. */
digest_line digest_total(const digest_line *lines);

#endif
