/* weft_dist_laplace: each rank has a contiguous slice of whole planes. Each round exchanges halos of `halo` planes
 * with the adjacent ranks, and makes `halo` sweeps on the slice with its halos. Errors due to the missing planes
 * beyond the halos spread by one plane per sweep, and do not reach the slice's own planes. No bit depends on the
 * number of sweeps of a round. If planes are exchanged by MPI or through host memory, the slice is swept without its
 * halos meanwhile. The planes next to the borders, which are then wrong, are swept again after the halos have
 * arrived.
 *
 *     halo of 3 planes    ---|==============================|---     --- received from the adjacent ranks
 *     during the exchange    |~~~..........................~~~|     ~~~ wrong, because halos are missing
 *     afterwards          ---...~~~                  ~~~...---      ... correct, and kept
 *
 * Two buffers contain the slice with its halos alternately: a round sweeps from one to the other. Only halos are
 * moved. */
#include "core/types.h"
#include "dist/dist.h"

#include <string.h>

enum { HALO_MOST_F32 = 8, HALO_MOST_F64 = 6 }; /* twice the sweeps of one pass over memory on a GPU */

/* Returns the maximum number of planes of a halo: a 64th of the average slice, to keep the number of planes swept
 * twice small, but at least 1 and at most HALO_MOST. */
static size_t most_halo(const weft_dist *d, weft_dtype dtype) {
    const uint64_t share = dist_total(d) / (64 * (uint64_t)d->size);
    const uint64_t most = dtype == WEFT_F32 ? HALO_MOST_F32 : HALO_MOST_F64;
    return share < 1 ? 1 : (size_t)(share > most ? most : share);
}

typedef struct sweeping {
    weft_dist *d;
    weft_dtype dtype;
    size_t nx, ny, plane, planes; /* plane: bytes of a plane; planes: number of planes of this rank */
    char *before, *after;         /* buffers, in which the slice begins `margin` planes from the start */
    char *rim;                    /* buffer for the planes next to a border, swept again */
    size_t margin, halo; /* margin: maximum number of planes of a halo; halo: planes of a halo in this round */
    const char *from;    /* slice that a round reads: in `before`, or the caller's */
    char *to;            /* slice that a round writes: in `after`, or the caller's */
    bool apart;          /* the round first sweeps the slice without its halos */
} sweeping;

/* Returns the slice of `rank` with a halo of s->halo planes on either side, or fewer at the ends of the grid. */
static extent with_halo(const weft_dist *d, int rank, size_t size) {
    const sweeping *const s = d->call;
    const uint64_t begin = d->begin[rank], end = d->begin[rank + 1], halo = s->halo, total = dist_total(d);
    (void)size;
    if (begin == end) return (extent){begin, begin};
    return (extent){begin > halo ? begin - halo : 0, total - end > halo ? end + halo : total};
}

/* Returns the address of plane z of the grid in `at`, which is s->before or s->after. */
static char *plane_in(const sweeping *s, char *at, uint64_t z) {
    return at + (size_t)(z + s->margin - dist_first(s->d)) * s->plane;
}

/* Starts to receive the halos into s->before, next to this rank's own planes, which are not moved. */
static weft_status begin_halos(const sweeping *s) {
    weft_dist *const d = s->d;
    dist_wish(d, s->plane, with_halo);
    d->in[d->rank] = d->out[d->rank] = (extent){0, 0};
    return dist_begin_move(d, plane_in(s, s->before, dist_first(d)),
                           plane_in(s, s->before, with_halo(d, d->rank, s->plane).first));
}

/* Makes the sweeps of a round on `planes` planes, as if the grid had no others. */
static weft_status sweep(const sweeping *s, size_t planes, const char *from, char *to) {
    return dist_took(s->d, weft_laplace(s->d->ctx, s->dtype, s->nx, s->ny, planes, s->halo, from, to, NULL));
}

/* Returns true if the slice is read from and written to the caller's arrays directly. Copying it to a buffer and
 * back takes as long as sweeping it twice. */
static bool is_wide(const sweeping *s) { return s->planes > 4 * s->margin; }

/* Selects the arrays that a round reads and writes, and decides if the slice is swept while the halos are exchanged.
 * This is necessary if the round reads or writes the caller's arrays, where the slice is not next to its halos.
 * Otherwise it pays only if the exchange takes time, which it does not by NCCL: two H200s lost 0.5 ms per round of 6
 * sweeps of 2^30 points by sweeping 18 planes at a border again. */
static void plan_round(sweeping *s, bool first, bool last, const void *u, void *v) {
    const weft_dist *const d = s->d;
    const bool reads = first && is_wide(s), writes = last && is_wide(s);
    s->from = reads ? u : plane_in(s, s->before, dist_first(d));
    s->to = writes ? v : plane_in(s, s->after, dist_first(d));
    s->apart = reads || writes || (!d->blocks && s->planes > 2 * s->halo);
}

/* Sweeps `planes` of s->before, and copies the planes `kept` to s->to. */
static weft_status sweep_rim(const sweeping *s, extent planes, extent kept) {
    RETURN_IF_ERROR(sweep(s, (size_t)(planes.end - planes.first), plane_in(s, s->before, planes.first), s->rim));
    return dist_copy(s->d, (size_t)(kept.end - kept.first) * s->plane,
                     s->rim + (size_t)(kept.first - planes.first) * s->plane,
                     s->to + (size_t)(kept.first - dist_first(s->d)) * s->plane);
}

/* Completes a round after the halos have arrived. Sweeps again the planes next to the borders, which are wrong
 * without the halos. If s->apart is false, sweeps all planes, for the first time. */
