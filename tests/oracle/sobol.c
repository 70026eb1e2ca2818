/* Tests Sobol points: published points, the table of direction numbers, equidistribution on every axis and in the
 * boxes of a net, invariants and uniformity of scrambling, and an integral whose error is known. Seeds are fixed. */
#include "arith/philox.h"
#include "core/order.h"
#include "tests/oracle/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { ALL = WEFT_SOBOL_DIMENSIONS, ROWS = 1024, SCRAMBLINGS = WEFT_OWEN + 1 };
static weft_context *ctx;
static double points[ROWS * ALL];
static float shorts[ROWS * ALL];

static void make(int scrambling, uint64_t stream, size_t dimensions, uint64_t first, size_t n, double *out) {
    EXPECT_STATUS(ctx, weft_sobol(ctx, (weft_scrambling)scrambling, WEFT_F64, 7, stream, dimensions, first, n, out),
                  WEFT_OK);
}

/* Returns the 53 bits of a coordinate. */
static uint64_t bits_of(double x) { return (uint64_t)(x * 0x1p53); }

/* --------------------------------------------------------------------------------- published */

/* Computed by SciPy 1.17.1, qmc.Sobol(1111, scramble=False, bits=32): coordinates in units of 2^-32. */
static void published(void) {
    static const size_t coordinates[8] = {0, 1, 2, 3, 9, 99, 999, 1110};
    static const struct {
        uint64_t number;
        uint32_t x[8];
    } known[] = {
        {0, {0, 0, 0, 0, 0, 0, 0, 0}},
        {1, {1u << 31, 1u << 31, 1u << 31, 1u << 31, 1u << 31, 1u << 31, 1u << 31, 1u << 31}},
        {2, {0xc0000000, 0x40000000, 0x40000000, 0x40000000, 0xc0000000, 0xc0000000, 0xc0000000, 0xc0000000}},
        {3, {0x40000000, 0xc0000000, 0xc0000000, 0xc0000000, 0x40000000, 0x40000000, 0x40000000, 0x40000000}},
        {4, {0x60000000, 0x60000000, 0xa0000000, 0xe0000000, 0xa0000000, 0xe0000000, 0x20000000, 0xe0000000}},
        {5, {0xe0000000, 0xe0000000, 0x20000000, 0x60000000, 0x20000000, 0x60000000, 0xa0000000, 0x60000000}},
        {6, {0xa0000000, 0x20000000, 0xe0000000, 0xa0000000, 0x60000000, 0x20000000, 0xe0000000, 0x20000000}},
        {7, {0x20000000, 0xa0000000, 0x60000000, 0x20000000, 0xe0000000, 0xa0000000, 0x60000000, 0xa0000000}},
        {100, {0x6a000000, 0x42000000, 0xc6000000, 0xba000000, 0xb2000000, 0xe2000000, 0xea000000, 0x76000000}},
        {65535, {0x00010000, 0xffff0000, 0x90550000, 0xc3050000, 0x29f50000, 0x79070000, 0xa6190000, 0x10070000}},
        {1000007, {0x26c71000, 0xefd9f000, 0xb3f79000, 0x8b123000, 0xa1207000, 0xecb2d000, 0x2a2d7000, 0xc7ad5000}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        make(WEFT_UNSCRAMBLED, 0, ALL, known[i].number, 1, points);
        for (int k = 0; k < 8; k++)
            EXPECT(points[coordinates[k]] == known[i].x[k] * 0x1p-32, "point %" PRIu64 ", coordinate %zu: %.17g",
                   known[i].number, coordinates[k], points[coordinates[k]]);
    }
}

/* ------------------------------------------------------------------------------------- table */

/* Returns the product modulo a polynomial of the given degree over the integers modulo 2. */
static uint32_t times(uint32_t a, uint32_t b, uint32_t polynomial, int degree) {
    uint32_t product = 0;
    for (; b; b >>= 1) {
        if (b & 1) product ^= a;
        a <<= 1;
        if (a >> degree & 1) a ^= polynomial;
    }
    return product;
}

/* Returns true if x^(2^degree - 1) is the first power of x that is 1. */
static bool is_primitive(uint32_t polynomial, int degree) {
    const uint32_t order = (UINT32_C(1) << degree) - 1, x = degree == 1 ? 1 : 2;
    uint32_t power = x, count = 1;
    for (; power != 1 && count <= order; count++) power = times(power, x, polynomial, degree);
    return count == order;
}

static void table(void) {
    static const struct {
        int degree;
        uint32_t inner, m[13];
    } lines[] = {
#define DIRECTIONS(degree, inner, ...) {degree, inner, {__VA_ARGS__}},
#include "core/sobol.def"
    };
    uint32_t last = 0;
    EXPECT(sizeof lines / sizeof *lines + 1 == ALL, "%zu lines", sizeof lines / sizeof *lines);
    for (size_t i = 0; i < ALL - 1; i++) {
        const int degree = lines[i].degree;
        const uint32_t polynomial = UINT32_C(1) << degree | lines[i].inner << 1 | 1;
        EXPECT(polynomial > last && polynomial >> degree == 1, "line %zu is out of order", i);
        EXPECT(is_primitive(polynomial, degree), "line %zu: 0x%" PRIx32 " is not primitive", i, polynomial);
        for (int k = 0; k < degree; k++)
            EXPECT(lines[i].m[k] % 2 == 1 && lines[i].m[k] >> (k + 1) == 0, "line %zu: m_%d = %" PRIu32, i, k + 1,
                   lines[i].m[k]);
        last = polynomial;
    }
}

/* ------------------------------------------------------------------------------ even filling */

/* Checks 1024 points whose first number is a multiple of 1024: there must be one in each 1024th of every axis. */
static void axes(int scrambling, uint64_t first) {
    make(scrambling, 1, ALL, first, ROWS, points);
    for (size_t j = 0; j < ALL; j++) {
        bool taken[ROWS] = {false};
        size_t twice = 0;
        for (size_t i = 0; i < ROWS; i++) {
            const size_t part = (size_t)(points[i * ALL + j] * ROWS);
            twice += taken[part];
            taken[part] = true;
        }
        EXPECT(twice == 0, "scrambling %d from %" PRIu64 ", coordinate %zu: %zu parts are not met", scrambling, first,
               j, twice);
    }
}

/* Returns true if all boxes contain equally many points. Edge j of a box is 2^-cuts[j]; the boxes tile the cube. */
static bool is_even(size_t dimensions, const int *cuts, size_t n) {
    static size_t counts[ROWS];
    size_t boxes = 1;
    for (size_t j = 0; j < dimensions; j++) boxes <<= cuts[j];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++) {
        size_t box = 0;
        for (size_t j = 0; j < dimensions; j++)
            box = box << cuts[j] | (size_t)(points[i * dimensions + j] * (double)(1 << cuts[j]));
        counts[box]++;
    }
    for (size_t box = 0; box < boxes; box++)
        if (counts[box] != n / boxes) return false;
    return true;
}

