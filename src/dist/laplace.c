/* weft_dist_laplace: slabs of whole planes. Each round brings some planes of the neighbours on either side and makes
 * as many sweeps on the slab with them: what the outermost planes lack spreads by a plane a sweep, and does not reach
 * the slab's own. No bit depends on how many sweeps a round makes. While planes come by MPI or through host memory
 * the slab is swept without them, and what that leaves wrong beside the borders is swept again when they are there.
 *
 *     of 3 planes     ---|==============================|---     --- come from the neighbours
 *     while they come    |~~~..........................~~~|     ~~~ wrong, for lack of them
 *     then            ---...~~~                  ~~~...---      ... right, and kept
 *
 * Two rooms hold the slab with its halos in turns: a round sweeps from one to the other, and only halos move. */
#include "dist/dist.h"

#include <string.h>

enum { HALO_MOST_F32 = 8, HALO_MOST_F64 = 6 }; /* twice what one pass over memory sweeps on a GPU */

/* Planes that a round brings: a 64th of an average slab, so that what is swept twice stays little. */
static size_t most_halo(const weft_dist *d, weft_dtype dtype) {
    const uint64_t share = dist_total(d) / (64 * (uint64_t)d->size);
    const uint64_t most = dtype == WEFT_F32 ? HALO_MOST_F32 : HALO_MOST_F64;
    return share < 1 ? 1 : (size_t)(share > most ? most : share);
}

typedef struct sweeping {
    weft_dist *d;
    weft_dtype dtype;
    size_t nx, ny, plane, planes; /* plane: bytes of one; planes: of this rank */
    char *before, *after;         /* rooms: the slab begins `margin` planes from their start */
    char *rim;                    /* a room for what is swept beside a border */
    size_t margin, halo;          /* planes on either side: room for so many; how many a round brings */
} sweeping;

/* A slab with a halo on either side, of as many planes as there are. */
static extent with_halo(const weft_dist *d, int rank, size_t size) {
    const sweeping *const s = d->call;
    const uint64_t begin = d->begin[rank], end = d->begin[rank + 1], halo = s->halo, total = dist_total(d);
    (void)size;
    if (begin == end) return (extent){begin, begin};
    return (extent){begin > halo ? begin - halo : 0, total - end > halo ? end + halo : total};
}

/* Where plane z of the grid is in before or after. */
static char *plane_in(const sweeping *s, char *at, uint64_t z) {
    return at + (size_t)(z + s->margin - dist_first(s->d)) * s->plane;
}

/* The neighbours' planes begin to come to where they lie beside this rank's own, which stay. */
static weft_status begin_halos(const sweeping *s) {
    weft_dist *const d = s->d;
    dist_wish(d, s->plane, with_halo);
    d->in[d->rank] = d->out[d->rank] = (extent){0, 0};
    return dist_begin_move(d, plane_in(s, s->before, dist_first(d)),
                           plane_in(s, s->before, with_halo(d, d->rank, s->plane).first));
}

/* A round's sweeps on planes of `before` as if there were no others. */
static weft_status sweep(const sweeping *s, extent planes, char *to) {
    return dist_took(s->d, weft_laplace(s->d->ctx, s->dtype, s->nx, s->ny, (size_t)(planes.end - planes.first),
                                        s->halo, plane_in(s, s->before, planes.first), to, NULL));
}

/* Whether the slab is swept while the neighbours' planes come: they are not there at once, as they are by NCCL, and
 * so much of it does not ask for them. By NVLink sweeping twice beside a border, 18 planes for 6, costs more than
 * waiting: of 24 sweeps of 2^30 points two H200s lost 3.7 ms so, and 1.6 in turn, the copies of the slab apart. */
static bool has_inside(const sweeping *s) { return !s->d->blocks && s->planes > 2 * s->halo; }

/* The whole slab, of which the planes beside borders come out wrong, and are swept again. */
static weft_status sweep_inside(const sweeping *s) {
    const weft_dist *const d = s->d;
    if (!has_inside(s)) return WEFT_OK;
    return sweep(s, (extent){dist_first(d), d->begin[d->rank + 1]}, plane_in(s, s->after, dist_first(d)));
}

/* Sweeps `planes`, and keeps some of them. */
static weft_status sweep_rim(const sweeping *s, extent planes, extent kept) {
    FORWARD(sweep(s, planes, s->rim));
    return dist_copy(s->d, (size_t)(kept.end - kept.first) * s->plane,
                     s->rim + (size_t)(kept.first - planes.first) * s->plane, plane_in(s, s->after, kept.first));
}

