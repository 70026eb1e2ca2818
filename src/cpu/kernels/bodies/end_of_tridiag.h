/* Undefines the macros of tridiag_lanes_body.h and of its includer. */
#undef WIDTH
#undef VECTOR
#undef LANES
#undef CHUNK
#undef NOWHERE
#undef REAL
#undef LANE
#undef FUSED
#undef NOT_A_NUMBER
#undef INFINITE
#undef OF
