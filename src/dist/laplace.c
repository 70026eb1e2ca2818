/* weft_dist_laplace: slabs of whole planes. Each round brings some planes of the neighbours on either side and makes
 * as many sweeps on the slab with them: what the outermost planes lack spreads by a plane a sweep, and does not reach
 * the slab's own. No bit depends on how many sweeps a round makes. */
#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>

/* Planes that a round brings: a sixteenth of an average slab, so that what is swept twice stays little. */
static size_t most_halo(const weft_dist *d) {
    const uint64_t share = dist_total(d) / (16 * (uint64_t)d->size);
    return share < 1 ? 1 : share > 32 ? 32 : (size_t)share;
}

/* A slab with d->halo planes of the grid on either side, as many as there are. */
static extent with_halo(const weft_dist *d, int rank, size_t size) {
    const uint64_t begin = d->begin[rank], end = d->begin[rank + 1], halo = d->halo, total = dist_total(d);
    (void)size;
    if (begin == end) return (extent){begin, begin};
    return (extent){begin > halo ? begin - halo : 0, total - end > halo ? end + halo : total};
}

typedef struct sweeping {
    weft_dist *d;
    weft_dtype dtype;
    size_t nx, ny, plane, planes; /* plane: bytes of one; planes: of this rank */
    char *before, *after;         /* a round's slab with its halo */
    char *v;
} sweeping;

static weft_status sweep(const sweeping *s, size_t sweeps) {
    const extent own = with_halo(s->d, s->d->rank, s->plane);
    const size_t above = (size_t)(dist_first(s->d) - own.first);
    if (s->planes == 0) return WEFT_OK;
    FORWARD(dist_took(s->d, weft_laplace(s->d->ctx, s->dtype, s->nx, s->ny, (size_t)(own.end - own.first), sweeps,
                                         s->before, s->after, NULL)));
    memcpy(s->v, s->after + above * s->plane, s->planes * s->plane);
    return WEFT_OK;
}

static weft_status run_laplace(sweeping *s, size_t sweeps) {
    weft_error *error = &s->d->error;
    weft_status status = WEFT_OK;
    if (!s->before || !s->after)
        status = weft_fail(error, WEFT_OUT_OF_MEMORY, "no memory for two copies of %zu planes", s->planes);
    FORWARD(dist_agree(s->d, status));
    for (size_t done = 0; done < sweeps; done += s->d->halo) {
        s->d->halo = sweeps - done < most_halo(s->d) ? sweeps - done : most_halo(s->d);
        FORWARD(dist_fetch(s->d, s->plane, with_halo, s->v, s->before));
        FORWARD(dist_agree(s->d, sweep(s, s->d->halo)));
    }
    return WEFT_OK;
}

static weft_status check_laplace(const sweeping *s, const void *u) {
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    const size_t size = weft_dtype_size(s->dtype);
    RETURN_IF(s->dtype != WEFT_F32 && s->dtype != WEFT_F64, WEFT_UNSUPPORTED,
              "laplace is defined for f32 and f64, and the grid is %s", weft_dtype_name(s->dtype));
    RETURN_IF(s->nx == 0 || s->ny == 0, WEFT_EMPTY, "planes of %zu x %zu have no points", s->nx, s->ny);
    RETURN_IF(s->ny > SIZE_MAX / 16 / s->nx, WEFT_INVALID, "planes of %zu x %zu points do not fit in memory", s->nx,
              s->ny);
    const size_t points = s->nx * s->ny;
    RETURN_IF(s->planes > SIZE_MAX / 16 / points, WEFT_INVALID, "%zu planes of %zu points do not fit in memory",
              s->planes, points);
    FORWARD(dist_check_array(d, "u", u, points * s->planes, size));
    FORWARD(dist_check_array(d, "v", s->v, points * s->planes, size));
    if (u == s->v) return WEFT_OK;
    return dist_check_apart(d, "v", s->v, points * s->planes * size, "u", u, points * s->planes * size);
}

weft_status weft_dist_laplace(weft_dist *d, weft_dtype dtype, size_t nx, size_t ny, weft_slice planes, size_t sweeps,
                              const void *u, void *v) {
    if (!d) return WEFT_INVALID;
    weft_error *error = &d->error;
    sweeping s = {.d = d, .dtype = dtype, .nx = nx, .ny = ny, .planes = planes.count, .v = v};
    const agreed list[] = {{"the type", AS_TYPE, dtype},
                           {"nx", AS_NUMBER, nx},
                           {"ny", AS_NUMBER, ny},
                           {"the number of sweeps", AS_NUMBER, sweeps}};
    FORWARD(dist_begin(d, "laplace", list, 4, planes, check_laplace(&s, u)));
    RETURN_IF(dist_total(d) == 0, WEFT_EMPTY, "a grid of %zu x %zu x 0 has no points", nx, ny);
    s.plane = nx * ny * weft_dtype_size(dtype);
    if (s.planes && u != v) memcpy(v, u, s.planes * s.plane);
    const size_t bytes = s.planes ? (s.planes + 2 * most_halo(d)) * s.plane : 1;
    s.before = malloc(bytes ? bytes : 1);
    s.after = malloc(bytes ? bytes : 1);
    const weft_status ran = run_laplace(&s, sweeps);
    free(s.before);
    free(s.after);
    return ran;
}
