/* rand() of the GNU C library without a call of srand(), which is the source of the classic examples' data. */
#ifndef WEFT_CLI_GNU_RAND_H
#define WEFT_CLI_GNU_RAND_H

#include <stdint.h>

/* x[i] = x[i - 3] + x[i - 31] mod 2^32, without its lowest bit. A multiplicative generator gives the first values;
 * the first 310 results are discarded. */
typedef struct gnu_rand {
    uint32_t x[31];
    unsigned at;
} gnu_rand;

gnu_rand gnu_rand_start(void);

/* Returns the next number, 0 to RAND_MAX, which is 2147483647. */
int32_t gnu_rand_next(gnu_rand *r);

#endif