/* What is left when the neighbours' planes are there: that which is beside them, or all that was not swept before. */
static weft_status sweep_rims(const sweeping *s) {
    const weft_dist *const d = s->d;
    const extent all = with_halo(d, d->rank, s->plane);
    const uint64_t begin = dist_first(d), end = d->begin[d->rank + 1], halo = s->halo;
    if (s->planes == 0) return WEFT_OK;
    if (!has_inside(s)) return sweep(s, all, plane_in(s, s->after, all.first));
    if (all.first < begin)
        FORWARD(sweep_rim(s, (extent){all.first, begin + 2 * halo}, (extent){begin, begin + halo}));
    if (all.end == end) return WEFT_OK;
    return sweep_rim(s, (extent){end - 2 * halo, all.end}, (extent){end - halo, end});
}

/* Whatever happens to the sweeps, the move is ended. */
static weft_status run_round(sweeping *s) {
    weft_dist *const d = s->d;
    char *const spare = s->before;
    FORWARD(begin_halos(s));
    weft_status status = sweep_inside(s);
    FORWARD(dist_end_move(d));
    if (status == WEFT_OK) status = sweep_rims(s);
    s->before = s->after;
    s->after = spare;
    return dist_agree(d, status);
}

static weft_status hold_slabs(sweeping *s, const void *u) {
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    const size_t bytes = s->planes ? (s->planes + 2 * s->margin) * s->plane : 0;
    weft_status status = dist_room(d, 0, bytes, &s->before);
    if (status == WEFT_OK) status = dist_room(d, 1, bytes, &s->after);
    if (status == WEFT_OK) status = dist_room(d, 2, s->planes ? 3 * s->margin * s->plane : 0, &s->rim);
    RETURN_IF(status == WEFT_OUT_OF_MEMORY, status, "no memory for two copies of %zu planes", s->planes);
    FORWARD(status);
    return s->planes ? dist_copy(d, s->planes * s->plane, u, plane_in(s, s->before, dist_first(d))) : WEFT_OK;
}

static weft_status run_laplace(sweeping *s, size_t sweeps, const void *u, void *v) {
    weft_dist *const d = s->d;
    d->call = s;
    FORWARD(dist_agree(d, hold_slabs(s, u)));
    for (size_t done = 0; done < sweeps; done += s->halo) {
        s->halo = sweeps - done < s->margin ? sweeps - done : s->margin;
        FORWARD(run_round(s));
    }
    const char *const slab = plane_in(s, s->before, dist_first(d));
    return dist_finish(d, s->planes ? dist_copy(d, s->planes * s->plane, slab, v) : WEFT_OK);
}

/* One rank has all planes: nothing is copied. */
static weft_status run_alone(const sweeping *s, size_t sweeps, const void *u, void *v) {
    weft_dist *const d = s->d;
    return dist_took(d, weft_laplace(d->ctx, s->dtype, s->nx, s->ny, s->planes, sweeps, u, v, NULL));
}

static weft_status check_laplace(const sweeping *s, const void *u, const void *v) {
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
    FORWARD(dist_check_array(d, "v", v, points * s->planes, size));
    if (u == v) return WEFT_OK;
    return dist_check_apart(d, "v", v, points * s->planes * size, "u", u, points * s->planes * size);
}

weft_status weft_dist_laplace(weft_dist *d, weft_dtype dtype, size_t nx, size_t ny, weft_slice planes, size_t sweeps,
                              const void *u, void *v) {
    if (!d) return WEFT_INVALID;
    weft_error *error = &d->error;
    sweeping s = {.d = d, .dtype = dtype, .nx = nx, .ny = ny, .planes = planes.count};
    const agreed list[] = {{"the type", AS_TYPE, dtype},
                           {"nx", AS_NUMBER, nx},
                           {"ny", AS_NUMBER, ny},
                           {"the number of sweeps", AS_NUMBER, sweeps}};
    FORWARD(dist_begin(d, "laplace", list, 4, planes, check_laplace(&s, u, v)));
    RETURN_IF(dist_total(d) == 0, WEFT_EMPTY, "a grid of %zu x %zu x 0 has no points", nx, ny);
    if (d->size == 1) return dist_finish(d, run_alone(&s, sweeps, u, v));
    s.plane = nx * ny * weft_dtype_size(dtype);
    s.margin = most_halo(d, s.dtype);
    return run_laplace(&s, sweeps, u, v);
}
