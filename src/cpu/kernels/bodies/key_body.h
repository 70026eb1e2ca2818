/* Unsigned keys in the total order of ORDER.md 12.1, for bodies that cpu/kernels/bodies/each_type.h includes. They
 * are computed from the bits in integer arithmetic, for which compilers generate code without branches. */

INLINE U OF(bits_at)(const void *array, size_t i) {
    const T x = ((const T *)array)[i];
    U bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Returns the key of a value that is not a NaN. */
INLINE U OF(key_of_number)(U bits) {
    const U sign = (U)((U)1 << (8 * sizeof(U) - 1));
    if (IS_FLOAT) return (U)(bits ^ (((U)0 - (bits >> (8 * sizeof(U) - 1))) | sign));
    return IS_SIGNED ? (U)(bits ^ sign) : bits;
}

INLINE U OF(key_of_bits)(U bits) {
#if IS_FLOAT
    const U nan = (U)((U)0 - (U)((U)(bits << 1) / 2 > INFINITE));
    return (U)(OF(key_of_number)(bits) | nan);
#else
    return OF(key_of_number)(bits);
#endif
}

INLINE U OF(key_at)(const void *array, size_t i) { return OF(key_of_bits)(OF(bits_at)(array, i)); }
