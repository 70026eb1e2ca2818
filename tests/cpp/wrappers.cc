// Every function of weft.hpp: known answers, and what it throws. Usage: wrappers DEVICE
#include <weft.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>
#if __has_include(<mdspan>)
#include <mdspan>
#endif

static int failures = 0;

static void expect(bool right, const char *what) {
    if (right) return;
    failures++;
    std::printf("cpp: wrong: %s\n", what);
}

// action must throw weft::error with this status and sentence ("" for any).
template <class F> static void expect_thrown(F action, weft_status status, const std::string &sentence) {
    try {
        action();
    } catch (const weft::error &e) {
        if (e.status() == status && (sentence.empty() || sentence == e.what())) return;
        std::printf("cpp: another error: %s: %s\n", weft_status_name(e.status()), e.what());
    }
    expect(false, sentence.c_str());
}

template <class T, class Y> static bool starts(const Y &y, std::initializer_list<T> wanted) {
    auto p = std::begin(y);
    for (const T &value : wanted)
        if (*p++ != value) return false;
    return true;
}

static void reductions(weft::context &ctx) {
    const std::vector<float> x(20, 0.5f);
    const double y[] = {1, 2, 3};
    const std::array<int, 3> i = {7, -2, 5};
    static_assert(std::is_same_v<decltype(weft::sum(ctx, x)), float>);
    static_assert(std::is_same_v<decltype(weft::sum<double>(ctx, x)), double>);
    static_assert(std::is_same_v<decltype(weft::sum(ctx, i)), std::int64_t>);
    static_assert(std::is_same_v<decltype(weft::mean(ctx, i)), double>);
    expect(weft::sum(ctx, x) == 10, "sum");
    expect(weft::sum<double>(ctx, x) == 10, "sum in double");
    expect(weft::sum(ctx, i) == 10 && weft::min(ctx, i) == -2 && weft::max(ctx, i) == 7, "sum, min, max");
    expect(weft::reduce<WEFT_ARGMIN>(ctx, i) == 1 && weft::reduce<WEFT_ANY>(ctx, i) == 1, "argmin, any");
    expect(weft::mean(ctx, y) == 2 && weft::variance(ctx, y, 1) == 1, "mean, variance");
    expect(weft::dot(ctx, y, y) == 14, "dot");
    const std::vector<double> six = {1e16, 1, 1, -1e16, 1, 1};
    static_assert(std::is_same_v<decltype(weft::reduce_lanes<WEFT_SUM, double>(ctx, 16, x)), double>);
    expect(weft::reduce_lanes(ctx, 3, six) == 4 && weft::reduce_lanes(ctx, 5, six) == 1, "sums by lanes");
    expect(weft::reduce_lanes<WEFT_PROD>(ctx, 16, x) == 0x1p-20f, "product by lanes");
    const std::vector<double> far = {1e100, 1, -1e100};
    expect(weft::exact(ctx, far) == 1 && weft::exact<WEFT_NORM2>(ctx, std::vector<float>{3, 4}) == 5, "exact sums");
    std::vector<double> totals(2);
    weft::exact_segments(ctx, std::vector<double>{1e100, 1, -1e100, 3}, std::vector<std::uint64_t>{0, 3, 4}, totals);
    expect(totals == std::vector<double>{1, 3}, "exact sums of segments");
    expect(weft::exact_dot(ctx, far, std::vector<double>{1, 3, 1}) == 3, "exact dot");
    expect(weft::exact_variance(ctx, std::vector<double>{1e15, 1e15 + 0.125}, 1) == 0x1p-7, "exact variance");
    expect_thrown(
        [&] { weft::exact(ctx, i); }, WEFT_UNSUPPORTED,
        "sum of i32 cannot accumulate in exact: only sum, mean, norm1, norm2, variance and dot of f32 and f64 can");
    expect(weft::sum(ctx, std::vector<double>()) == 0, "sum of nothing");
}

static void exact_states(weft::context &ctx) {
    const std::vector<double> far = {1e100, 1}, back = {-1e100};
    const float narrow[] = {3, -4};
    weft::exact_sum a, b;
    a.add(ctx, far);
    b.add(ctx, back);
    expect(a + b == b + a && a != b && (a + b).value() == 1, "merged exact sums");
    a += b;
    expect(a.value<WEFT_MEAN>() == 1.0 / 3 && a.value<WEFT_SUM, float>() == 1, "values of an exact sum");
    expect(weft::exact_sum(a.save()) == a && weft::exact_sum(a.state()) == a, "copies of an exact sum");
    expect(weft::exact_sum().add<WEFT_NORM2>(ctx, narrow).value<WEFT_NORM2>() == 5, "exact norm2");
    expect(weft::exact_sum().add<WEFT_NORM1>(ctx, narrow).add_dot(ctx, narrow, narrow).value() == 32, "mixed terms");
    expect_thrown([] { weft::exact_sum().value<WEFT_MEAN>(); }, WEFT_EMPTY, "mean of 0 terms is undefined");
    expect_thrown([] { weft::exact_sum(weft::exact_sum::bytes{}); }, WEFT_INVALID,
                  "the bytes are not an exact sum: they begin with 00 00 00 00 instead of \"wexs\"");
    expect_thrown([&] { a.add(ctx, std::vector<int>{1}); }, WEFT_UNSUPPORTED, "");
    expect_thrown([&] { a.add_dot(ctx, far, back); }, WEFT_INVALID, "y has 1 elements: expected 2");
}