/* Tries every way to halve the edges from `j` on, `left` times in total. */
static void all_cuts(int scrambling, size_t dimensions, int *cuts, size_t j, int left) {
    if (j + 1 < dimensions) {
        for (cuts[j] = 0; cuts[j] <= left; cuts[j]++) all_cuts(scrambling, dimensions, cuts, j + 1, left - cuts[j]);
        return;
    }
    cuts[j] = left;
    EXPECT(is_even(dimensions, cuts, ROWS), "scrambling %d, %zu dimensions, cuts %d, %d, ...: boxes are not alike",
           scrambling, dimensions, cuts[0], cuts[1]);
}

/* Checks that the points form (t, 10, s)-nets in base 2, where t is the sum of the polynomials' degrees less 1 (I.
 * Sobol, 1967). */
static void nets(int scrambling, uint64_t first) {
    static const int t[] = {0, 0, 0, 1, 3, 5};
    for (size_t dimensions = 1; dimensions <= 5; dimensions++) {
        int cuts[5] = {0};
        make(scrambling, 2, dimensions, first, ROWS, points);
        all_cuts(scrambling, dimensions, cuts, 0, 10 - t[dimensions]);
    }
}

/* -------------------------------------------------------------------------------- scrambling */

/* Checks that every coordinate's bits, xor those of the first point, equal the unscrambled ones, and that the shift
 * is the output of Philox. */
