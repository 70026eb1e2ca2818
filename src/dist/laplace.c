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
    const char *from;             /* the slab that a round reads, in `before` or the caller's, */
    char *to;                     /* and that it writes, in `after` or the caller's */
    bool apart;                   /* a round sweeps the slab without its halos first */
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

/* A round's sweeps on some planes as if there were no others. */
static weft_status sweep(const sweeping *s, size_t planes, const char *from, char *to) {
    return dist_took(s->d, weft_laplace(s->d->ctx, s->dtype, s->nx, s->ny, planes, s->halo, from, to, NULL));
}

/* A slab that has so many planes is read where the caller has it, and its result is written there: copying it in and
 * out takes as long as sweeping it twice. */
static bool is_wide(const sweeping *s) { return s->planes > 4 * s->margin; }

/* Chooses where a round reads and writes, and whether the slab is swept while the neighbours' planes come. It must be
 * where it does not lie beside them; else that is worth it if they are not there at once, as they are by NCCL: two
 * H200s lost 0.5 ms a round of 6 sweeps of 2^30 points by sweeping 18 planes beside a border again. */
static void plan_round(sweeping *s, bool first, bool last, const void *u, void *v) {
    const weft_dist *const d = s->d;
    const bool reads = first && is_wide(s), writes = last && is_wide(s);
    s->from = reads ? u : plane_in(s, s->before, dist_first(d));
    s->to = writes ? v : plane_in(s, s->after, dist_first(d));
    s->apart = reads || writes || (!d->blocks && s->planes > 2 * s->halo);
}

/* Sweeps `planes` of `before`, and keeps some of them. */
static weft_status sweep_rim(const sweeping *s, extent planes, extent kept) {
    FORWARD(sweep(s, (size_t)(planes.end - planes.first), plane_in(s, s->before, planes.first), s->rim));
    return dist_copy(s->d, (size_t)(kept.end - kept.first) * s->plane,
                     s->rim + (size_t)(kept.first - planes.first) * s->plane,
                     s->to + (size_t)(kept.first - dist_first(s->d)) * s->plane);
}

/* What is left when the neighbours' planes are there: that which is beside them and came out wrong without them, or
 * all that was not swept before. */
static weft_status sweep_rims(const sweeping *s) {
    const weft_dist *const d = s->d;
    const extent all = with_halo(d, d->rank, s->plane);
    const uint64_t begin = dist_first(d), end = d->begin[d->rank + 1], halo = s->halo;
    if (s->planes == 0) return WEFT_OK;
    if (!s->apart)
        return sweep(s, (size_t)(all.end - all.first), plane_in(s, s->before, all.first),
                     plane_in(s, s->after, all.first));
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
    weft_status status = s->apart ? sweep(s, s->planes, s->from, s->to) : WEFT_OK;
    FORWARD(dist_end_move(d));
    if (status == WEFT_OK) status = sweep_rims(s);
    s->before = s->after;
    s->after = spare;
    return dist_agree(d, status);
}

/* Brings to `before` what rounds need there: of a wide slab what is near its borders. */
static weft_status bring_slab(const sweeping *s, const void *u) {
    weft_dist *const d = s->d;
    const size_t edge = 2 * s->margin, far = s->planes - edge;
    char *const slab = plane_in(s, s->before, dist_first(d));
    if (s->planes == 0) return WEFT_OK;
    if (!is_wide(s)) return dist_copy(d, s->planes * s->plane, u, slab);
    FORWARD(dist_copy(d, edge * s->plane, u, slab));
    return dist_copy(d, edge * s->plane, (const char *)u + far * s->plane, slab + far * s->plane);
}

static weft_status hold_slabs(sweeping *s, const void *u) {
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    const size_t bytes = s->planes ? (s->planes + 2 * s->margin) * s->plane : 0;
    weft_status status = dist_room(d, 0, bytes, &s->before);
    if (status == WEFT_OK) status = dist_room(d, 1, bytes, &s->after);
    if (status == WEFT_OK) status = dist_room(d, 2, s->planes ? 3 * s->margin * s->plane : 0, &s->rim);
    RETURN_IF(status == WEFT_OUT_OF_MEMORY, status, "cannot allocate memory for two copies of %zu planes", s->planes);
    FORWARD(status);
    return bring_slab(s, u);
}

static weft_status run_laplace(sweeping *s, size_t sweeps, const void *u, void *v) {
    weft_dist *const d = s->d;
    d->call = s;
    FORWARD(dist_agree(d, hold_slabs(s, u)));
    for (size_t done = 0; done < sweeps; done += s->halo) {
        s->halo = sweeps - done < s->margin ? sweeps - done : s->margin;
        plan_round(s, done == 0, done + s->halo == sweeps, u, v);
        FORWARD(run_round(s));
    }
    const bool is_there = s->planes == 0 || is_wide(s);
    return dist_finish(d, is_there ? WEFT_OK
                                   : dist_copy(d, s->planes * s->plane, plane_in(s, s->before, dist_first(d)), v));
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
              "laplace requires a grid of f32 or f64, not %s", weft_dtype_name(s->dtype));
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
    const agreed list[] = {{"dtype", AS_TYPE, dtype},
                           {"nx", AS_NUMBER, nx},
                           {"ny", AS_NUMBER, ny},
                           {"the number of sweeps", AS_NUMBER, sweeps}};
    FORWARD(dist_begin(d, "laplace", list, 4, planes, check_laplace(&s, u, v)));
    RETURN_IF(dist_total(d) == 0, WEFT_EMPTY, "a grid of %zu x %zu x 0 has no points", nx, ny);
    if (d->size == 1) return dist_finish(d, run_alone(&s, sweeps, u, v));
    s.plane = nx * ny * weft_dtype_size(dtype);
    if (sweeps == 0) return dist_finish(d, dist_copy(d, s.planes * s.plane, u, v));
    s.margin = most_halo(d, s.dtype);
    return run_laplace(&s, sweeps, u, v);
}
