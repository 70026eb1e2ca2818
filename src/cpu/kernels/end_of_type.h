/* What cpu/kernels/each_type.h set for one type ends here. */
#undef T
#undef OF
#undef U
#undef IS_SIGNED
#undef IS_FLOAT
#undef COUNT
#undef WIDE
#undef TOTAL