static void scans(weft::context &ctx) {
    const std::vector<std::int32_t> x = {1, 2, 3, 4};
    std::vector<std::int64_t> wide(4);
    weft::scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, x, wide);
    expect(starts<std::int64_t>(wide, {1, 3, 6, 10}), "scan in 64 bits");
    std::vector<std::int32_t> y(4);
    const std::int32_t ten = 10;
    weft::scan(ctx, WEFT_SUM, WEFT_EXCLUSIVE, x, y, &ten);
    expect(starts<std::int32_t>(y, {10, 11, 13, 16}), "exclusive scan");
    const std::vector<double> s(6, 2.0), init = {0, 1};
    std::vector<double> v(6);
    weft::recurrence(ctx, WEFT_FORWARD, 3, s, s, v, init.data());
    expect(starts<double>(v, {2, 6, 14, 4, 10, 22}), "recurrence");

    const std::uint64_t offsets[] = {0, 1, 4};
    const bool heads[] = {false, true, false, false};
    weft::segmented_reduce<WEFT_SUM>(ctx, x, offsets, weft::view(wide.data(), 2));
    expect(starts<std::int64_t>(wide, {1, 9}), "segmented_reduce");
    expect(weft::segmented_reduce_heads<WEFT_MAX>(ctx, x, heads, y) == 2 && starts(y, {1, 4}), "by heads");
    const std::int32_t targets[] = {1, 0, 1, 1};
    std::vector<std::uint64_t> numbers(2);
    weft::scatter_reduce<WEFT_SUM>(ctx, WEFT_RANGE_ERROR, x, targets, weft::view(wide.data(), 2));
    expect(starts<std::int64_t>(wide, {2, 8}), "scatter_reduce");
    weft::scatter_reduce<WEFT_MAX>(ctx, WEFT_RANGE_ERROR, x, weft::view(targets, 2), y, 2, &x[0]);
    expect(starts(y, {3, 4, 3, 4}), "scatter_reduce of rows");
    weft::scatter_count(ctx, WEFT_RANGE_SKIP, targets, numbers);
    expect(starts<std::uint64_t>(numbers, {1, 3}), "scatter_count");
    weft::gather(ctx, WEFT_RANGE_ERROR, x, weft::view(targets, 2), weft::view(y.data(), 4), 2);
    expect(starts(y, {3, 4, 1, 2}), "gather of rows");
    weft::scatter(ctx, WEFT_RANGE_ERROR, weft::view(x.data(), 2), weft::view(targets, 2), y);
    expect(starts(y, {2, 1, 1, 2}), "scatter");
    weft::segmented_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, x, offsets, y);
    expect(starts(y, {1, 2, 5, 9}), "segmented_scan");
    weft::segmented_scan_heads(ctx, WEFT_SUM, WEFT_EXCLUSIVE, x, heads, y);
    expect(starts(y, {0, 0, 2, 5}), "segmented_scan_heads");
    const char keys[] = {'a', 'a', 'a', 'b'};
    char unique_keys[4];
    expect(weft::reduce_by_key<WEFT_SUM>(ctx, keys, x, unique_keys, wide) == 2 && starts(unique_keys, {'a', 'b'}) &&
               starts<std::int64_t>(wide, {6, 4}),
           "reduce_by_key");
}

static void selections(weft::context &ctx) {
    const std::vector<double> x = {3, -1, 4, -1, 5};
    const std::vector<std::uint8_t> flags = {1, 0, 1, 0, 1};
    std::vector<double> y(5);
    std::vector<std::uint64_t> indices(5);
    expect(weft::select(ctx, x, flags, y) == 3 && starts<double>(y, {3, 4, 5}), "select");
    expect(weft::select_if(ctx, x, WEFT_LT, 0, y) == 2 && starts<double>(y, {-1, -1}), "select_if");
    expect(weft::select_indices(ctx, flags, indices) == 3 && starts<std::uint64_t>(indices, {0, 2, 4}), "indices");
    expect(weft::select_indices_if(ctx, x, WEFT_EQ, -1, indices) == 2 && starts<std::uint64_t>(indices, {1, 3}),
           "_if");
    expect(weft::partition(ctx, x, flags, y) == 3 && starts<double>(y, {3, 4, 5, -1, -1}), "partition");
    expect(weft::partition_if(ctx, x, WEFT_GE, 4, y) == 2 && starts<double>(y, {4, 5, 3}), "partition_if");

    const int runs[] = {2, 2, 7, 7, 7, 1};
    int values[6], best[2];
    std::uint64_t lengths[6], bins[2], at[2];
    expect(weft::unique(ctx, runs, values) == 3 && starts(values, {2, 7, 1}), "unique");
    expect(weft::run_length(ctx, runs, values, lengths) == 3 && starts<std::uint64_t>(lengths, {2, 3, 1}),
           "run_length");
    weft::histogram(ctx, runs, std::vector<int>{0, 2, 8}, bins);
    expect(starts<std::uint64_t>(bins, {1, 5}), "histogram");
    weft::histogram_even(ctx, runs, 0, 8, bins);
    expect(starts<std::uint64_t>(bins, {3, 3}), "histogram_even");
    weft::top_k(ctx, WEFT_LARGEST, runs, best, at);
    expect(starts(best, {7, 7}) && starts<std::uint64_t>(at, {2, 3}), "top_k");
    weft::top_k(ctx, WEFT_SMALLEST, runs, best);
    expect(starts(best, {1, 2}), "top_k without indices");
}

