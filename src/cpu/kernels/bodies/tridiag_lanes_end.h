/* Undefines the macros of tridiag_lanes_body.h and those that it requires. */
#undef WIDTH
#undef VECTOR
#undef LANES
#undef NOWHERE
#undef REAL
#undef LANE
#undef FUSED
#undef EPSILON
#undef LEAST
#undef GREATEST
#undef NOT_A_NUMBER
#undef INFINITE
#undef OF
