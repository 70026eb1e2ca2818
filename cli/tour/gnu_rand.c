#include "cli/tour/gnu_rand.h"

int32_t gnu_rand_next(gnu_rand *r) {
    const uint32_t sum = r->x[r->at] += r->x[(r->at + 28) % 31];
    r->at = (r->at + 1) % 31;
    return (int32_t)(sum >> 1);
}

gnu_rand gnu_rand_start(void) {
    gnu_rand r = {.x = {1}, .at = 3};
    for (int i = 1; i < 31; i++) r.x[i] = (uint32_t)((uint64_t)r.x[i - 1] * 16807 % 2147483647);
    for (int i = 0; i < 310; i++) gnu_rand_next(&r);
    return r;
}