static void orders(weft::context &ctx) {
    const std::vector<double> keys = {3, 1, 2, 1};
    std::vector<double> sorted(4), merged(8);
    std::vector<std::uint32_t> indices(4);
    weft::sort(ctx, keys, sorted, WEFT_DESCENDING);
    expect(starts<double>(sorted, {3, 2, 1, 1}), "sort");
    const std::vector<std::complex<double>> values = {10, 20, 30, 40};
    std::vector<std::complex<double>> moved(4);
    weft::sort_pairs(ctx, keys, values, sorted, moved);
    expect(starts<std::complex<double>>(moved, {20, 40, 30, 10}), "sort_pairs");
    weft::argsort(ctx, keys, indices);
    expect(starts<std::uint32_t>(indices, {1, 3, 2, 0}), "argsort");
    std::vector<std::uint32_t> bits(4);
    weft::sort_bits(ctx, std::vector<std::uint32_t>{10, 20, 30, 40}, 1, 2, bits);
    expect(starts<std::uint32_t>(bits, {40, 10, 20, 30}), "sort_bits");
    weft::merge(ctx, sorted, std::vector<double>{0, 2, 5, 9}, merged);
    expect(starts<double>(merged, {0, 1, 1, 2, 2, 3, 5, 9}), "merge");
    std::uint64_t positions[2];
    weft::search_sorted(ctx, WEFT_RIGHT, sorted, std::vector<double>{1, 9}, positions);
    expect(starts<std::uint64_t>(positions, {2, 4}), "search_sorted");
}

static void fields(weft::context &ctx) {
    const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1};
    double c[4] = {1, 1, 1, 1};
    weft::matmul(ctx, weft::matrix(a, 2, 3), weft::matrix(b, 3, 2), weft::matrix(c, 2, 2));
    expect(starts<double>(c, {4, 5, 10, 11}), "matmul");
    weft::matmul(ctx, weft::matrix(b, 3, 2).transposed(), weft::matrix(a, 2, 3).transposed(), weft::matrix(c, 2, 2),
                 2.0, -1.0);
    expect(starts<double>(c, {4, 15, 0, 11}), "matmul of transposes");
    const std::vector<double> off(4, -1.0), diagonal(4, 2.0), d = {0, 0, 0, 5};
    std::vector<double> x(4);
    weft::tridiag(ctx, off, diagonal, off, d, x);
    expect(x[0] > 0.999999 && x[0] < 1.000001, "tridiag");
    const std::vector<double> none(4, 0.0), right = {2, 3, 4, 5}; // -x[1] = 2, -x[0] - x[2] = 3, ...
    weft::tridiag_pivot(ctx, off, none, off, right, x);
    expect(x == std::vector<double>{2, -2, -5, -2}, "tridiag_pivot");
    const std::vector<double> one(4, 1.0), eight(4, 8.0);
    weft::pentadiag(ctx, one, one, eight, one, one, std::vector<double>(4, 12.0), x, WEFT_PERIODIC);
    expect(x[3] > 0.999999 && x[3] < 1.000001, "pentadiag");
    const double unit[] = {1, 0, 0, 1, 1, 0, 0, 1}, swap[] = {0, 4, 4, 0, 0, 4, 4, 0};
    weft::block_tridiag(ctx, 2, unit, swap, unit, std::vector<double>(4, 5.0), x);
    expect(x[2] > 0.999999 && x[2] < 1.000001, "block_tridiag");
    std::vector<float> u(27, 0.0f), v(27);
    for (int i = 0; i < 9; i++) u[static_cast<std::size_t>(i)] = 6;
    expect(weft::laplace(ctx, 3, 3, 3, 1, u, v) > 0 && v[13] == 1, "laplace");
    std::vector<double> rods = {3, 0, 0, 0, 3, 0}; // -x[i-1] + 4 x[i] - x[i+1] = 3, 0, 0 and 0, 3, 0
    weft::heat(ctx, WEFT_CRANK_NICOLSON, {3}, {1}, 1, rods, rods);
    expect(rods[1] > 0.857142 && rods[1] < 0.857143 && rods[3] > 0.857142, "heat");

    const std::vector<double> real = {1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<std::complex<double>> half(6), whole = {1, 0, 0, 0}, spectrum(4);
    std::vector<double> back(8);
    weft::fft(ctx, 4, real, half);
    expect(half[0] == 10.0 && half[3] == 26.0, "fft of real values");
    weft::fft(ctx, 4, half, back, true);
    expect(back == real, "and back");
    weft::fft(ctx, 4, whole, spectrum);
    weft::fft(ctx, 4, spectrum, whole, true);
    expect(spectrum[3] == 1.0 && whole[0] == 1.0 && whole[1] == 0.0, "fft and its inverse");
    const float signal[] = {1, 2, 3}, taps[] = {1, -1};
    float full[4], valid[2];
    weft::convolve(ctx, signal, taps, full);
    expect(starts<float>(full, {1, 1, 1, -3}), "convolve");
    weft::correlate(ctx, signal, taps, valid, WEFT_VALID);
    expect(starts<float>(valid, {-1, -1}), "correlate");
}