static void shifted(void) {
    enum { D = 11 };
    static double plain[ROWS * D];
    const uint64_t first = UINT64_C(123456789012);
    make(WEFT_UNSCRAMBLED, 0, D, first, ROWS, plain);
    make(WEFT_DIGITAL_SHIFT, 3, D, first, ROWS, points);
    for (size_t i = 0; i < ROWS * D; i++) {
        const weft_philox_block b = weft_philox(WEFT_SOBOL_BLOCKS + i % D, 3, 7);
        const uint64_t key = ((uint64_t)b.v[1] << 32 | b.v[0]) >> 11;
        EXPECT((bits_of(points[i]) ^ bits_of(plain[i])) == key, "point %zu, coordinate %zu", i / D, i % D);
    }
}

static int bits_alike(double x, double y) {
    const uint64_t differ = bits_of(x) ^ bits_of(y);
    return differ ? __builtin_clzll(differ) - 11 : 53;
}

/* Checks nested scrambling. Two points must agree in as many leading bits of a coordinate as before. After these,
 * they are independent: the bits after the first differing one agree in half of all cases. */
static void nested(void) {
    enum { D = 3, PAIRS = ROWS * (ROWS - 1) / 2 };
    static double plain[ROWS * D];
    make(WEFT_UNSCRAMBLED, 0, D, 0, ROWS, plain);
    make(WEFT_OWEN, 4, D, 0, ROWS, points);
    for (size_t j = 0; j < D; j++) {
        size_t different = 0, alike = 0;
        for (size_t a = 0; a < ROWS; a++)
            for (size_t b = 0; b < a; b++) {
                const double x = points[a * D + j], y = points[b * D + j];
                const int kept = bits_alike(plain[a * D + j], plain[b * D + j]);
                different += bits_alike(x, y) != kept;
                alike += ((bits_of(x) ^ bits_of(y)) >> (51 - kept) & 1) == 0;
            }
        EXPECT(different == 0, "coordinate %zu: %zu pairs of points agree in more or fewer bits", j, different);
        EXPECT(fabs((double)alike / PAIRS - 0.5) < 0.05, "coordinate %zu: the bits after are alike %zu times of %d",
               j, alike, PAIRS);
    }
}

/* Checks that the positions of points in their 64ths of an axis are independent over many scramblings: correlations,
 * and the mean of their squares, are within statistical limits. */
static void independent_parts(void) {
    enum { PARTS = 64, STREAMS = 3000 };
    static double offsets[STREAMS][PARTS];
    double squares = 0;
    for (uint64_t s = 0; s < STREAMS; s++) {
        double x[PARTS];
        make(WEFT_OWEN, s, 1, 0, PARTS, x);
        for (size_t i = 0; i < PARTS; i++) {
            const size_t part = (size_t)(x[i] * PARTS);
            offsets[s][part] = (x[i] * PARTS - (double)part - 0.5) * sqrt(12);
        }
    }
    for (size_t a = 0; a < PARTS; a++)
        for (size_t b = 0; b < a; b++) {
            double sum = 0;
            for (size_t s = 0; s < STREAMS; s++) sum += offsets[s][a] * offsets[s][b];
            EXPECT(fabs(sum) < 5 * sqrt(STREAMS), "parts %zu and %zu: correlation %g", a, b, sum / STREAMS);
            squares += sum * sum / STREAMS;
        }
    EXPECT(squares < 1.2 * PARTS * (PARTS - 1) / 2, "squares of correlations: %g of what chance gives",
           squares / (PARTS * (PARTS - 1) / 2.0));
}

static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Checks that one point under many scramblings is uniform, by the Kolmogorov-Smirnov test, and that its coordinates
 * are uncorrelated. */
