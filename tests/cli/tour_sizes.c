/* Tests that the tour uses at most a quarter of the free memory. */
#include "cli/tour/tour_size.h"
#include "tests/expect.h"

int main(void) {
    enum { BYTES_EACH = 32, FULL = 100000000 }; /* bytes per element: four arrays of f64 */
    static const struct {
        double available;
        size_t n;
    } known[] = {{64e9, FULL},   {16e9, FULL},  {8e9, 50000000}, {4e9, 20000000},
                 {1e9, 5000000}, {1e8, 500000}, {0, 1000}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t n = tour_size(known[i].available, FULL);
        EXPECT(n == known[i].n, "%zu elements of %g bytes", n, known[i].available);
    }
    for (double available = 1e6; available < 1e12; available *= 1.07) {
        const size_t n = tour_size(available, FULL);
        EXPECT(BYTES_EACH * (double)n <= available / 4, "%zu elements of %g bytes", n, available);
        EXPECT(tour_size(available, 1000000) <= 1000000, "more than asked for, of %g bytes", available);
    }
    EXPECT(tour_free_memory() > 0, "%g bytes are free", tour_free_memory());
    return expect_end();
}
