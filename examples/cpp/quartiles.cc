// The quartiles of a column of numbers, and the values far outside them.
//   c++ -std=c++17 quartiles.cc $(pkg-config --cflags --libs weft) -o quartiles && ./quartiles < numbers.txt
#include <iostream>
#include <iterator>
#include <vector>
#include <weft.hpp>

int main() {
    const std::vector<double> x((std::istream_iterator<double>(std::cin)), {});
    if (x.size() < 4) return std::cerr << "quartiles: at least 4 numbers are needed\n", 1;
    try {
        weft::context ctx;
        std::vector<double> sorted(x.size()), far(x.size());
        weft::sort(ctx, x, sorted);
        const double lower = sorted[x.size() / 4], median = sorted[x.size() / 2], upper = sorted[x.size() * 3 / 4];
        const double fence = 1.5 * (upper - lower); // J. Tukey, Exploratory Data Analysis, 1977
        std::cout << x.size() << " numbers, mean " << weft::mean(ctx, x) << ", quartiles " << lower << ", " << median
                  << ", " << upper << "\n";
        far.resize(weft::select_if(ctx, x, WEFT_GT, upper + fence, far));
        for (const double value : far) std::cout << "far above: " << value << "\n";
    } catch (const weft::error &e) {
        return std::cerr << "quartiles: " << e.what() << "\n", 1;
    }
}