static void samples(weft::context &ctx) {
    std::vector<float> all(100), part(50);
    weft::random(ctx, WEFT_NORMAL, 7, all, 0, 1, 3);
    weft::random(ctx, WEFT_NORMAL, 7, part, 0, 1, 3, 50);
    expect(std::equal(part.begin(), part.end(), all.begin() + 50), "random, by its number");
    std::vector<double> points(6);
    weft::sobol(ctx, WEFT_UNSCRAMBLED, 2, points);
    expect(points == std::vector<double>{0, 0, 0.5, 0.5, 0.75, 0.25}, "sobol");
    std::vector<std::int64_t> dice(1000);
    weft::random_integers(ctx, 1, 1, 6, dice);
    expect(weft::min(ctx, dice) == 1 && weft::max(ctx, dice) == 6, "random_integers");
    const double start = 100, volatility = 0.2;
    weft_option option = {};
    option.strike = 90;
    option.maturity = 1;
    option.assets = 1;
    option.start = &start;
    option.volatility = &volatility;
    weft_simulation simulation = {};
    simulation.dtype = WEFT_F64;
    simulation.steps = 1;
    simulation.paths = 1000;
    const weft_valuation v = weft::price(ctx, option, simulation);
    expect(v.low < v.price && v.price < v.high && v.standard_error > 0, "price");
}

static void formulas(weft::context &ctx) {
    const std::vector<double> x = {1, 2, 3};
    std::vector<double> y(3);
    weft::expr f(ctx, "a*x^2 + i");
    const weft::expr g = std::move(f);
    weft::map(ctx, g, {{"x", x}, {"a", 2}}, y);
    expect(starts<double>(y, {2, 9, 20}), "map");
    expect(weft::map_reduce<WEFT_SUM, double>(ctx, g, {{"x", x}, {"a", 2.0f}}, 3) == 31, "map_reduce");
    expect(weft::exact_map_reduce<WEFT_SUM, double>(ctx, g, {{"x", x}, {"a", 2.0f}}, 3) == 31, "exact map_reduce");
    static_assert(std::is_same_v<decltype(weft::map_reduce<WEFT_SUM, float, double>(ctx, g, {}, 0)), double>);
    expect_thrown(
        [&] {
            weft::map(ctx, g, {{"x", x}, {"a", 2}}, weft::view(y.data(), 2));
        },
        WEFT_INVALID, "x has 3 elements: expected 2");
    const std::vector<double> none;
    expect_thrown(
        [&] {
            weft::map(ctx, g, {{"x", none}, {"a", 2}}, y);
        },
        WEFT_INVALID, "x has 0 elements: expected 3");
    expect(weft::map_reduce<WEFT_SUM, double>(ctx, g, {{"x", none}, {"a", 2}}, 0) == 0, "map_reduce of nothing");
    expect_thrown([&] { weft::expr(ctx, "a +* b"); }, WEFT_INVALID, "");
    weft::map(ctx, weft::expr(ctx, "i"), {}, y);
    expect(starts<double>(y, {0, 1, 2}), "map of nothing");
}

static void texts(weft::context &ctx) {
    const std::string text = "the warp and the weft";
    const auto counts = weft::match_count(ctx, text, {"the", "weft", "loom"});
    expect(starts<std::uint64_t>(counts, {2, 1, 0}), "match_count");
    const auto found = weft::match_list(ctx, text, {"weft", "THE"}, WEFT_FOLD_CASE);
    expect(found.positions.size() == 3 && starts<std::uint64_t>(found.positions, {0, 13, 17}) &&
               starts<std::uint32_t>(found.numbers, {1, 1, 0}),
           "match_list");
    expect(weft::match_list(ctx, std::string(), {"the"}).positions.empty(), "match_list of nothing");
}

static void contexts(weft::context &ctx, const std::string &device) {
    expect(ctx.device() == device, "device");
    ctx.set_threads(2);
    ctx.synchronize();
    weft::context other(device), third = std::move(other);
    expect(other.get() == nullptr && third.get() != nullptr, "a moved context");
    third = weft::context("ref");
    expect(third.device() == "ref" && third.scratch_bytes() == 0, "an assigned context");
    const std::vector<double> x = {1, 2, 3};
    weft::buffer<double> there(ctx, 3);
    ctx(weft_copy, 3 * sizeof(double), static_cast<const void *>(x.data()), static_cast<void *>(there.data()));
    const weft::buffer<double> moved = std::move(there);
    expect(weft::sum(ctx, moved) == 6, "a buffer");
}

