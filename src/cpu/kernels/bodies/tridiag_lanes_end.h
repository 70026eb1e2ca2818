/* Undefines the macros of tridiag_lanes_body.h and tridiag_rows_body.h, and those that they require. */
#undef WIDTH
#undef VECTOR
#undef LANES
#undef CHUNK
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