static void uniform(int scrambling) {
    enum { D = 2, STREAMS = 4096 };
    static double x[STREAMS], y[STREAMS];
    double sum = 0, distance = 0;
    for (uint64_t s = 0; s < STREAMS; s++) {
        double point[D];
        make(scrambling, s, D, 777, 1, point);
        x[s] = point[0];
        y[s] = point[1];
        sum += (2 * x[s] - 1) * (2 * y[s] - 1);
    }
    EXPECT(fabs(sum) < 4.5 * sqrt(STREAMS) / 3, "scrambling %d: correlation %g", scrambling, 3 * sum / STREAMS);
    for (int k = 0; k < D; k++) {
        double *const z = k ? y : x;
        qsort(z, STREAMS, sizeof *z, rising);
        for (size_t i = 0; i < STREAMS; i++)
            distance = fmax(distance, fmax(z[i] - (double)i / STREAMS, (double)(i + 1) / STREAMS - z[i]));
    }
    EXPECT(distance * sqrt(STREAMS) < 1.95, "scrambling %d: Kolmogorov-Smirnov distance %g / sqrt(n)", scrambling,
           distance * sqrt(STREAMS));
}

/* ---------------------------------------------------------------------------------- integral */

/* Integrates the product of 1 + x_j - 1/2, which is 1 for any number of coordinates, with 1024 points. The mean of
 * many scramblings must be right within its standard error, which must be a small fraction of that of random points.
 */
static void integral(int scrambling, double most) {
    enum { D = 5, STREAMS = 64 };
    double sum = 0, squares = 0;
    for (uint64_t s = 0; s < STREAMS; s++) {
        double total = 0;
        make(scrambling, s, D, 0, ROWS, points);
        for (size_t i = 0; i < ROWS; i++) {
            double product = 1;
            for (size_t j = 0; j < D; j++) product *= 0.5 + points[i * D + j];
            total += product;
        }
        sum += total / ROWS - 1;
        squares += (total / ROWS - 1) * (total / ROWS - 1);
    }
    const double mean = sum / STREAMS, deviation = sqrt(squares / STREAMS);
    EXPECT(fabs(mean) < 4 * deviation / sqrt(STREAMS), "scrambling %d: mean %g, deviation %g", scrambling, mean,
           deviation);
    EXPECT(deviation < most && deviation > 0, "scrambling %d: deviation %g", scrambling, deviation);
}

/* ------------------------------------------------------------------------------------- parts */

/* Checks that any part of the sequence, fewer dimensions and the shorter type give the corresponding points. */
static void parts(int scrambling) {
    enum { D = 7, N = 700, OF_ALL = 3 };
    static double whole[N * D], piece[N * D], few[N * OF_ALL];
    const uint64_t first = (UINT64_C(1) << 40) - 350;
    make(scrambling, 5, D, first, N, whole);
    make(scrambling, 5, OF_ALL, first, N, few);
    for (size_t from = 0, n; from < N; from += n) {
        n = from % 100 + 1 < N - from ? from % 100 + 1 : N - from;
        make(scrambling, 5, D, first + from, n, piece + from * D);
    }
    EXPECT(memcmp(whole, piece, sizeof whole) == 0, "scrambling %d differs in parts", scrambling);
    EXPECT_STATUS(ctx, weft_sobol(ctx, (weft_scrambling)scrambling, WEFT_F32, 7, 5, D, first, N, shorts), WEFT_OK);
    for (size_t i = 0; i < N * D; i++) {
        EXPECT((double)shorts[i] == floor(whole[i] * 0x1p24) * 0x1p-24, "f32, position %zu: %.9g", i,
               (double)shorts[i]);
        if (i % D < OF_ALL) EXPECT(few[i / D * OF_ALL + i % D] == whole[i], "fewer dimensions, position %zu", i);
    }
}

int main(int argc, char **argv) {
    static const double deviations[] = {0, 3e-3, 1e-3};
    ctx = oracle_open(argc, argv);
    published();
    table();
    for (int scrambling = 0; scrambling < SCRAMBLINGS; scrambling++) {
        axes(scrambling, 0);
        axes(scrambling, UINT64_C(977) * ROWS);
        nets(scrambling, 0);
        nets(scrambling, UINT64_C(1000003) * ROWS);
        parts(scrambling);
        if (scrambling == WEFT_UNSCRAMBLED) continue;
        uniform(scrambling);
        integral(scrambling, deviations[scrambling]);
    }
    shifted();
    nested();
    independent_parts();
    weft_close(ctx);
    return expect_end();
}
