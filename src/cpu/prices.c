/* The paths of weft_price (docs/ORDER.md 21), LANES of them side by side: each step of the simulation is a plain loop
 * over them, which compilers turn into vector code. Compiled once for each level. */
#include "arith/price.h"
#include "cpu/vectors.h"

enum { LANES = WEFT_LANES(8) };

/* The words of LANES paths' blocks number `block`. */
static void draw_words(uint64_t first, uint64_t block, uint64_t seed, uint32_t words[4][LANES]) {
    for (size_t l = 0; l < LANES; l++) {
        const weft_philox_block b = weft_philox(first + l, block, seed);
        for (size_t k = 0; k < 4; k++) words[k][l] = b.v[k];
    }
}

#define REAL float
#define FUSED fma_f32
#define OF(name) name##_f32
#include "cpu/prices_body.h"

#define REAL double
#define FUSED fma_f64
#define OF(name) name##_f64
#include "cpu/prices_body.h"

const price_kernels LEVELED(cpu_prices) = {.f32 = paths_f32, .f64 = paths_f64};