static weft_status sweep_rims(const sweeping *s) {
    const weft_dist *const d = s->d;
    const extent all = with_halo(d, d->rank, s->plane);
    const uint64_t begin = dist_first(d), end = d->begin[d->rank + 1], halo = s->halo;
    if (s->planes == 0) return WEFT_OK;
    if (!s->apart)
        return sweep(s, (size_t)(all.end - all.first), plane_in(s, s->before, all.first),
                     plane_in(s, s->after, all.first));
    if (all.first < begin)
        RETURN_IF_ERROR(sweep_rim(s, (extent){all.first, begin + 2 * halo}, (extent){begin, begin + halo}));
    if (all.end == end) return WEFT_OK;
    return sweep_rim(s, (extent){end - 2 * halo, all.end}, (extent){end - halo, end});
}

/* Runs a round. The move is ended even if the sweeps fail. */
static weft_status run_round(sweeping *s) {
    weft_dist *const d = s->d;
    char *const spare = s->before;
    RETURN_IF_ERROR(begin_halos(s));
    weft_status status = s->apart ? sweep(s, s->planes, s->from, s->to) : WEFT_OK;
    RETURN_IF_ERROR(dist_end_move(d));
    if (status == WEFT_OK) status = sweep_rims(s);
    s->before = s->after;
    s->after = spare;
    return dist_agree(d, status);
}

/* Copies to s->before the planes that rounds need there: all, or those near the borders if the slice is wide. */
static weft_status copy_in_k_slice(const sweeping *s, const void *u) {
    weft_dist *const d = s->d;
    const size_t edge = 2 * s->margin, far = s->planes - edge;
    char *const planes_of_rank = plane_in(s, s->before, dist_first(d));
    if (s->planes == 0) return WEFT_OK;
    if (!is_wide(s)) return dist_copy(d, s->planes * s->plane, u, planes_of_rank);
    RETURN_IF_ERROR(dist_copy(d, edge * s->plane, u, planes_of_rank));
    return dist_copy(d, edge * s->plane, (const char *)u + far * s->plane, planes_of_rank + far * s->plane);
}

static weft_status hold_k_slices(sweeping *s, const void *u) {
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    const size_t bytes = s->planes ? (s->planes + 2 * s->margin) * s->plane : 0;
    weft_status status = dist_workspace(d, 0, bytes, &s->before);
    if (status == WEFT_OK) status = dist_workspace(d, 1, bytes, &s->after);
    if (status == WEFT_OK) status = dist_workspace(d, 2, s->planes ? 3 * s->margin * s->plane : 0, &s->rim);
    RETURN_IF(status == WEFT_OUT_OF_MEMORY, status, "cannot allocate memory for two copies of %zu planes", s->planes);
    RETURN_IF_ERROR(status);
    return copy_in_k_slice(s, u);
}

static weft_status run_laplace(sweeping *s, size_t sweeps, const void *u, void *v) {
    weft_dist *const d = s->d;
    d->call = s;
    RETURN_IF_ERROR(dist_agree(d, hold_k_slices(s, u)));
    for (size_t done = 0; done < sweeps; done += s->halo) {
        s->halo = sweeps - done < s->margin ? sweeps - done : s->margin;
        plan_round(s, done == 0, done + s->halo == sweeps, u, v);
        RETURN_IF_ERROR(run_round(s));
    }
    const bool is_there = s->planes == 0 || is_wide(s);
    return dist_finish(d, is_there ? WEFT_OK
                                   : dist_copy(d, s->planes * s->plane, plane_in(s, s->before, dist_first(d)), v));
}

/* Sweeps on the only rank, which has all planes: nothing is copied. */
static weft_status run_alone(const sweeping *s, size_t sweeps, const void *u, void *v) {
    weft_dist *const d = s->d;
    return dist_took(d, weft_laplace(d->ctx, s->dtype, s->nx, s->ny, s->planes, sweeps, u, v, NULL));
}

static weft_status check_laplace(const sweeping *s, const void *u, const void *v) {
    weft_dist *const d = s->d;
    weft_error *error = &d->error;
    const size_t size = weft_dtype_size(s->dtype);
    RETURN_IF(!type_is_float(s->dtype), WEFT_UNSUPPORTED, "laplace requires a grid of f32 or f64, not %s",
              weft_dtype_name(s->dtype));
    RETURN_IF(s->nx == 0 || s->ny == 0, WEFT_EMPTY, "planes of %zu x %zu have no points", s->nx, s->ny);
    RETURN_IF(s->ny > SIZE_MAX / 16 / s->nx, WEFT_INVALID, "planes of %zu x %zu points do not fit in memory", s->nx,
              s->ny);
    const size_t points = s->nx * s->ny;
    RETURN_IF(s->planes > SIZE_MAX / 16 / points, WEFT_INVALID, "%zu planes of %zu points do not fit in memory",
              s->planes, points);
    RETURN_IF_ERROR(dist_check_array(d, "u", u, points * s->planes, size));
    RETURN_IF_ERROR(dist_check_array(d, "v", v, points * s->planes, size));
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
    RETURN_IF_ERROR(dist_begin(d, "laplace", list, 4, planes, check_laplace(&s, u, v)));
    RETURN_IF(dist_total(d) == 0, WEFT_EMPTY, "a grid of %zu x %zu x 0 has no points", nx, ny);
    if (d->size == 1) return dist_finish(d, run_alone(&s, sweeps, u, v));
    s.plane = nx * ny * weft_dtype_size(dtype);
    if (sweeps == 0) return dist_finish(d, dist_copy(d, s.planes * s.plane, u, v));
    s.margin = most_halo(d, s.dtype);
    return run_laplace(&s, sweeps, u, v);
}
