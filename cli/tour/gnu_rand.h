/* rand() of the GNU C library before any srand(), which the classic examples take their data from. */
#ifndef WEFT_CLI_GNU_RAND_H
#define WEFT_CLI_GNU_RAND_H

#include <stdint.h>

/* x[i] = x[i - 3] + x[i - 31] mod 2^32 without its last bit, from a multiplicative generator, after 310 steps that
 * nobody sees. */
typedef struct gnu_rand {
    uint32_t x[31];
    unsigned at;
} gnu_rand;

gnu_rand gnu_rand_start(void);

/* 0 to RAND_MAX, which is 2147483647. */
int32_t gnu_rand_next(gnu_rand *r);

#endif
