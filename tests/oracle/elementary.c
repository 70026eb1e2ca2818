/* Tests the elementary functions of ORDER.md 18. src/arith, compiled for each level of the instruction set, must be
 * bitwise equal to src/ref. Both are compared with MPFR, in units in the last place. Philox is compared with its
 * published results.
 *     oracle_elementary            random, structured and special arguments
 *     oracle_elementary --all [FUNCTION...]    every f32 argument of the functions of one argument */
#include "ref/common/elementary.h"
#include "arith/bits.h"
#include "ref/common/philox.h"
#include "tests/expect.h"
#include "tests/oracle/elementary_lanes.h"
#include "tests/oracle/elementary_truth.h"
#include "verify/inputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct function {
    const char *name;
    double (*ref)(double);
    double bound; /* in units in the last place (ulp) */
} functions[ELEMENTARY_COUNT] = {
    [ELEMENTARY_exp] = {"exp", ref_exp, 0.8},  [ELEMENTARY_log] = {"log", ref_log, 0.8},
    [ELEMENTARY_sin] = {"sin", ref_sin, 0.85}, [ELEMENTARY_cos] = {"cos", ref_cos, 0.85},
    [ELEMENTARY_erf] = {"erf", ref_erf, 1},    [ELEMENTARY_probit] = {"probit", ref_probit, 2.5},
};
static const double pow_bound = 0.9, f32_bound = 0.5000001;

/* ------------------------------------------------------------------------------------ levels */

#define LEVEL(name, isa) extern const elementary_level elementary_##name;
#include "cpu/runtime/levels.def"

static bool usable(const char *name) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (strcmp(name, "v2") == 0) return __builtin_cpu_supports("sse4.2");
    if (strcmp(name, "v3") == 0) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(name, "v4") == 0) return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    return strcmp(name, "base") == 0;
}

