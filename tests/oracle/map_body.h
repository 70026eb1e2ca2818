/* Body of tests/oracle/map.c for formulas in T: the corresponding C code, whose operands are all of type T, compiled
 * with -ffp-contract=off to keep each rounding. FORMULAS(F) are those of the type, of x, y, a and i. */

static T OF(least)(T x, T y) {
    if (IS_NAN(x) || IS_NAN(y)) return x + y;
    return x < y || (x == y && IS_NEGATIVE(x)) ? x : y;
}

static T OF(greatest)(T x, T y) {
    if (IS_NAN(x) || IS_NAN(y)) return x + y;
    return x < y || (x == y && IS_NEGATIVE(x)) ? y : x;
}

static void OF(compare)(input_kind kind) {
    static T x_of[N], y_of[N], wanted[N];
    static const T a = 3;
    const weft_binding all[] = {{"x", DTYPE, x_of, NULL}, {"y", DTYPE, y_of, NULL}, {"a", DTYPE, NULL, &a}};
    input_fill(kind, DTYPE, 1, N, x_of);
    input_fill(kind, DTYPE, 2, N, y_of);
    for (size_t i = 0; i < N; i += 3) y_of[i] = x_of[i];
#define least OF(least)
#define greatest OF(greatest)
#define FORMULA(text, value)              \
    for (size_t i = 0; i < N; i++) {      \
        const T x = x_of[i], y = y_of[i]; \
        const T v = (T)(value);           \
        (void)x, (void)y;                 \
        wanted[i] = STORED(v);            \
    }                                     \
    check(text, input_name(kind), DTYPE, all, wanted);
    FORMULAS
#undef FORMULA
#undef least
#undef greatest
}

#undef T
#undef OF
#undef DTYPE
#undef FORMULAS
#undef IS_NAN
#undef IS_NEGATIVE
#undef STORED
