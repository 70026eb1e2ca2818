/* Undoes the definitions of cpu/kernels/bodies/complex_body.h and of its includer, for the next type. */
#undef REAL
#undef REAL_BYTES
#undef LANE
#undef FUSED
#undef FUSED_LANES
#undef CANONICAL
#undef NAN_BITS
#undef OF
#undef WIDTH
#undef COMPLEX
#undef VECTOR
#undef LANES
#undef EACH_LANE
#undef LOW
#undef VALUE_OF
#undef LANE_OF
