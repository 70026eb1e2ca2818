/* Tests of the executor: launches kernels with a fault and compares the sentence that the executor reports, and
 * launches right kernels, for which it must report none. */
#ifndef WEFT_TESTS_EXECUTOR_TEST_H
#define WEFT_TESTS_EXECUTOR_TEST_H

#include "executor.h"

static int failures;

/* Takes what the executor has found since the last call. `expected` is the sentence, or "" if there must be none; %d
 * in it is replaced by the numbers of lines. */
static inline void found(const char *test, const char *expected, int line = 0, int other_line = 0) {
    char sentence[400];
    snprintf(sentence, sizeof sentence, expected, line, other_line);
    const emulated::account seen = emulated::take_account();
    (void)cudaGetLastError();
    if (strcmp(seen.first, sentence) == 0) return;
    failures++;
    printf("%s: found\n    %s\nand not\n    %s\n", test, seen.first, sentence);
}

static inline void holds(const char *test, bool is) {
    if (is) return;
    failures++;
    printf("%s: wrong\n", test);
}

/* Returns `count` elements of device memory that count as unwritten. */
template <class T> static T *device_array(size_t count) {
    T *p;
    if (cudaMalloc(&p, count * sizeof(T)) != cudaSuccess) emulated::stop("no memory for a test");
    return p;
}

static inline int finish() {
    printf("%d failed\n", failures);
    return failures > 0;
}

#endif