/* Returns the levels of the instruction set that this machine supports, terminated by NULL. */
static const elementary_level *const *levels(void) {
    static const elementary_level *found[8];
    size_t count = 0;
#define LEVEL(level, isa) \
    if (usable(#level)) found[count++] = &elementary_##level;
#include "cpu/runtime/levels.def"
    return found;
}

/* --------------------------------------------------------------------------------- arguments */

enum { N = 1 << 17, EVERY = 7 }; /* arguments per function; one in EVERY is compared with MPFR */
static double x[N], y[N], wanted[N], found[N], cosine[N];
static float x32[N], y32[N], found32[N];

static double unit(uint64_t seed, uint64_t i) { return (double)(input_random(seed, i) >> 11) * 0x1p-53; }
static double any(uint64_t seed, uint64_t i) { return weft_from_bits_f64(input_random(seed, i)); }

/* Arguments at which something changes: ends of ranges, branch cuts, results at the ends of the format; and the
 * numbers nearest to multiples of pi/2, of all and of those up to 2^23. */
static const double edges[] = {0,
                               0x1p-1074,
                               0x1p-1022,
                               0x1.fffffffffffffp1023,
                               1,
                               0x1.6a09e667f3bcdp-1,
                               0x1.6a09e667f3bcdp0,
                               2,
                               0.5,
                               709.782712893384,
                               708.396418532264,
                               710,
                               745.133219101941,
                               746,
                               0x1p23,
                               0x1p52,
                               0x1.6ac5b262ca1ffp849,
                               0x1.6c6cbc45dc8dep5,
                               0x1.39c6fd67805a7p18,
                               0x1.9eb7148f354d6p20,
                               0.425,
                               0.075,
                               0.925,
                               1.3887943864964021e-11,
                               5.95,
                               6,
                               1e-300,
                               0x1p-54,
                               0x1p-27,
                               0x1.921fb54442d18p-1,
                               0x1.921fb54442d18p0,
                               5.921587195794508,
                               0x1p1023,
                               0x1p-30,
                               103.97208,
                               88.72284};

enum { EDGES = 6 * COUNT(edges) };

/* Returns edge i / 6 with either sign, or a number adjacent to it. */
static double edge(size_t i) {
    const double e = edges[i / 6], moved = i % 3 == 0 ? e : nextafter(e, i % 3 == 1 ? INFINITY : -INFINITY);
    return i / 3 % 2 ? -moved : moved;
}

/* Returns random argument i, from the ranges that matter most for the function. */
static double argument(elementary function, uint64_t i) {
    const double u = unit(1, i), v = 2 * unit(2, i) - 1;
    const int size = (int)(input_random(3, i) % 1024);
    if (i % 4 == 0) return any(4, i);
    switch (function) {
    case ELEMENTARY_exp:
        return i % 4 == 1   ? 750 * v
               : i % 4 == 2 ? ldexp(v, -(size % 64))
                            : (size % 99 + 0.5) * 0.6931471805599453 + v * 1e-9;
    case ELEMENTARY_log: return i % 4 == 1 ? 1 + ldexp(v, -(size % 53)) : i % 4 == 2 ? 0.6 + u : ldexp(1 + u, size);
    case ELEMENTARY_sin:
    case ELEMENTARY_cos:
        if (i % 4 == 1) return 4 * v;
        return i % 4 == 2 ? rint(ldexp(v, size % 54)) * 1.5707963267948966 : ldexp(v, size);
    case ELEMENTARY_erf: return i % 4 == 1 ? v : i % 4 == 2 ? 6 * v : ldexp(v, -size);
    default: return i % 4 == 1 ? u : i % 4 == 2 ? ldexp(u, -size) : 0.5 + ldexp(v, -(size % 54) - 1);
    }
}

static void fill(elementary function) {
    for (size_t i = 0; i < N; i++) {
        x[i] = i < EDGES ? edge(i) : argument(function, i);
        const uint32_t bits = (uint32_t)(input_random(5, i) >> 32);
        x32[i] = i % 2 ? (float)x[i] : weft_from_bits_f32(bits);
    }
}

/* -------------------------------------------------------------------------- functions of one */

static bool same(double a, double b) { return weft_bits_f64(a) == weft_bits_f64(b); }
static bool same32(float a, float b) { return weft_bits_f32(a) == weft_bits_f32(b); }

static void check_bits(elementary function) {
    const struct function *f = &functions[function];
    size_t differ = 0, differ32 = 0;
    for (size_t i = 0; i < N; i++) wanted[i] = f->ref(x[i]);
    for (const elementary_level *const *l = levels(); *l; l++) {
        (*l)->f64[function](N, x, found);
        for (size_t i = 0; i < N; i++)
            if (!same(found[i], wanted[i]) && differ++ < 3)
                EXPECT(false, "%s: %s(%a) = %a, defined as %a", (*l)->name, f->name, x[i], found[i], wanted[i]);
        (*l)->f32[function](N, x32, found32);
        for (size_t i = 0; i < N; i++) {
            const float defined = weft_canonical_f32((float)f->ref((double)x32[i]));
            if (!same32(found32[i], defined) && differ32++ < 3)
                EXPECT(false, "%s: %s(%af) = %a, defined as %a", (*l)->name, f->name, (double)x32[i],
                       (double)found32[i], (double)defined);
        }
    }
    EXPECT(differ == 0 && differ32 == 0, "%s: %zu values of f64 and %zu of f32 differ", f->name, differ, differ32);
}

/* Returns |v| in units in the last place of f64 at v. */
static double units_in(double v) { return fabs(v) / (nextafter(fabs(v), INFINITY) - fabs(v)); }

/* Checks the largest errors. check_bits must have found all levels identical. */
static void check_error(elementary function) {
    const struct function *f = &functions[function];
    double most = 0, most32 = 0, at = 0, relative = 0;
    for (size_t i = 0; i < N; i += i < EDGES ? 1 : EVERY) {
        const double error = truth_error_f64(function, x[i], wanted[i]);
        if (error > most) most = error, at = x[i];
        if (fabs(wanted[i]) >= 0x1p-1022 && isfinite(wanted[i]))
            relative = fmax(relative, error / units_in(wanted[i]));
        if (i % (3 * EVERY) < EVERY) most32 = fmax(most32, truth_error_f32(function, x32[i], found32[i]));
    }
    printf("%-6s  f64: %.4f ulp at %a, relative %.3g; f32: %.8f ulp\n", f->name, most, at, relative, most32);
    EXPECT(most <= f->bound, "%s(%a) is off by %g ulp", f->name, at, most);
    EXPECT(most32 <= f32_bound, "%s of f32 is off by %.9g ulp", f->name, most32);
    if (function == ELEMENTARY_probit) EXPECT(relative <= 4e-16, "probit: relative error %g", relative);
}

/* Checks values that are exact, a sign, or NaN: FUNCTION(ARGUMENT) is RESULT. */
static void check_values(void) {
    static const struct {
        elementary function;
        double x, value;
    } values[] = {
        {ELEMENTARY_exp, 0.0, 1},
        {ELEMENTARY_exp, -0.0, 1},
        {ELEMENTARY_exp, INFINITY, INFINITY},
        {ELEMENTARY_exp, -INFINITY, 0},
        {ELEMENTARY_exp, 0x1.62e42fefa39efp+9, 0x1.fffffffffff2ap+1023},
        {ELEMENTARY_exp, 0x1.62e42fefa39fp+9, INFINITY},
        {ELEMENTARY_exp, -0x1.74910d52d3051p+9, 0x1p-1074},
        {ELEMENTARY_exp, -0x1.74910d52d3052p+9, 0},
        {ELEMENTARY_exp, NAN, NAN},
        {ELEMENTARY_log, 0.0, -INFINITY},
        {ELEMENTARY_log, -0.0, -INFINITY},
        {ELEMENTARY_log, 1, 0},
        {ELEMENTARY_log, INFINITY, INFINITY},
        {ELEMENTARY_log, -INFINITY, NAN},
        {ELEMENTARY_log, -0x1p-1074, NAN},
        {ELEMENTARY_log, NAN, NAN},
        {ELEMENTARY_sin, 0.0, 0.0},
        {ELEMENTARY_sin, -0.0, -0.0},
        {ELEMENTARY_sin, -0x1p-1074, -0x1p-1074},
        {ELEMENTARY_sin, INFINITY, NAN},
        {ELEMENTARY_sin, -INFINITY, NAN},
        {ELEMENTARY_sin, NAN, NAN},
        {ELEMENTARY_cos, -0.0, 1},
        {ELEMENTARY_cos, INFINITY, NAN},
        {ELEMENTARY_cos, -INFINITY, NAN},
        {ELEMENTARY_cos, NAN, NAN},
        {ELEMENTARY_erf, 0.0, 0.0},
        {ELEMENTARY_erf, -0.0, -0.0},
        {ELEMENTARY_erf, -0x1p-1074, -0x1p-1074},
        {ELEMENTARY_erf, INFINITY, 1},
        {ELEMENTARY_erf, -INFINITY, -1},
        {ELEMENTARY_erf, NAN, NAN},
        {ELEMENTARY_probit, 0.0, -INFINITY},
        {ELEMENTARY_probit, -0.0, -INFINITY},
        {ELEMENTARY_probit, 0.5, 0.0},
        {ELEMENTARY_probit, 1, INFINITY},
        {ELEMENTARY_probit, -0x1p-1074, NAN},
        {ELEMENTARY_probit, 0x1.0000000000001p0, NAN},
        {ELEMENTARY_probit, INFINITY, NAN},
        {ELEMENTARY_probit, -INFINITY, NAN},
        {ELEMENTARY_probit, NAN, NAN},
    };
    for (size_t i = 0; i < COUNT(values); i++) {
        const struct function *f = &functions[values[i].function];
        const double value = f->ref(values[i].x), minus_nan = f->ref(-NAN);
        EXPECT(same(value, weft_canonical_f64(values[i].value)), "%s(%a) = %a", f->name, values[i].x, value);
        EXPECT(same(minus_nan, weft_canonical_f64(NAN)), "%s of a NaN is another", f->name);
    }
}

/* ------------------------------------------------------------------------------------- pow */

/* C17 F.10.4.4: x, y, and x^y. */
static void check_pow_values(void) {
    static const double inf = INFINITY, least = 0x1p-1074;
    const double values[][3] = {
        {0.0, -3, inf},
        {-0.0, -3, -inf},
        {0.0, -2, inf},
        {-0.0, -2, inf},
        {-0.0, -2.5, inf},
        {-0.0, -inf, inf},
        {0.0, 3, 0.0},
        {-0.0, 3, -0.0},
        {0.0, 2, 0.0},
        {-0.0, 2, 0.0},
        {-0.0, 2.5, 0.0},
        {-1, inf, 1},
        {-1, -inf, 1},
        {1, NAN, 1},
        {1, inf, 1},
        {NAN, 0.0, 1},
        {inf, -0.0, 1},
        {-2, 0.0, 1},
        {-2, 0.5, NAN},
        {-least, 1.5, NAN},
        {0.5, -inf, inf},
        {-0.5, -inf, inf},
        {2, -inf, 0.0},
        {-2, -inf, 0.0},
        {0.5, inf, 0.0},
        {-0.5, inf, 0.0},
        {2, inf, inf},
        {-2, inf, inf},
        {-inf, -3, -0.0},
        {-inf, -2, 0.0},
        {-inf, -2.5, 0.0},
        {-inf, 3, -inf},
        {-inf, 2, inf},
        {-inf, 2.5, inf},
        {inf, -1, 0.0},
        {inf, least, inf},
        {NAN, 1, NAN},
        {2, NAN, NAN},
        {NAN, NAN, NAN},
        {-2, 3, -8},
        {-2, 2, 4},
        {3, 5, 243},
        {10, 15, 1e15},
        {-10, -1, -0.1},
        {7, 1, 7},
        {2, -1074, least},
        {2, -1075, 0.0},
        {-2, -1074, least},
        {-2, -1073, -2 * least},
        {2, 1023, 0x1p1023},
        {2, 1024, inf},
        {-2, 1025, -inf},
        {4, 0.5, 2},
        {0x1p-1074, 0.5, 0x1p-537},
        {-1, 0x1p53, 1},
        {-1, 0x1.fffffffffffffp52, -1},
        {-1, 0x1.0000000000001p53, 1},
        {0x1.fffffffffffffp-1, 0x1p64, 0.0},
        {0x1.0000000000001p0, 0x1p64, inf},
        {0x1.fffffffffffffp-1, 1e300, 0.0},
        {-0x1.fffffffffffffp-1, -1e300, inf},
    };
    for (size_t i = 0; i < COUNT(values); i++) {
        const double value = ref_pow(values[i][0], values[i][1]);
        EXPECT(same(value, weft_canonical_f64(values[i][2])), "pow(%a, %a) = %a", values[i][0], values[i][1], value);
        x[i] = values[i][0], y[i] = values[i][1];
        wanted[i] = value;
    }
    for (const elementary_level *const *l = levels(); *l; l++) {
        (*l)->pow_f64(COUNT(values), x, y, found);
        for (size_t i = 0; i < COUNT(values); i++)
            EXPECT(same(found[i], wanted[i]), "%s: pow(%a, %a) = %a", (*l)->name, x[i], y[i], found[i]);
    }
}

/* Fills with powers: near 1, at the ends of the format, of and to small integers, and of arbitrary numbers. */
static void fill_pow(void) {
    for (uint64_t i = 0; i < N; i++) {
        const double u = unit(11, i), v = 2 * unit(12, i) - 1;
        const int size = (int)(input_random(13, i) % 1024);
        switch (i % 6) {
        case 0: x[i] = any(14, i), y[i] = any(15, i); break;
        case 1: x[i] = 1 + ldexp(v, -1 - size % 52), y[i] = ldexp(2 * u - 1, size % 60); break;
        case 2:
            x[i] = ldexp(0.5 + u, size - 512), y[i] = (v < 0 ? -745 : 710) * (1 + u / 50) / fabs(log(x[i]));
            break;
        case 3: x[i] = (double)(size - 512), y[i] = rint(100 * v); break;
        case 4: x[i] = weft_from_bits_f64(input_random(16, i) >> 1), y[i] = 1.5 * v; break;
        default: x[i] = 0.5 + 1.5 * u, y[i] = 1500 * v;
        }
        x32[i] = (float)x[i];
        y32[i] = (float)y[i];
        wanted[i] = ref_pow(x[i], y[i]);
    }
}

static void check_pow(void) {
    double most = 0, most32 = 0, at[2] = {0, 0};
    size_t differ = 0;
    fill_pow();
    for (const elementary_level *const *l = levels(); *l; l++) {
        (*l)->pow_f64(N, x, y, found);
        (*l)->pow_f32(N, x32, y32, found32);
        for (size_t i = 0; i < N; i++) {
            const float defined = weft_canonical_f32((float)ref_pow((double)x32[i], (double)y32[i]));
            if ((!same(found[i], wanted[i]) || !same32(found32[i], defined)) && differ++ < 3)
                EXPECT(false, "%s: pow(%a, %a) = %a, defined as %a; f32: %a, defined as %a", (*l)->name, x[i], y[i],
                       found[i], wanted[i], (double)found32[i], (double)defined);
        }
    }
    EXPECT(differ == 0, "pow: %zu values differ", differ);
    for (size_t i = 0; i < N; i += EVERY) {
        const double error = truth_pow_error_f64(x[i], y[i], wanted[i]);
        if (error > most) most = error, at[0] = x[i], at[1] = y[i];
        if (i % 3 == 0) most32 = fmax(most32, truth_pow_error_f32(x32[i], y32[i], found32[i]));
    }
    printf("pow     f64: %.4f ulp at (%a, %a); f32: %.8f ulp\n", most, at[0], at[1], most32);
    EXPECT(most <= pow_bound, "pow(%a, %a) is off by %g ulp", at[0], at[1], most);
    EXPECT(most32 <= f32_bound, "pow of f32 is off by %.9g ulp", most32);
}

/* --------------------------------------------------------------------- near arguments, Philox */

/* Checks sin and cos without the branch for large arguments, on arguments that do not need it. */
static void check_near(void) {
    for (size_t i = 0; i < N; i++) {
        x[i] = i == 0 ? 0x1p23 : ldexp(2 * unit(21, i) - 1, (int)(input_random(22, i) % 60) - 36);
        if (i % 2) x[i] = rint(x[i]) * 1.5707963267948966;
        if (fabs(x[i]) > 0x1p23) x[i] /= 2;
    }
    for (const elementary_level *const *l = levels(); *l; l++) {
        size_t differ = 0;
        (*l)->near_f64(N, x, found, cosine);
        for (size_t i = 0; i < N; i++) differ += !same(found[i], ref_sin(x[i])) || !same(cosine[i], ref_cos(x[i]));
        EXPECT(differ == 0, "%s: %zu sines or cosines differ without the branch", (*l)->name, differ);
    }
}

/* Checks the results in Random123's tests/kat_vectors: counter, key, result. */
static void check_philox(void) {
    static const uint32_t known[][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
         0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
         0x24126ea1},
    };
    enum { BLOCKS = 1000 };
    static uint64_t counters[2 * BLOCKS];
    static uint32_t blocks[4 * BLOCKS];
    for (size_t i = 0; i < COUNT(known); i++) {
        uint32_t out[4];
        ref_philox(known[i], known[i] + 4, out);
        EXPECT(memcmp(out, known[i] + 6, sizeof out) == 0, "answer %zu: %08x %08x %08x %08x", i, out[0], out[1],
               out[2], out[3]);
    }
    for (size_t i = 0; i < 2 * BLOCKS; i++) counters[i] = input_random(31, i);
    for (const elementary_level *const *l = levels(); *l; l++)
        for (size_t k = 0; k < COUNT(known) + 5; k++) {
            const uint32_t *v = known[k % COUNT(known)];
            const uint64_t key = k < COUNT(known) ? v[4] | (uint64_t)v[5] << 32 : input_random(32, k);
            for (size_t word = 0; word < 2; word++) counters[word] = v[2 * word] | (uint64_t)v[2 * word + 1] << 32;
            (*l)->philox(BLOCKS, counters, key, blocks);
            for (size_t i = 0; i < BLOCKS; i++) {
                const uint32_t counter[] = {(uint32_t)counters[2 * i], (uint32_t)(counters[2 * i] >> 32),
                                            (uint32_t)counters[2 * i + 1], (uint32_t)(counters[2 * i + 1] >> 32)};
                const uint32_t words[] = {(uint32_t)key, (uint32_t)(key >> 32)};
                uint32_t out[4];
                ref_philox(counter, words, out);
                EXPECT(memcmp(out, blocks + 4 * i, sizeof out) == 0, "%s: block %zu of key %zu differs", (*l)->name,
                       i, k);
            }
        }
}

/* -------------------------------------------------------------------------- all f32 arguments */

static uint32_t all_asked, all_wrong;

/* Returns libm's f64 value, or weft's if libm has no such function. Both are within 1 ulp. */
static double neighbour(elementary function, double argument) {
    switch (function) {
    case ELEMENTARY_exp: return exp(argument);
    case ELEMENTARY_log: return log(argument);
    case ELEMENTARY_sin: return sin(argument);
    case ELEMENTARY_cos: return cos(argument);
    case ELEMENTARY_erf: return erf(argument);
    default: return ref_probit(argument);
    }
}

/* Returns the error of an f32 result. If both ends of the error interval around the f64 value round to one f32, that
 * is the correct result. Otherwise MPFR decides. */
static double all_error(elementary function, float argument, float result) {
    const double value = neighbour(function, (double)argument), reach = fabs(value) * 0x1p-50;
    const float low = (float)(value - reach), high = (float)(value + reach);
    if (isinf(value)) return (double)result == value ? 0 : INFINITY;
    if (value != value) return result != result ? 0 : INFINITY;
    if (low == high) return result == low ? 0.5 : INFINITY;
    all_asked++;
    const double error = truth_error_f32(function, argument, result);
    all_wrong += error > 0.5;
    return error;
}

static void check_all(elementary function) {
    const elementary_level *const *l = levels();
    while (l[1]) l++;
    double most = 0;
    float at = 0;
    all_asked = all_wrong = 0;
    for (uint64_t start = 0; start < UINT64_C(1) << 32; start += N) {
        for (size_t i = 0; i < N; i++) x32[i] = weft_from_bits_f32((uint32_t)(start + i));
        (*l)->f32[function](N, x32, found32);
        for (size_t i = 0; i < N; i++) {
            const double error = all_error(function, x32[i], found32[i]);
            if (error > most) most = error, at = x32[i];
        }
    }
    printf("%-6s  %" PRIu32 " of all 2^32 f32 arguments put to MPFR, %" PRIu32
           " not correctly rounded; the greatest error is %.9f ulp, at %a\n",
           functions[function].name, all_asked, all_wrong, most, (double)at);
    EXPECT(most <= f32_bound, "%s(%a) is off by %.9g ulp", functions[function].name, (double)at, most);
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--all") == 0) {
        for (int f = 0; f < ELEMENTARY_COUNT; f++)
            for (int i = argc > 2 ? 2 : 1; i < argc; i++)
                if (argc == 2 || strcmp(argv[i], functions[f].name) == 0) check_all((elementary)f);
        return expect_end();
    }
    for (int f = 0; f < ELEMENTARY_COUNT; f++) {
        fill((elementary)f);
        check_bits((elementary)f);
        check_error((elementary)f);
    }
    check_values();
    check_pow_values();
    check_pow();
    check_near();
    check_philox();
    return expect_end();
}