static void progress(weft::context &ctx) {
    const std::vector<double> x = {1, 2, 3};
    int calls = 0;
    ctx.set_progress([&](std::uint64_t, std::uint64_t) { return ++calls == 1; });
    expect_thrown([&] { weft::sum(ctx, x); }, WEFT_CANCELLED, "the progress callback cancelled the call");
    ctx.set_progress([](std::uint64_t, std::uint64_t) -> bool { throw std::out_of_range("stop"); });
    bool thrown = false;
    try {
        weft::sum(ctx, x);
    } catch (const std::out_of_range &) {
        thrown = true;
    }
    expect(thrown, "an exception of the callback");
    ctx.set_progress(nullptr);
    expect(calls == 1 && weft::sum(ctx, x) == 6, "a context after cancelled calls");
}

static void allocators(const std::string &device) {
    struct pool {
        weft::context from;
        int live = 0, taken = 0;
    } p{weft::context(device)};
    weft_allocator allocator = {};
    allocator.size = sizeof allocator;
    allocator.user = &p;
    allocator.allocate = [](void *user, weft_memory where, std::size_t bytes, std::size_t, void *) {
        auto *const self = static_cast<pool *>(user);
        void *block = nullptr;
        if (weft_alloc(self->from.get(), where, bytes, &block) == WEFT_OK) self->live++, self->taken++;
        return block;
    };
    allocator.release = [](void *user, weft_memory where, void *block, std::size_t, void *) {
        auto *const self = static_cast<pool *>(user);
        if (weft_free(self->from.get(), where, block) == WEFT_OK) self->live--;
    };
    {
        weft::context ctx(device);
        ctx.set_allocator(&allocator);
        const weft::buffer<double> there(ctx, 3);
        expect(p.live == 1 && p.taken == 1, "a buffer of an allocator");
        expect_thrown([&] { ctx.set_allocator(nullptr); }, WEFT_INVALID,
                      "the allocator cannot be changed while memory of weft_alloc is not freed: number of blocks: 1");
    }
    expect(p.live == 0, "an allocator that is left");
}

static void executors(const std::string &device) {
    std::size_t tasks = 0;
    weft_executor executor = {};
    executor.size = sizeof executor;
    executor.user = &tasks;
    executor.run = [](void *user, std::size_t count, void (*task)(void *, std::size_t), void *arg) {
        *static_cast<std::size_t *>(user) += count;
        for (std::size_t i = 0; i < count; i++) task(arg, i);
    };
    weft::context ctx(device);
    if (device.compare(0, 3, "cpu") != 0) {
        expect_thrown([&] { ctx.set_executor(&executor); }, WEFT_UNSUPPORTED, "");
        return;
    }
    const std::vector<double> ones(100000, 1);
    ctx.set_threads(2);
    ctx.set_executor(&executor);
    expect(weft::sum(ctx, ones) == 100000 && tasks == 2, "an executor");
    ctx.set_executor(nullptr);
    expect(weft::sum(ctx, ones) == 100000 && tasks == 2, "an executor that was removed");
}

// A matrix with the members of std::mdspan, of which the first index varies fastest (std::layout_left).
struct left_matrix {
    using element_type = double;
    double *elements;
    std::size_t rows, columns;
    static constexpr std::size_t rank() { return 2; }
    static constexpr bool is_always_strided() { return true; }
    double *data_handle() const { return elements; }
    std::size_t extent(std::size_t k) const { return k == 0 ? rows : columns; }
    std::size_t stride(std::size_t k) const { return k == 0 ? 1 : rows; }
};

