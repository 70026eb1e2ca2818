/* Undefines what describes a type (cpu/kernels/bodies/each_accumulator.h, scan_values_body.h). */
#undef BYTES
#undef WIDTH
#undef GROUP_VECTORS
#undef VECTOR
#undef LANES
#undef SIGNED_LANES
#undef LANE_BITS
#undef LANE_MAX
#undef A
#undef LANE
#undef SIGNED_LANE
#undef IS_FLOAT
#undef OWN_TYPE
#undef KEYS_OF
#undef MEMBER
#undef OF
