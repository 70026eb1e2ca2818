/* Reciprocals of pivots, for one type. Included after tridiag_lanes_body.h; the includer also defines EPSILON, LEAST
 * and GREATEST. */

/* Computes R(p, b) of ORDER.md 16.1 for one row of each lane. */
INLINE VECTOR OF(reciprocal)(LANES *lost, size_t row, VECTOR p, VECTOR b) {
    const VECTOR nan = (VECTOR)((LANES){0} + (LANE)NOT_A_NUMBER), size = OF(magnitude)(p);
    const VECTOR least = OF(fused)(OF(splat)(EPSILON), OF(magnitude)(b), OF(splat)(LEAST));
    const LANES is_lost = (LANES)(size <= least) | (LANES)(size >= OF(splat)(GREATEST));
    const LANES here = ~is_lost | (LANE)row;
    const LANES earlier = (LANES)(here < *lost);
    *lost = (earlier & here) | (~earlier & *lost);
    return OF(select)(is_lost, nan, OF(splat)(1) / p);
}