static void views(weft::context &ctx) {
    const std::vector<float> x = {1, 2, 3, 4, 5, 6};
    const weft::array_view matrix(x, {2, 3});
    static_assert(std::is_same_v<decltype(matrix), const weft::array_view<const float>>);
    std::vector<float> y(6);
    const weft::array_view other(y, {3, 2});
    weft::copy_view(ctx, matrix.transposed(), other);
    expect(starts<float>(y, {1, 4, 2, 5, 3, 6}), "copy of a transposed matrix");
    weft::copy_view(ctx, weft::array_view<const float>(x.data() + 5, {3}, {-2}), weft::array_view(y, {2, 3}));
    expect(starts<float>(y, {6, 4, 2, 6, 4, 2}), "copy of a reversed vector to each row");
    const std::vector<int> chosen = {2, 0};
    weft::take_axis(ctx, WEFT_RANGE_ERROR, matrix, 1, weft::array_view(chosen, {2}),
                    weft::array_view(y.data(), {2, 2}));
    expect(starts<float>(y, {3, 1, 6, 4}), "columns in the order of indices");
    std::vector<float> put(6, 9);
    weft::put_axis(ctx, WEFT_RANGE_ERROR, weft::array_view(y.data(), {2, 2}), 1, weft::array_view(chosen, {2}),
                   weft::array_view(put, {2, 3}));
    expect(put == std::vector<float>({1, 9, 3, 4, 9, 6}), "columns at the positions of indices");

    const std::vector<double> row = {10, 20, 30};
    const weft::expr scaled(ctx, "a*x + y");
    weft::map_views(ctx, scaled, {{"a", 2}, {"x", matrix}, {"y", weft::array_view(row, {3})}},
                    weft::array_view(y, {2, 3}));
    expect(starts<float>(y, {12, 24, 36, 18, 30, 42}), "formula of a matrix, a row of doubles and a number");
    weft::map_views(ctx, weft::expr(ctx, "x - i"), {{"x", other}}, other);
    expect(starts<float>(y, {12, 23, 34, 15, 26, 37}), "formula in place");
    const std::vector<double> numbers = {1, 2, 3, -1, 0.5, 0.25};
    std::vector<double> rotated(6);
    const weft::expr rotation(ctx, "conj(z)*w", {"z", "w"});
    expect(rotation.is_complex() && !scaled.is_complex(), "complex values");
    weft::map_views(ctx, rotation, {{"z", weft::array_view(numbers, {3, 2})}, {"w", std::complex<double>(0, 2)}},
                    weft::array_view(rotated, {3, 2}));
    expect(starts<double>(rotated, {4, 2, -2, 6, 0.5, 1}), "formula of complex numbers");
    std::vector<double> columns = {1, 2, 3, 4, 5, 6};
    const left_matrix reversed = {columns.data(), 3, 2};
    weft::map_views(ctx, weft::expr(ctx, "x*x"), {{"x", matrix.transposed()}}, reversed);
    expect(starts<double>(columns, {1, 4, 9, 16, 25, 36}), "formula of a transposed matrix to an mdspan");
    std::vector<float> of_formula(3);
    weft::map_reduce_axes<WEFT_SUM, float>(ctx, scaled, {2, 3},
                                           {{"a", 2}, {"x", matrix}, {"y", weft::array_view(row, {3})}}, {0},
                                           weft::array_view(of_formula, {3}));
    expect(of_formula == std::vector<float>({30, 54, 78}), "sums of a formula along an axis");
    std::vector<double> in_double(2);
    weft::map_reduce_axes<WEFT_SUM, float>(ctx, scaled, {2, 3}, {{"a", 2}, {"x", matrix}, {"y", 1}}, {-1},
                                           weft::array_view(in_double, {2}));
    expect(in_double == std::vector<double>({15, 33}), "sums of a formula in double");

    std::vector<float> sums(3);
    weft::reduce_axes<WEFT_SUM>(ctx, matrix, {0}, weft::array_view(sums, {3}));
    expect(starts<float>(sums, {5, 7, 9}), "sums of columns");
    std::vector<double> wide(2);
    weft::reduce_axes<WEFT_MEAN>(ctx, matrix, {-1}, weft::array_view(wide, {2, 1}));
    expect(starts<double>(wide, {2, 5}), "means of rows in double, with the axis");
    std::uint64_t last[1];
    weft::reduce_axes<WEFT_ARGMAX>(ctx, matrix, {1, 0}, weft::array_view(last, {}));
    expect(last[0] == 5, "argmax along two axes");
    weft::variance_axes(ctx, matrix, {0}, weft::array_view(sums, {3}), 1);
    expect(starts<float>(sums, {4.5f, 4.5f, 4.5f}), "sample variances of columns");
    weft::dot_axes(ctx, matrix, matrix, {0}, weft::array_view(sums, {3}));
    expect(starts<float>(sums, {17, 29, 45}), "squares of columns");
    weft::dot_axes(ctx, matrix, weft::array_view(std::vector<float>{1, 0, 2}, {3}), {-1},
                   weft::array_view(wide, {2, 1}));
    expect(starts<double>(wide, {7, 16}), "dot products of rows and a row in double");
    const float ten = 10;
    weft::scan_axis(ctx, WEFT_SUM, WEFT_EXCLUSIVE, matrix, 1, weft::array_view(y, {2, 3}), &ten);
    expect(starts<float>(y, {10, 11, 13, 10, 14, 19}), "exclusive scans of rows");
    std::vector<double> z = {1, 2, 3, 4, 5, 6};
    const left_matrix left = {z.data(), 3, 2};
    weft::scan_axis(ctx, WEFT_MAX, WEFT_INCLUSIVE, left, 1, left);
    expect(starts<double>(z, {1, 2, 3, 4, 5, 6}), "running maximum along the slow axis of an mdspan, in place");
    weft::scan_axis(ctx, WEFT_SUM, WEFT_INCLUSIVE, left, 0, left);
    expect(starts<double>(z, {1, 3, 6, 4, 9, 15}), "running sums along the fast axis of an mdspan, in place");
    weft::sort_axis(ctx, matrix, 0, weft::array_view(y, {2, 3}), WEFT_DESCENDING);
    expect(starts<float>(y, {4, 5, 6, 1, 2, 3}), "columns in descending order");
    std::vector<std::uint32_t> indices(6);
    weft::argsort_axis(ctx, left, 1, weft::array_view(indices, {3, 2}), WEFT_DESCENDING);
    expect(starts<std::uint32_t>(indices, {1, 0, 1, 0, 1, 0}), "indices that sort the rows of an mdspan");
    weft::sort_axis(ctx, left, -1, left, WEFT_DESCENDING);
    expect(starts<double>(z, {4, 9, 15, 1, 3, 6}), "rows of an mdspan in descending order, in place");
    std::vector<float> best(4), least(3);
    std::vector<std::uint64_t> positions(4);
    weft::top_k_axis(ctx, WEFT_LARGEST, matrix, 1, weft::array_view(best, {2, 2}),
                     weft::array_view(positions, {2, 2}));
    expect(starts<float>(best, {3, 2, 6, 5}), "the largest two of each row");
    expect(starts<std::uint64_t>(positions, {2, 1, 2, 1}), "their indices");
    weft::top_k_axis(ctx, WEFT_SMALLEST, matrix, -2, weft::array_view(least, {1, 3}));
    expect(starts<float>(least, {1, 2, 3}), "the smallest of each column");
    std::vector<double> halves = {0.5}, ones = {1, 1, 1, 1, 1, 1}, start = {4, 8, 16}, v(6), w(12);
    weft::recurrence_axis(ctx, weft::array_view(halves, {1}), weft::array_view(ones, {2, 3}), 0,
                          weft::array_view(v, {2, 3}));
    expect(starts<double>(v, {1, 1, 1, 1.5, 1.5, 1.5}), "recurrences of columns");
    weft::recurrence_axis(ctx, weft::array_view(halves, {1}), weft::array_view(ones, {2, 3}), 0,
                          weft::array_view(start, {1, 3}), weft::array_view(v, {2, 3}), WEFT_REVERSE);
    expect(starts<double>(v, {2.5, 3.5, 5.5, 3, 5, 9}), "recurrences of columns in reverse, with initial values");
    weft::fft_axes(ctx, WEFT_R2C, weft::array_view(v, {2, 3}), {0}, weft::array_view(w, {2, 3, 2}));
    expect(starts<double>(w, {5.5, 0, 8.5, 0, 14.5, 0, -0.5, 0, -1.5, 0, -3.5, 0}), "transforms of columns");
    weft::fft_axes(ctx, WEFT_C2R, weft::array_view(w, {2, 3, 2}), {0}, weft::array_view(v, {2, 3}));
    expect(starts<double>(v, {2.5, 3.5, 5.5, 3, 5, 9}), "and back");
    const std::vector<double> steps = {1, -1};
    std::vector<double> differences(9), likeness(3);
    weft::convolve_axis(ctx, weft::array_view(v, {2, 3}), 0, weft::array_view(steps, {2}),
                        weft::array_view(differences, {3, 3}));
    expect(starts<double>(differences, {2.5, 3.5, 5.5, 0.5, 1.5, 3.5, -3, -5, -9}), "convolutions of columns");
    weft::correlate_axis(ctx, weft::array_view(v, {3, 2}), -1, weft::array_view(steps, {1, 2}),
                         weft::array_view(likeness, {3, 1}), WEFT_VALID);
    expect(starts<double>(likeness, {-1, 2.5, -4}), "correlations of rows");
    const std::vector<double> image = {1, 2, 3, 4, 5, 6}, corners = {1, 0, 0, 2};
    const double outside = 10;
    std::vector<double> filtered(6), overlaps(2);
    weft::convolve2d(ctx, weft::array_view(image, {2, 3}), weft::array_view(corners, {2, 2}),
                     weft::array_view(filtered, {2, 3}), WEFT_SAME, WEFT_BORDER_FILL, &outside);
    expect(starts<double>(filtered, {21, 22, 23, 24, 7, 10}), "two-dimensional convolution");
    weft::correlate2d(ctx, weft::array_view(image, {2, 3}), weft::array_view(corners, {2, 2}),
                      weft::array_view(overlaps, {1, 2}), WEFT_VALID);
    expect(starts<double>(overlaps, {11, 14}), "two-dimensional correlation");
    const std::vector<float> column = {1, 2, 3};
    std::vector<std::uint64_t> of_columns(6), of_rows(4);
    weft::histogram_axis(ctx, matrix, 0, std::vector<float>{0, 3, 5}, weft::array_view(of_columns, {2, 3}));
    expect(starts<std::uint64_t>(of_columns, {1, 1, 0, 1, 1, 1}), "histograms of columns");
    weft::histogram_even_axis(ctx, matrix, -1, 1, 4, weft::array_view(of_rows, {2, 2}));
    expect(starts<std::uint64_t>(of_rows, {2, 1, 0, 1}), "histograms of rows");
    expect_thrown(
        [&] {
            weft::histogram_axis(ctx, matrix, 0, std::vector<float>{1, 2}, weft::array_view(of_rows, {2, 2}));
        },
        WEFT_INVALID, "counts has shape (2, 2): expected (1, 3)");
    std::vector<float> product(4), two(2);
    weft::matmul_stack(ctx, weft::array_view(x, {2, 1, 3}), weft::array_view(x, {1, 3, 2}),
                       weft::array_view(product, {2, 1, 2}));
    expect(starts<float>(product, {22, 28, 49, 64}), "two rows times one matrix");
    weft::matmul_stack(ctx, matrix, weft::array_view(column, {3, 1}), weft::array_view(two, {2, 1}), 2, 1);
    expect(starts<float>(two, {28, 64}), "twice a product with a vector");
    const std::vector<double> turns = {0, 1, 2, -1, 1, 3}; // i, 2 - i, 1 + 3i
    std::vector<double> turned(2);
    weft::matmul_complex(ctx, weft::array_view(turns.data(), {1, 2, 2}), weft::array_view(turns.data(), {2, 1, 2}),
                         weft::array_view(turned, {1, 1, 2}));
    expect(starts<double>(turned, {2, -4}), "a product of complex matrices");
    weft::matmul_complex(ctx, weft::array_view(turns, {1, 3, 2}), weft::array_view(turns, {3, 1, 2}),
                         weft::array_view(turned, {1, 1, 2}), WEFT_CONJUGATE, WEFT_NO_CONJUGATE, 0.5, 1);
    expect(starts<double>(turned, {10, -4}), "half a sum of squares, added");
    weft::quantile_axis(ctx, matrix, -1, {0.5, 0.25}, weft::array_view(best, {2, 2}));
    expect(starts<float>(best, {2, 1.5f, 5, 4.5f}), "the median and a quartile of each row");
    const std::vector<std::int16_t> heights = {3, 4};
    double middle = 0;
    std::int16_t higher = 0;
    weft::quantile_axis(ctx, weft::array_view(heights, {2}), 0, {0.5}, weft::array_view(&middle, {1}));
    weft::quantile_axis(ctx, weft::array_view(heights, {2}), 0, {0.5}, weft::array_view(&higher, {1}), WEFT_HIGHER);
    expect(middle == 3.5 && higher == 4, "medians of integers");
#ifdef __cpp_lib_mdspan
    const std::mdspan<const float, std::extents<int, 2, 3>> span(x.data());
    weft::reduce_axes<WEFT_MAX>(ctx, span, {0}, std::mdspan(sums.data(), 3));
    expect(starts<float>(sums, {4, 5, 6}), "maxima of the columns of a std::mdspan");
#endif

    expect_thrown([&] { weft::array_view(y, {2, 2}); }, WEFT_INVALID, "the array has 6 elements: expected 4");
    expect_thrown(
        [&] {
            weft::array_view<float>(y.data(), {2, 2}, {1});
        },
        WEFT_INVALID, "strides has 1 elements: expected 2");
    expect_thrown([&] { weft::array_view<float>(y.data(), std::vector<std::size_t>(17, 1)); }, WEFT_INVALID,
                  "17 dimensions: at most 16 are supported");
    expect_thrown(
        [&] {
            weft::map_views(ctx, scaled, {{"a", 2}, {"x", matrix}, {"y", 1}}, other);
        },
        WEFT_INVALID, "x of shape (2, 3) cannot be broadcast to out of shape (3, 2)");
    expect_thrown([&] { weft::reduce_axes<WEFT_SUM>(ctx, matrix, {2}, other); }, WEFT_INVALID,
                  "axis 2 is out of range: the array has 2 dimensions");
}

