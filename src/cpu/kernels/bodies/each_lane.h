/* Initializer of a vector with E(lane) for each lane. */
#if VECTOR_BYTES / REAL_BYTES == 16
#define EACH_LANE(E) \
    { E(0), E(1), E(2), E(3), E(4), E(5), E(6), E(7), E(8), E(9), E(10), E(11), E(12), E(13), E(14), E(15) }
#elif VECTOR_BYTES / REAL_BYTES == 8
#define EACH_LANE(E) \
    { E(0), E(1), E(2), E(3), E(4), E(5), E(6), E(7) }
#elif VECTOR_BYTES / REAL_BYTES == 4
#define EACH_LANE(E) \
    { E(0), E(1), E(2), E(3) }
#else
#define EACH_LANE(E) \
    { E(0), E(1) }
#endif
