/* weft_dist_price: every rank runs weft_price. Its sums over paths are divided among the ranks. */
#include "core/types.h"
#include "dist/forest.h"

#include <math.h>
#include <string.h>

/* Divides the paths into aligned runs of a power of two of tiles. If there are enough paths, each rank gets at least
 * 32 runs. This limits a rank's subtrees, and a rank has at most a 32nd more paths than the average. */
static void share_paths(weft_dist *d, uint64_t paths) {
    const uint64_t tile = WEFT_TILE(8), ranks = (uint64_t)d->size;
    uint64_t run = tile;
    while (paths / (2 * run) >= 32 * ranks) run *= 2;
    const uint64_t runs = ceil_div(paths, run);
    for (uint64_t r = 0; r <= ranks; r++) {
        const uint64_t begin = (runs / ranks * r + (r < runs % ranks ? r : runs % ranks)) * run;
        d->begin[r] = begin < paths ? begin : paths;
    }
}

static weft_status sum_paths(void *self, const struct price_call *call, uint64_t paths, double *sums) {
    weft_dist *const d = self;
    root values[ROOT_VALUES];
    share_paths(d, paths);
    RETURN_IF_ERROR(forest_run(&(forest){.d = d, .kind = LEAF_PATHS, .dtype = WEFT_F64, .paths = call}, values));
    for (size_t i = 0; i < ROOT_VALUES; i++) sums[i] = values[i].f64;
    return WEFT_OK;
}

/* ------------------------------------------------------------------------------- agreeing */

static uint64_t hash_doubles(uint64_t hash, const double *list, size_t n) {
    const unsigned char there = list != NULL;
    hash = dist_hash(hash, &there, 1);
    return list ? dist_hash(hash, list, n * sizeof *list) : hash;
}

static uint64_t hash_option(const weft_option *o) {
    const uint64_t numbers[] = {(uint64_t)o->payoff, (uint64_t)o->observed, (uint64_t)o->barrier, o->assets};
    const double reals[] = {o->strike, o->level, o->width, o->rate, o->maturity};
    uint64_t hash = dist_hash(DIST_HASH, numbers, sizeof numbers);
    hash = hash_doubles(hash, reals, sizeof reals / sizeof *reals);
    hash = hash_doubles(hash, o->start, o->assets);
    hash = hash_doubles(hash, o->volatility, o->assets);
    hash = hash_doubles(hash, o->correlation, o->assets * o->assets);
    return hash_doubles(hash, o->weights, o->assets);
}

/* Performs the argument checks of weft_price, before any path is simulated. */
static weft_status check_price(weft_dist *d, const weft_option *o, const weft_simulation *s,
                               const weft_valuation *valuation) {
    return dist_took_host(d, weft_part_price_check(d->host, o, s, valuation));
}

weft_status weft_dist_price(weft_dist *d, const weft_option *option, const weft_simulation *simulation,
                            weft_valuation *valuation) {
    if (!d) return WEFT_INVALID;
    static const weft_simulation none;
    const weft_status status = check_price(d, option, simulation, valuation);
    const weft_simulation *const s = simulation ? simulation : &none;
    const agreed list[] = {{"dtype", AS_TYPE, s->dtype},
                           {"the scheme", AS_NUMBER, s->scheme},
                           {"the number of steps", AS_NUMBER, s->steps},
                           {"the number of paths", AS_NUMBER, s->paths},
                           {"the seed", AS_NUMBER, s->seed},
                           {"the number of scramblings", AS_NUMBER, s->scramblings},
                           {"antithetic, control, greeks or fast_normals", AS_NUMBER,
                            (uint64_t)((s->antithetic != 0) + 2 * (s->control != 0) + 4 * (s->greeks != 0) +
                                       8 * (s->fast_normals != 0))},
                           {"the option's hash", AS_BITS, status == WEFT_OK ? hash_option(option) : 0}};
    RETURN_IF_ERROR(dist_begin(d, "price", list, 8, weft_slice_of(0), status));
    weft_valuation found = {.size = sizeof found};
    RETURN_IF_ERROR(weft_part_price(d->host, option, simulation, sum_paths, d, &found));
    *valuation = found;
    return WEFT_OK;
}
