/* Undoes the definitions of cpu/kernels/bodies/each_type.h. */
#undef T
#undef OF
#undef U
#undef LANE
#undef IS_SIGNED
#undef IS_FLOAT
#undef INFINITE
#undef COUNT
#undef WIDE
#undef TOTAL