static void refusals(weft::context &ctx) {
    const std::vector<double> x = {1, 2, 3};
    std::vector<double> y(2);
    expect_thrown([&] { weft::dot(ctx, x, y); }, WEFT_INVALID, "y has 2 elements: expected 3");
    expect_thrown([&] { weft::unique(ctx, x, y); }, WEFT_INVALID, "y has 2 elements: expected at least 3");
    expect_thrown([&] { weft::min(ctx, std::vector<int>()); }, WEFT_EMPTY, "");
    expect_thrown([] { weft::context nothing("nothing"); }, WEFT_NO_DEVICE, "");
    expect_thrown([&] { weft::buffer<double> huge(ctx, SIZE_MAX); }, WEFT_INVALID, "");
    const double a[] = {1, 2};
    double c[1];
    expect_thrown([&] { weft::matmul(ctx, weft::matrix(a, 1, 2), weft::matrix(a, 1, 2), weft::matrix(c, 1, 1)); },
                  WEFT_INVALID, "a is 1 x 2, b 1 x 2 and c 1 x 1: expected m x k, k x n and m x n");
    const std::vector<double> zero(3, 0.0);
    std::vector<double> solution(3);
    expect_thrown([&] { weft::tridiag_pivot(ctx, zero, zero, zero, x, solution); }, WEFT_INVALID,
                  "the pivot or a finite solution was lost at row 1");
    expect_thrown([&] { weft::tridiag(ctx, zero, zero, zero, x, solution); }, WEFT_INVALID,
                  "the pivot or a finite solution was lost at row 0");
    expect_thrown([&] { weft::pentadiag(ctx, zero, zero, zero, zero, zero, x, solution); }, WEFT_INVALID,
                  "the pivot or a finite solution was lost at row 0");
}

int main(int argc, char **argv) {
    const std::string device = argc > 1 ? argv[1] : "cpu";
    try {
        weft::context ctx(device);
        reductions(ctx);
        exact_states(ctx);
        scans(ctx);
        selections(ctx);
        orders(ctx);
        fields(ctx);
        samples(ctx);
        formulas(ctx);
        texts(ctx);
        contexts(ctx, device);
        progress(ctx);
        allocators(device);
        executors(device);
        views(ctx);
        refusals(ctx);
    } catch (const weft::error &e) {
        expect(false, e.what());
    }
    if (failures == 0) std::printf("cpp: all right on %s\n", device.c_str());
    return failures != 0;
}
