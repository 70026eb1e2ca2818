// weft for C++17, on top of weft.h: contexts with a destructor, arrays with sizes, and exceptions.
//
//     weft::context ctx("auto");
//     const std::vector<float> x = {1.5f, -0.25f, 3.0f};
//     const float total = weft::sum(ctx, x);
//
// weft.h is the manual of the operations. This header adds these conventions.
//   - An array is anything with data() and size(), a C array, or weft::view(pointer, size), which may point to memory
//     of the GPU. An output array must have its final size before the call. Single values are passed and returned by
//     value.
//   - Element types are the integers and floats of weft.h, and std::complex of floats where weft takes complex
//     numbers. A wrong type does not compile.
//   - If a C function returns a status other than WEFT_OK, weft::error is thrown with its status and message. An
//     array of a wrong size throws weft::error with WEFT_INVALID.
//   - The type of the result selects the parameter `accumulate` of C: weft::sum<double>(ctx, x) of floats sums in
//     double.
//   - A function of weft.h that has no wrapper here is called as ctx(weft_name, arguments...), which throws
//     weft::error.
#ifndef WEFT_HPP
#define WEFT_HPP

#include <weft.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

// Exception for a call that failed: a status of weft.h, and its message in what().
class error : public std::runtime_error {
  public:
    error(weft_status status, const std::string &sentence) : std::runtime_error(sentence), status_(status) {}
    weft_status status() const noexcept { return status_; }

  private:
    weft_status status_;
};

// A non-owning view of contiguous elements.
template <class T> class view {
  public:
    view(T *data, std::size_t size) : data_(data), size_(size) {}
    T *data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    T *data_;
    std::size_t size_;
};

// A context (weft_open). The destructor closes it. Only one thread at a time may use it.
class context {
  public:
    explicit context(const std::string &device = "auto") {
        const weft_status status = weft_open(&ctx_, device.c_str());
        if (status != WEFT_OK) throw error(status, weft_last_error(nullptr));
    }
    ~context() { weft_close(ctx_); }
    context(context &&other) noexcept
        : ctx_(std::exchange(other.ctx_, nullptr)), progress_(std::move(other.progress_)) {}
    context &operator=(context &&other) noexcept {
        std::swap(ctx_, other.ctx_);
        std::swap(progress_, other.progress_);
        return *this;
    }
    context(const context &) = delete;
    context &operator=(const context &) = delete;

    weft_context *get() const { return ctx_; }
    std::string device() const { return weft_device(ctx_); }
    std::size_t scratch_bytes() const { return weft_scratch_bytes(ctx_); }
    void set_threads(int threads) { (*this)(weft_set_threads, threads); }
    void set_stream(void *stream) { (*this)(weft_set_stream, stream); }
    void synchronize() { (*this)(weft_synchronize); }

    // Makes later operations call callback(done, total) (weft_set_progress). If it returns true, the operation is
    // cancelled and throws weft::error with WEFT_CANCELLED. If it throws, the operation is cancelled and rethrows the
    // exception. An empty function removes the callback.
    void set_progress(std::function<bool(std::uint64_t done, std::uint64_t total)> callback) {
        auto set = callback ? std::make_unique<progress>(progress{std::move(callback), nullptr}) : nullptr;
        (*this)(weft_set_progress, set ? &progress::call : nullptr, static_cast<void *>(set.get()));
        progress_ = std::move(set);
    }

    // Takes later memory of the context from *allocator (weft_set_allocator); nullptr restores the default. Its
    // functions must not throw.
    void set_allocator(const weft_allocator *allocator) { (*this)(weft_set_allocator, allocator); }

    // Runs later operations on the threads of *executor (weft_set_executor); nullptr restores weft's own threads. Its
    // function must not throw.
    void set_executor(const weft_executor *executor) { (*this)(weft_set_executor, executor); }

    // Calls function(context, arguments...). Throws weft::error if it does not return WEFT_OK.
    template <class F, class... A> void operator()(F function, A... arguments) {
        const weft_status status = function(ctx_, arguments...);
        if (status == WEFT_CANCELLED && progress_ && progress_->thrown)
            std::rethrow_exception(std::exchange(progress_->thrown, nullptr));
        if (status != WEFT_OK) throw error(status, weft_last_error(ctx_));
    }

  private:
    struct progress {
        std::function<bool(std::uint64_t, std::uint64_t)> callback;
        std::exception_ptr thrown;
        static int call(void *self, std::uint64_t done, std::uint64_t total) noexcept {
            auto *const p = static_cast<progress *>(self);
            try {
                return p->callback(done, total);
            } catch (...) {
                p->thrown = std::current_exception();
                return 1;
            }
        }
    };

    weft_context *ctx_ = nullptr;
    std::unique_ptr<progress> progress_;
};

// Memory of a context's device, managed or pinned memory. The destructor frees it; the context must outlive it.
template <class T> class buffer {
  public:
    buffer(context &ctx, std::size_t size, weft_memory memory = WEFT_DEVICE)
        : ctx_(&ctx), size_(size), memory_(memory) {
        if (size > SIZE_MAX / sizeof(T)) throw error(WEFT_INVALID, "the size of the buffer exceeds SIZE_MAX bytes");
        void *p = nullptr;
        ctx(weft_alloc, memory, size * sizeof(T), &p);
        data_ = static_cast<T *>(p);
    }
    ~buffer() {
        if (data_ != nullptr) weft_free(ctx_->get(), memory_, data_);
    }
    buffer(buffer &&other) noexcept
        : ctx_(other.ctx_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          memory_(other.memory_) {}
    buffer &operator=(buffer &&) = delete;
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;
    T *data() { return data_; }
    const T *data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    context *ctx_;
    T *data_ = nullptr;
    std::size_t size_;
    weft_memory memory_;
};

// ------------------------------------------------------------------------------------ types

// Type of the real part of T, and WEFT_REAL or WEFT_COMPLEX.
template <class T> struct real_of {
    using type = T;
    static constexpr weft_field field = WEFT_REAL;
};
template <class T> struct real_of<std::complex<T>> {
    using type = T;
    static constexpr weft_field field = WEFT_COMPLEX;
};

// Returns the weft_dtype of T; for a complex T, of its parts.
template <class T> constexpr weft_dtype dtype_of() {
    using E = typename real_of<T>::type;
    if constexpr (std::is_same_v<E, float>) {
        return WEFT_F32;
    } else if constexpr (std::is_same_v<E, double>) {
        return WEFT_F64;
    } else {
        static_assert(std::is_integral_v<E> && sizeof(E) <= 8,
                      "the element type must be an integer type, float or double");
        constexpr weft_dtype first = std::is_signed_v<E> ? WEFT_I8 : WEFT_U8;
        constexpr int log2_bytes = sizeof(E) == 1 ? 0 : sizeof(E) == 2 ? 1 : sizeof(E) == 4 ? 2 : 3;
        return static_cast<weft_dtype>(first + log2_bytes);
    }
}

// Type of the result of weft_reduce for elements of type T, as listed in weft.h at weft_op.
template <weft_op op, class T> struct reduced {
    static constexpr bool indices = op == WEFT_ARGMIN || op == WEFT_ARGMAX || op == WEFT_COUNT_NONZERO;
    static constexpr bool truth = op == WEFT_ANY || op == WEFT_ALL;
    static constexpr bool total = op == WEFT_SUM || op == WEFT_PROD;
    static constexpr bool real = op == WEFT_MEAN || op == WEFT_NORM1 || op == WEFT_NORM2 || op == WEFT_NORMINF;
    using wide = std::conditional_t<std::is_floating_point_v<T>, T,
                                    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
    using number = std::conditional_t<std::is_same_v<T, float>, float, double>;
    using type =
        std::conditional_t<indices, std::uint64_t,
                           std::conditional_t<truth, std::uint8_t,
                                              std::conditional_t<total, wide, std::conditional_t<real, number, T>>>>;
};

namespace detail {

// Tag: the caller has not specified a type for the result. `chosen` is then N, else R.
struct natural {};
template <class R, class N> using chosen = std::conditional_t<std::is_same_v<R, natural>, N, R>;

// Element type of an array: with const if the elements are const, and without const.
template <class X> using element = std::remove_pointer_t<decltype(std::data(std::declval<X &>()))>;
template <class X> using value = std::remove_const_t<element<X>>;

// Return a view of the elements of an array: read-only, and writable.
template <class X> view<const value<X>> in(const X &x) { return {std::data(x), std::size(x)}; }
template <class X> view<element<X>> out(X &x) { return {std::data(x), std::size(x)}; }

// Throws unless an array has exactly (need_size) or at least (need_capacity) `wanted` elements.
inline void need(bool right, const char *what, std::size_t has, const char *must, std::size_t wanted) {
    if (right) return;
    throw error(WEFT_INVALID, std::string(what) + " has " + std::to_string(has) + " elements: expected " + must +
                                  std::to_string(wanted));
}
inline void need_size(const char *what, std::size_t has, std::size_t wanted) {
    need(has == wanted, what, has, "", wanted);
}
inline void need_capacity(const char *what, std::size_t has, std::size_t wanted) {
    need(has >= wanted, what, has, "at least ", wanted);
}

// Requires that two arrays have one element type.
template <class X, class Y> constexpr void one_type() {
    static_assert(std::is_same_v<value<X>, value<Y>>, "the arrays must have the same element type");
}
// Requires that the elements are W, or integers of its size and signedness.
template <class X, class W> constexpr void elements_are() {
    static_assert(std::is_same_v<value<X>, W> ||
                      (std::is_integral_v<value<X>> && std::is_integral_v<W> && sizeof(value<X>) == sizeof(W) &&
                       std::is_signed_v<value<X>> == std::is_signed_v<W>),
                  "the element type of the array must be that of the operation");
}
// Return the elements of an array of 64-bit unsigned integers: read-only, and writable.
template <class X> const std::uint64_t *offsets(const X &x) {
    elements_are<X, std::uint64_t>();
    return reinterpret_cast<const std::uint64_t *>(std::data(x));
}
template <class X> std::uint64_t *numbers(X &x) {
    elements_are<X, std::uint64_t>();
    return reinterpret_cast<std::uint64_t *>(std::data(x));
}
// Returns n flags. A flag is one byte: bool, char, std::uint8_t, ...
template <class X> const std::uint8_t *flags(const X &x, std::size_t n) {
    static_assert(sizeof(value<X>) == 1, "flags must have one-byte elements");
    need_size("flags", std::size(x), n);
    return reinterpret_cast<const std::uint8_t *>(std::data(x));
}

// Returns the parameter `accumulate` of C for a result of type R, where N is the type for WEFT_DEFAULT.
template <class R, class N> constexpr weft_dtype accumulate() {
    static_assert(std::is_same_v<R, N> || (std::is_same_v<R, double> && std::is_same_v<N, float>),
                  "the result must have its default type, or double if that is float");
    return std::is_same_v<R, N> ? WEFT_DEFAULT : dtype_of<R>();
}
// Returns the parameter `accumulate` of C for a scan of X to Y.
template <class Y, class X> constexpr weft_dtype scan_accumulate() {
    return std::is_same_v<value<X>, value<Y>> ? WEFT_DEFAULT : dtype_of<value<Y>>();
}

} // namespace detail

// ---------------------------------------------------------------------- reductions and scans

// Reduces x to one value: reduce<WEFT_SUM>(ctx, x). reduce<WEFT_SUM, double>(ctx, x) of floats accumulates in double.
// sum, mean, min and max are reduce with that operator. An empty x throws (WEFT_EMPTY) for operators without a value.
template <weft_op op, class R = detail::natural, class X> auto reduce(context &ctx, const X &x) {
    using natural = typename reduced<op, detail::value<X>>::type;
    using result = detail::chosen<R, natural>;
    result r;
    ctx(weft_reduce, op, dtype_of<detail::value<X>>(), detail::accumulate<result, natural>(), std::size(x),
        std::data(x), &r);
    return r;
}
template <class R = detail::natural, class X> auto sum(context &ctx, const X &x) {
    return reduce<WEFT_SUM, R>(ctx, x);
}
template <class R = detail::natural, class X> auto mean(context &ctx, const X &x) {
    return reduce<WEFT_MEAN, R>(ctx, x);
}
template <class X> auto min(context &ctx, const X &x) { return reduce<WEFT_MIN>(ctx, x); }
template <class X> auto max(context &ctx, const X &x) { return reduce<WEFT_MAX>(ctx, x); }

// Reduces x, of float or double, by the tree of the C++ proposal WG21 P4016 for this number of lanes:
// reduce_lanes(ctx, 16, x), reduce_lanes<WEFT_PROD>(ctx, 128, x). reduce_lanes<WEFT_SUM, double>(ctx, 16, x) of
// floats accumulates in double.
template <weft_op op = WEFT_SUM, class R = detail::natural, class X>
auto reduce_lanes(context &ctx, std::size_t lanes, const X &x) {
    using natural = typename reduced<op, detail::value<X>>::type;
    using result = detail::chosen<R, natural>;
    result r;
    ctx(weft_reduce_lanes, op, dtype_of<detail::value<X>>(), detail::accumulate<result, natural>(), std::size(x),
        lanes, std::data(x), &r);
    return r;
}

// Reduces x, of float or double, exactly (WEFT_EXACT_SUM): the value is rounded once and does not depend on the order
// of the elements. op: WEFT_SUM, WEFT_MEAN, WEFT_NORM1 or WEFT_NORM2.
template <weft_op op = WEFT_SUM, class X> auto exact(context &ctx, const X &x) {
    detail::value<X> r;
    ctx(weft_reduce, op, dtype_of<detail::value<X>>(), WEFT_EXACT_SUM, std::size(x), std::data(x), &r);
    return r;
}

// Returns the exact sum of x[i] * y[i], rounded once. x and y must have one size and one type, float or double.
template <class X, class Y> auto exact_dot(context &ctx, const X &x, const Y &y) {
    detail::one_type<X, Y>();
    detail::need_size("y", std::size(y), std::size(x));
    detail::value<X> r;
    ctx(weft_dot, dtype_of<detail::value<X>>(), WEFT_EXACT_SUM, std::size(x), std::data(x), std::data(y), &r);
    return r;
}

// Exact sum of terms, elements, magnitudes, squares or products of float and double, that can be added to, merged in
// any order, stored and sent (weft_exact_state). Equal sums of equally many terms compare equal.
class exact_sum {
  public:
    using bytes = std::array<unsigned char, WEFT_EXACT_BYTES>;

    exact_sum() = default;
    // Takes a state, which need not have the words that weft writes: it may be a sum of the words of states.
    explicit exact_sum(const weft_exact_state &state) { merge(state); }
    // Reads what save() returned, on any machine.
    explicit exact_sum(const bytes &saved) { check(weft_exact_load(saved.size(), saved.data(), &state_)); }

    // Adds the elements of x, or with WEFT_NORM1 their magnitudes, with WEFT_NORM2 their squares.
    template <weft_op op = WEFT_SUM, class X> exact_sum &add(context &ctx, const X &x) {
        ctx(weft_exact_add, op, dtype_of<detail::value<X>>(), std::size(x), std::data(x), &state_);
        return *this;
    }
    // Adds the products x[i] * y[i].
    template <class X, class Y> exact_sum &add_dot(context &ctx, const X &x, const Y &y) {
        detail::one_type<X, Y>();
        detail::need_size("y", std::size(y), std::size(x));
        ctx(weft_exact_add_dot, dtype_of<detail::value<X>>(), std::size(x), std::data(x), std::data(y), &state_);
        return *this;
    }
    exact_sum &operator+=(const exact_sum &other) { return merge(other.state_); }
    friend exact_sum operator+(exact_sum a, const exact_sum &b) { return a += b; }
    friend bool operator==(const exact_sum &a, const exact_sum &b) { return a.save() == b.save(); }
    friend bool operator!=(const exact_sum &a, const exact_sum &b) { return !(a == b); }

    // Returns the sum, with WEFT_MEAN the mean, with WEFT_NORM2 the square root, rounded once to R, double or float.
    template <weft_op op = WEFT_SUM, class R = double> R value() const {
        R r;
        check(weft_exact_value(op, dtype_of<R>(), &state_, &r));
        return r;
    }
    bytes save() const {
        bytes saved;
        check(weft_exact_save(&state_, saved.size(), saved.data()));
        return saved;
    }
    const weft_exact_state &state() const { return state_; }

  private:
    static void check(weft_status status) {
        if (status != WEFT_OK) throw error(status, weft_last_error(nullptr));
    }
    exact_sum &merge(const weft_exact_state &other) {
        check(weft_exact_merge(&other, &state_));
        return *this;
    }

    weft_exact_state state_ = {};
};

// Returns the exact variance of x, of float or double, rounded once. ddof as for variance.
template <class X> auto exact_variance(context &ctx, const X &x, std::size_t ddof = 0) {
    detail::value<X> r;
    ctx(weft_variance, dtype_of<detail::value<X>>(), WEFT_EXACT_SUM, std::size(x), ddof, std::data(x), &r);
    return r;
}

// Returns the variance of x: of a population (ddof 0) or of a sample (ddof 1). ddof must be less than the size of x.
template <class R = detail::natural, class X> auto variance(context &ctx, const X &x, std::size_t ddof = 0) {
    using natural = typename reduced<WEFT_MEAN, detail::value<X>>::type;
    using result = detail::chosen<R, natural>;
    result r;
    ctx(weft_variance, dtype_of<detail::value<X>>(), detail::accumulate<result, natural>(), std::size(x), ddof,
        std::data(x), &r);
    return r;
}

// Returns the sum of x[i] * y[i]. x and y must have one size. dot<double>(ctx, x, y) of floats accumulates in double.
template <class R = detail::natural, class X, class Y> auto dot(context &ctx, const X &x, const Y &y) {
    detail::one_type<X, Y>();
    detail::need_size("y", std::size(y), std::size(x));
    using natural = typename reduced<WEFT_SUM, detail::value<X>>::type;
    using result = detail::chosen<R, natural>;
    result r;
    ctx(weft_dot, dtype_of<detail::value<X>>(), detail::accumulate<result, natural>(), std::size(x), std::data(x),
        std::data(y), &r);
    return r;
}

// Writes the prefix scan of x to y, which must have the size of x. The scan is computed in the type of y: that of x,
// or for WEFT_SUM and WEFT_PROD double for floats and 64 bits for smaller integers. init is combined first, if not
// nullptr.
template <class X, class Y>
void scan(context &ctx, weft_op op, weft_scan_kind kind, const X &x, Y &&y, const detail::value<Y> *init = nullptr) {
    detail::need_size("y", std::size(y), std::size(x));
    ctx(weft_scan, op, kind, dtype_of<detail::value<X>>(), detail::scan_accumulate<Y, X>(), std::size(x),
        std::data(x), init, std::data(y));
}

// Computes the linear recurrence v[i] = s[i] v[i - 1] + u[i] in each row of n elements; WEFT_REVERSE: with v[i + 1].
// s, u and v contain consecutive rows; v may be s or u. init has one initial value for each row; nullptr: 0.
template <class S, class U, class V>
void recurrence(context &ctx, weft_direction direction, std::size_t n, const S &s, const U &u, V &&v,
                const detail::value<S> *init = nullptr) {
    detail::one_type<S, U>();
    detail::one_type<S, V>();
    detail::need_size("u", std::size(u), std::size(s));
    detail::need_size("v", std::size(v), std::size(s));
    const std::size_t rows = n == 0 ? 0 : std::size(s) / n;
    detail::need_size("s", std::size(s), rows * n);
    ctx(weft_recurrence, direction, dtype_of<detail::value<S>>(), rows, n, std::data(s), std::data(u), init,
        std::data(v));
}

// --------------------------------------------------------------------------------- segments

// Reduces each segment x[offsets[s]] ... x[offsets[s + 1] - 1] to y[s]. offsets has one element more than y.
template <weft_op op, class X, class O, class Y>
void segmented_reduce(context &ctx, const X &x, const O &offsets, Y &&y) {
    using natural = typename reduced<op, detail::value<X>>::type;
    detail::need_size("offsets", std::size(offsets), std::size(y) + 1);
    ctx(weft_segmented_reduce, op, dtype_of<detail::value<X>>(), detail::accumulate<detail::value<Y>, natural>(),
        std::size(x), std::data(x), std::size(y), detail::offsets(offsets), std::data(y));
}

// Adds the elements of each segment exactly (WEFT_EXACT_SUM), of float or double, in any order.
template <class X, class O, class Y> void exact_segments(context &ctx, const X &x, const O &offsets, Y &&y) {
    detail::one_type<X, Y>();
    detail::need_size("offsets", std::size(offsets), std::size(y) + 1);
    ctx(weft_segmented_reduce, WEFT_SUM, dtype_of<detail::value<X>>(), WEFT_EXACT_SUM, std::size(x), std::data(x),
        std::size(y), detail::offsets(offsets), std::data(y));
}

// Reduces each segment of x to one value of y. A segment begins at element 0 and wherever a head is not zero. y must
// have at least the size of x. Returns the number of segments.
template <weft_op op, class X, class H, class Y>
std::size_t segmented_reduce_heads(context &ctx, const X &x, const H &heads, Y &&y) {
    using natural = typename reduced<op, detail::value<X>>::type;
    detail::need_capacity("y", std::size(y), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_segmented_reduce_heads, op, dtype_of<detail::value<X>>(),
        detail::accumulate<detail::value<Y>, natural>(), std::size(x), std::data(x),
        detail::flags(heads, std::size(x)), std::data(y), &count);
    return static_cast<std::size_t>(count);
}

// Reduces the elements, or rows of `columns` elements, of x that have the same index. index has one element for each
// row. y has `columns` values for each target. init, if not null, has the values to combine before the elements; it
// may be the data of y.
template <weft_op op, class X, class I, class Y>
void scatter_reduce(context &ctx, weft_range range, const X &x, const I &index, Y &&y, std::size_t columns = 1,
                    const detail::value<Y> *init = nullptr) {
    using natural = typename reduced<op, detail::value<X>>::type;
    detail::need_size("x", std::size(x), std::size(index) * columns);
    const std::size_t m = columns == 0 ? 0 : std::size(y) / columns;
    detail::need_size("y", std::size(y), m * columns);
    ctx(weft_scatter_reduce, op, range, dtype_of<detail::value<X>>(), detail::accumulate<detail::value<Y>, natural>(),
        dtype_of<detail::value<I>>(), std::size(index), columns, m, std::data(x), std::data(index), init,
        std::data(y));
}

// Counts the indices equal to j in counts[j].
template <class I, class C> void scatter_count(context &ctx, weft_range range, const I &index, C &&counts) {
    ctx(weft_scatter_count, range, dtype_of<detail::value<I>>(), std::size(index), std::size(counts),
        std::data(index), detail::numbers(counts));
}

// Copies row index[i] of x to row i of y. A row has `columns` elements.
template <class X, class I, class Y>
void gather(context &ctx, weft_range range, const X &x, const I &index, Y &&y, std::size_t columns = 1) {
    detail::one_type<X, Y>();
    const std::size_t m = columns == 0 ? 0 : std::size(x) / columns;
    detail::need_size("x", std::size(x), m * columns);
    detail::need_size("y", std::size(y), std::size(index) * columns);
    ctx(weft_gather, range, dtype_of<detail::value<X>>(), dtype_of<detail::value<I>>(), std::size(index), columns, m,
        std::data(x), std::data(index), std::data(y));
}

// Copies row i of x to row index[i] of y. A row has `columns` elements. The indices must be different.
template <class X, class I, class Y>
void scatter(context &ctx, weft_range range, const X &x, const I &index, Y &&y, std::size_t columns = 1) {
    detail::one_type<X, Y>();
    const std::size_t m = columns == 0 ? 0 : std::size(y) / columns;
    detail::need_size("x", std::size(x), std::size(index) * columns);
    detail::need_size("y", std::size(y), m * columns);
    ctx(weft_scatter, range, dtype_of<detail::value<X>>(), dtype_of<detail::value<I>>(), std::size(index), columns, m,
        std::data(x), std::data(index), std::data(y));
}

// Scans each segment x[offsets[s]] ... x[offsets[s + 1] - 1] to y, which must have the size of x.
template <class X, class O, class Y>
void segmented_scan(context &ctx, weft_op op, weft_scan_kind kind, const X &x, const O &offsets, Y &&y) {
    detail::need_size("y", std::size(y), std::size(x));
    detail::need_capacity("offsets", std::size(offsets), 1);
    ctx(weft_segmented_scan, op, kind, dtype_of<detail::value<X>>(), detail::scan_accumulate<Y, X>(), std::size(x),
        std::data(x), std::size(offsets) - 1, detail::offsets(offsets), std::data(y));
}

// Scans each segment of x to y. A segment begins at element 0 and wherever a head is not zero. y must have the size
// of x.
template <class X, class H, class Y>
void segmented_scan_heads(context &ctx, weft_op op, weft_scan_kind kind, const X &x, const H &heads, Y &&y) {
    detail::need_size("y", std::size(y), std::size(x));
    ctx(weft_segmented_scan_heads, op, kind, dtype_of<detail::value<X>>(), detail::scan_accumulate<Y, X>(),
        std::size(x), std::data(x), detail::flags(heads, std::size(x)), std::data(y));
}

// Reduces the elements of x in each run of equal adjacent keys to one value of y, and writes the first key of each
// run to unique_keys. Both must have at least the size of x. Returns the number of runs.
template <weft_op op, class K, class X, class U, class Y>
std::size_t reduce_by_key(context &ctx, const K &keys, const X &x, U &&unique_keys, Y &&y) {
    using natural = typename reduced<op, detail::value<X>>::type;
    detail::one_type<K, U>();
    detail::need_size("keys", std::size(keys), std::size(x));
    detail::need_capacity("unique_keys", std::size(unique_keys), std::size(x));
    detail::need_capacity("y", std::size(y), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_reduce_by_key, op, dtype_of<detail::value<K>>(), dtype_of<detail::value<X>>(),
        detail::accumulate<detail::value<Y>, natural>(), std::size(x), std::data(keys), std::data(x),
        std::data(unique_keys), std::data(y), &count);
    return static_cast<std::size_t>(count);
}

// ------------------------------------------------------------------------------- selections
// Each function returns the number of elements kept (partition: of those that come first; unique, run_length: of
// runs). Outputs must have at least the size of the input.

// Copies x[i] where flags[i] is not zero.
template <class X, class F, class Y> std::size_t select(context &ctx, const X &x, const F &flags, Y &&y) {
    detail::one_type<X, Y>();
    detail::need_capacity("y", std::size(y), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_select, dtype_of<detail::value<X>>(), std::size(x), std::data(x), detail::flags(flags, std::size(x)),
        std::data(y), &count);
    return static_cast<std::size_t>(count);
}

// Copies x[i] where the comparison of x[i] with value is true.
template <class X, class Y>
std::size_t select_if(context &ctx, const X &x, weft_comparison comparison, detail::value<X> value, Y &&y) {
    detail::one_type<X, Y>();
    detail::need_capacity("y", std::size(y), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_select_if, comparison, dtype_of<detail::value<X>>(), std::size(x), std::data(x), &value, std::data(y),
        &count);
    return static_cast<std::size_t>(count);
}

// Writes the indices i where flags[i] is not zero, ascending.
template <class F, class Y> std::size_t select_indices(context &ctx, const F &flags, Y &&y) {
    detail::need_capacity("y", std::size(y), std::size(flags));
    std::uint64_t count = 0;
    ctx(weft_select_indices, std::size(flags), detail::flags(flags, std::size(flags)), detail::numbers(y), &count);
    return static_cast<std::size_t>(count);
}

// Writes the indices i where the comparison of x[i] with value is true, ascending.
template <class X, class Y>
std::size_t select_indices_if(context &ctx, const X &x, weft_comparison comparison, detail::value<X> value, Y &&y) {
    detail::need_capacity("y", std::size(y), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_select_indices_if, comparison, dtype_of<detail::value<X>>(), std::size(x), std::data(x), &value,
        detail::numbers(y), &count);
    return static_cast<std::size_t>(count);
}

// Copies first the x[i] where flags[i] is not zero, then the others, both in their order.
template <class X, class F, class Y> std::size_t partition(context &ctx, const X &x, const F &flags, Y &&y) {
    detail::one_type<X, Y>();
    detail::need_capacity("y", std::size(y), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_partition, dtype_of<detail::value<X>>(), std::size(x), std::data(x), detail::flags(flags, std::size(x)),
        std::data(y), &count);
    return static_cast<std::size_t>(count);
}

// Copies first the x[i] where the comparison with value is true, then the others, both in their order.
template <class X, class Y>
std::size_t partition_if(context &ctx, const X &x, weft_comparison comparison, detail::value<X> value, Y &&y) {
    detail::one_type<X, Y>();
    detail::need_capacity("y", std::size(y), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_partition_if, comparison, dtype_of<detail::value<X>>(), std::size(x), std::data(x), &value, std::data(y),
        &count);
    return static_cast<std::size_t>(count);
}

// Copies the first element of each run of equal adjacent elements.
template <class X, class Y> std::size_t unique(context &ctx, const X &x, Y &&y) {
    detail::one_type<X, Y>();
    detail::need_capacity("y", std::size(y), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_unique, dtype_of<detail::value<X>>(), std::size(x), std::data(x), std::data(y), &count);
    return static_cast<std::size_t>(count);
}

// Writes the first element and the length of each run of equal adjacent elements.
template <class X, class V, class L> std::size_t run_length(context &ctx, const X &x, V &&values, L &&lengths) {
    detail::one_type<X, V>();
    detail::need_capacity("values", std::size(values), std::size(x));
    detail::need_capacity("lengths", std::size(lengths), std::size(x));
    std::uint64_t count = 0;
    ctx(weft_run_length, dtype_of<detail::value<X>>(), std::size(x), std::data(x), std::data(values),
        detail::numbers(lengths), &count);
    return static_cast<std::size_t>(count);
}

// --------------------------------------------------------------------------- counts and orders

// Counts the elements of x in the bins between adjacent edges. edges has one element more than counts.
template <class X, class E, class C> void histogram(context &ctx, const X &x, const E &edges, C &&counts) {
    detail::one_type<X, E>();
    detail::need_size("edges", std::size(edges), std::size(counts) + 1);
    ctx(weft_histogram, dtype_of<detail::value<X>>(), std::size(x), std::data(x), std::size(counts), std::data(edges),
        detail::numbers(counts));
}

// Counts the elements of x in as many bins of equal width from lower to upper as counts has elements.
template <class X, class C>
void histogram_even(context &ctx, const X &x, detail::value<X> lower, detail::value<X> upper, C &&counts) {
    ctx(weft_histogram_even, dtype_of<detail::value<X>>(), std::size(x), std::data(x), std::size(counts), &lower,
        &upper, detail::numbers(counts));
}

// Writes the k largest or smallest elements of x, in order, to values, and their indices to indices. k is the size of
// values.
template <class X, class V> void top_k(context &ctx, weft_extreme extreme, const X &x, V &&values) {
    detail::one_type<X, V>();
    ctx(weft_top_k, extreme, dtype_of<detail::value<X>>(), std::size(x), std::data(x), std::size(values),
        std::data(values), nullptr);
}
template <class X, class V, class I>
void top_k(context &ctx, weft_extreme extreme, const X &x, V &&values, I &&indices) {
    detail::one_type<X, V>();
    detail::need_capacity("indices", std::size(indices), std::size(values));
    ctx(weft_top_k, extreme, dtype_of<detail::value<X>>(), std::size(x), std::data(x), std::size(values),
        std::data(values), detail::numbers(indices));
}

// Merges the sorted arrays a and b into y, which must have the size of both together.
template <class A, class B, class Y> void merge(context &ctx, const A &a, const B &b, Y &&y) {
    detail::one_type<A, B>();
    detail::one_type<A, Y>();
    detail::need_size("y", std::size(y), std::size(a) + std::size(b));
    ctx(weft_merge, dtype_of<detail::value<A>>(), std::size(a), std::data(a), std::size(b), std::data(b),
        std::data(y));
}

// Writes for each query its lower bound (WEFT_LEFT) or upper bound (WEFT_RIGHT) in the sorted array.
template <class S, class Q, class P>
void search_sorted(context &ctx, weft_side side, const S &sorted, const Q &queries, P &&positions) {
    detail::one_type<S, Q>();
    detail::need_capacity("positions", std::size(positions), std::size(queries));
    ctx(weft_search_sorted, side, dtype_of<detail::value<S>>(), std::size(sorted), std::data(sorted),
        std::size(queries), std::data(queries), detail::numbers(positions));
}

// Sorts keys to `sorted`, stably. sorted may be keys.
template <class K, class S>
void sort(context &ctx, const K &keys, S &&sorted, weft_order_of_sort order = WEFT_ASCENDING) {
    detail::one_type<K, S>();
    detail::need_size("sorted", std::size(sorted), std::size(keys));
    ctx(weft_sort, order, dtype_of<detail::value<K>>(), std::size(keys), std::data(keys), std::data(sorted));
}

// Sorts keys stably, and moves each value with its key. Outputs may be the inputs. A value must have 1, 2, 4, 8 or 16
// bytes.
template <class K, class V, class SK, class SV>
void sort_pairs(context &ctx, const K &keys, const V &values, SK &&sorted_keys, SV &&sorted_values,
                weft_order_of_sort order = WEFT_ASCENDING) {
    static_assert(std::is_trivially_copyable_v<detail::value<V>>, "values must be trivially copyable");
    detail::one_type<K, SK>();
    detail::one_type<V, SV>();
    detail::need_size("values", std::size(values), std::size(keys));
    detail::need_size("sorted_keys", std::size(sorted_keys), std::size(keys));
    detail::need_size("sorted_values", std::size(sorted_values), std::size(keys));
    ctx(weft_sort_pairs, order, dtype_of<detail::value<K>>(), std::size(keys), std::data(keys),
        sizeof(detail::value<V>), std::data(values), std::data(sorted_keys), std::data(sorted_values));
}

// Sorts integer keys by the bits first_bit ... first_bit + bits - 1, stably. With values: ctx(weft_sort_bits, ...).
template <class K, class S>
void sort_bits(context &ctx, const K &keys, unsigned first_bit, unsigned bits, S &&sorted,
               weft_order_of_sort order = WEFT_ASCENDING) {
    detail::one_type<K, S>();
    detail::need_size("sorted", std::size(sorted), std::size(keys));
    ctx(weft_sort_bits, order, dtype_of<detail::value<K>>(), first_bit, bits, std::size(keys), std::data(keys),
        std::size_t{0}, nullptr, std::data(sorted), nullptr);
}

// Writes the indices that sort keys. Their type is std::uint32_t or std::uint64_t.
template <class K, class I>
void argsort(context &ctx, const K &keys, I &&indices, weft_order_of_sort order = WEFT_ASCENDING) {
    detail::need_size("indices", std::size(indices), std::size(keys));
    ctx(weft_argsort, order, dtype_of<detail::value<K>>(), dtype_of<detail::value<I>>(), std::size(keys),
        std::data(keys), std::data(indices));
}

// -------------------------------------------------------------------- matrices, systems, grids

// A matrix in an array. ld is the distance, in elements, between adjacent rows (column-major: between columns).
template <class T> struct matrix {
    T *data;
    std::size_t rows, columns, ld;
    weft_layout layout = WEFT_ROW_MAJOR;

    matrix(T *data_, std::size_t rows_, std::size_t columns_)
        : data(data_), rows(rows_), columns(columns_), ld(columns_) {}
    matrix(T *data_, std::size_t rows_, std::size_t columns_, std::size_t ld_, weft_layout layout_)
        : data(data_), rows(rows_), columns(columns_), ld(ld_), layout(layout_) {}

    // Returns the transpose, a view of the same elements.
    matrix transposed() const {
        return {data, columns, rows, ld, layout == WEFT_ROW_MAJOR ? WEFT_COLUMN_MAJOR : WEFT_ROW_MAJOR};
    }
};

// Computes c = alpha a b + beta c. Each matrix may have either layout. accumulate: WEFT_F64 sums floats in double.
template <class A, class B, class T>
void matmul(context &ctx, const matrix<A> &a, const matrix<B> &b, const matrix<T> &c, T alpha = 1, T beta = 0,
            weft_dtype accumulate = WEFT_DEFAULT) {
    static_assert(std::is_same_v<std::remove_const_t<A>, T> && std::is_same_v<std::remove_const_t<B>, T>,
                  "the matrices must have the same element type");
    if (a.columns != b.rows || c.rows != a.rows || c.columns != b.columns) {
        const auto shape = [](std::size_t m, std::size_t n) { return std::to_string(m) + " x " + std::to_string(n); };
        throw error(WEFT_INVALID, "a is " + shape(a.rows, a.columns) + ", b " + shape(b.rows, b.columns) + " and c " +
                                      shape(c.rows, c.columns) + ": expected m x k, k x n and m x n");
    }
    const auto turned = [&](weft_layout layout) { return layout == c.layout ? WEFT_NO_TRANSPOSE : WEFT_TRANSPOSE; };
    ctx(weft_matmul, c.layout, turned(a.layout), turned(b.layout), dtype_of<T>(), accumulate, c.rows, c.columns,
        a.columns, &alpha, a.data, a.ld, b.data, b.ld, &beta, c.data, c.ld);
}

namespace detail {

// Solves one system with weft_tridiag or weft_tridiag_pivot.
template <class F, class A, class B, class C, class D, class X>
void solve(context &ctx, F function, const A &a, const B &b, const C &c, const D &d, X &&x, weft_boundary boundary) {
    one_type<A, B>();
    one_type<A, C>();
    one_type<A, D>();
    one_type<A, X>();
    const std::size_t n = std::size(d);
    need_size("a", std::size(a), n);
    need_size("b", std::size(b), n);
    need_size("c", std::size(c), n);
    need_size("x", std::size(x), n);
    const auto line = [&](const void *p) { return weft_lines{p, 1, n}; };
    std::uint64_t singular = 0;
    ctx(function, boundary, dtype_of<value<D>>(), std::size_t{1}, n, line(std::data(a)), line(std::data(b)),
        line(std::data(c)), line(std::data(d)), std::data(x), &singular);
    if (singular != UINT64_MAX)
        throw error(WEFT_INVALID, "the pivot or a finite solution was lost at row " + std::to_string(singular));
}

} // namespace detail

// Solves one system a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i]. Several systems, and other distances of the
// elements: ctx(weft_tridiag, ...). Throws weft::error if the system is singular to working precision.
template <class A, class B, class C, class D, class X>
void tridiag(context &ctx, const A &a, const B &b, const C &c, const D &d, X &&x,
             weft_boundary boundary = WEFT_OPEN_ENDS) {
    detail::solve(ctx, weft_tridiag, a, b, c, d, x, boundary);
}

// Solves one system with partial pivoting: any matrix that is not singular. Throws weft::error if it is.
template <class A, class B, class C, class D, class X>
void tridiag_pivot(context &ctx, const A &a, const B &b, const C &c, const D &d, X &&x,
                   weft_boundary boundary = WEFT_OPEN_ENDS) {
    detail::solve(ctx, weft_tridiag_pivot, a, b, c, d, x, boundary);
}

// Solves one system of n block rows a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i] with `block` x `block` blocks,
// stored row by row: a, b and c have n block^2 elements, d and x n block. Throws weft::error if the system is
// singular to working precision.
template <class A, class B, class C, class D, class X>
void block_tridiag(context &ctx, std::size_t block, const A &a, const B &b, const C &c, const D &d, X &&x,
                   weft_boundary boundary = WEFT_OPEN_ENDS) {
    detail::one_type<A, B>();
    detail::one_type<A, C>();
    detail::one_type<A, D>();
    detail::one_type<A, X>();
    const std::size_t n = block ? std::size(d) / block : 0;
    detail::need_size("d", std::size(d), n * block);
    detail::need_size("a", std::size(a), n * block * block);
    detail::need_size("b", std::size(b), n * block * block);
    detail::need_size("c", std::size(c), n * block * block);
    detail::need_size("x", std::size(x), n * block);
    const auto line = [&](const void *p) { return weft_lines{p, 1, n}; };
    std::uint64_t singular = 0;
    ctx(weft_block_tridiag, boundary, dtype_of<detail::value<D>>(), block, std::size_t{1}, n, line(std::data(a)),
        line(std::data(b)), line(std::data(c)), line(std::data(d)), std::data(x), &singular);
    if (singular != UINT64_MAX)
        throw error(WEFT_INVALID, "the pivot or a finite solution was lost at block row " + std::to_string(singular));
}

// Solves one system e[i] x[i-2] + a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] + f[i] x[i+2] = d[i]. Throws weft::error if
// the system is singular to working precision, or if it is periodic and its number of rows is odd.
template <class E, class A, class B, class C, class F, class D, class X>
void pentadiag(context &ctx, const E &e, const A &a, const B &b, const C &c, const F &f, const D &d, X &&x,
               weft_boundary boundary = WEFT_OPEN_ENDS) {
    detail::one_type<A, B>();
    detail::one_type<A, C>();
    detail::one_type<A, D>();
    detail::one_type<A, E>();
    detail::one_type<A, F>();
    detail::one_type<A, X>();
    const std::size_t n = std::size(d);
    detail::need_size("e", std::size(e), n);
    detail::need_size("a", std::size(a), n);
    detail::need_size("b", std::size(b), n);
    detail::need_size("c", std::size(c), n);
    detail::need_size("f", std::size(f), n);
    detail::need_size("x", std::size(x), n);
    const auto line = [&](const void *p) { return weft_lines{p, 1, n}; };
    std::uint64_t singular = 0;
    ctx(weft_pentadiag, boundary, dtype_of<detail::value<D>>(), std::size_t{1}, n, line(std::data(e)),
        line(std::data(a)), line(std::data(b)), line(std::data(c)), line(std::data(f)), line(std::data(d)),
        std::data(x), &singular);
    if (singular != UINT64_MAX)
        throw error(WEFT_INVALID, "the pivot or a finite solution was lost at row " + std::to_string(singular));
}

// Runs `sweeps` sweeps of Jacobi's iteration on a grid u(nx, ny, nz), x fastest. v may be u. Returns the root mean
// square of the change in the last sweep.
template <class U, class V>
double laplace(context &ctx, std::size_t nx, std::size_t ny, std::size_t nz, std::size_t sweeps, const U &u, V &&v) {
    detail::one_type<U, V>();
    detail::need_size("u", std::size(u), nx * ny * nz);
    detail::need_size("v", std::size(v), nx * ny * nz);
    double change = 0;
    ctx(weft_laplace, dtype_of<detail::value<U>>(), nx, ny, nz, sweeps, std::data(u), std::data(v), &change);
    return change;
}

// Makes `steps` implicit time steps of the heat equation on consecutive grids. shape: number of points along each
// axis, x first. lambda: one value for each axis. v may be u.
template <class U, class V>
void heat(context &ctx, weft_heat_method method, const std::vector<std::size_t> &shape,
          const std::vector<double> &lambda, std::size_t steps, const U &u, V &&v) {
    detail::one_type<U, V>();
    std::size_t points = 1;
    for (const std::size_t n : shape) points *= n;
    const std::size_t batch = points ? std::size(u) / points : 0;
    detail::need_size("lambda", lambda.size(), shape.size());
    detail::need_size("u", std::size(u), batch * points);
    detail::need_size("v", std::size(v), batch * points);
    ctx(weft_heat, method, dtype_of<detail::value<U>>(), shape.size(), shape.data(), batch, lambda.data(), steps,
        std::data(u), std::data(v));
}

// -------------------------------------------------------------- transforms and convolutions

// Computes the Fourier transforms of consecutive arrays of n values. The types select the kind: complex to complex
// (inverse: the inverse), real to complex (n / 2 + 1 values for n real ones; inverse must be false), complex to real
// (inverse must be true).
template <class X, class Y> void fft(context &ctx, std::size_t n, const X &x, Y &&y, bool inverse = false) {
    using TX = detail::value<X>;
    using TY = detail::value<Y>;
    static_assert(dtype_of<TX>() == dtype_of<TY>(), "the arrays must have the same precision");
    constexpr bool from_real = real_of<TX>::field == WEFT_REAL, to_real = real_of<TY>::field == WEFT_REAL;
    static_assert(!(from_real && to_real), "at least one array of a transform must be complex");
    if (n == 0) throw error(WEFT_INVALID, "invalid n 0: it must be at least 1");
    if (inverse != to_real && (from_real || to_real))
        throw error(WEFT_INVALID, "a transform from real values must be forward, one to real values inverse");
    const std::size_t half = n / 2 + 1, batch = std::size(x) / (to_real ? half : n);
    detail::need_size("x", std::size(x), batch * (to_real ? half : n));
    detail::need_size("y", std::size(y), batch * (from_real ? half : n));
    const weft_fft_kind kind = from_real ? WEFT_R2C : to_real ? WEFT_C2R : inverse ? WEFT_C2C_INVERSE : WEFT_C2C;
    ctx(weft_fft, kind, dtype_of<TX>(), batch, n, static_cast<const void *>(std::data(x)),
        static_cast<void *>(std::data(y)));
}

namespace detail {
template <class F, class X, class H, class Y>
void slide(context &ctx, F function, weft_convolve_mode mode, const X &x, const H &h, Y &y) {
    one_type<X, H>();
    one_type<X, Y>();
    const std::size_t n = std::size(x), m = std::size(h), longer = n < m ? m : n, shorter = n < m ? n : m;
    if (shorter > 0)
        need_size("y", std::size(y),
                  mode == WEFT_FULL    ? n + m - 1
                  : mode == WEFT_VALID ? longer - shorter + 1
                                       : longer);
    ctx(function, mode, dtype_of<value<X>>(), real_of<value<X>>::field, n, static_cast<const void *>(std::data(x)), m,
        static_cast<const void *>(std::data(h)), static_cast<void *>(std::data(y)));
}
} // namespace detail

// Compute the convolution or the correlation of x with h. y must have the size that the mode determines.
template <class X, class H, class Y>
void convolve(context &ctx, const X &x, const H &h, Y &&y, weft_convolve_mode mode = WEFT_FULL) {
    detail::slide(ctx, weft_convolve, mode, x, h, y);
}
template <class X, class H, class Y>
void correlate(context &ctx, const X &x, const H &h, Y &&y, weft_convolve_mode mode = WEFT_FULL) {
    detail::slide(ctx, weft_correlate, mode, x, h, y);
}

// ----------------------------------------------------------------------------- random numbers

// Fills x with the samples first, first + 1, ... of a stream. Elements are float or double; float for
// WEFT_NORMAL_FAST and WEFT_LOGNORMAL_FAST; std::uint8_t for WEFT_BERNOULLI. weft_distribution in weft.h describes a
// and b.
template <class X>
void random(context &ctx, weft_distribution distribution, std::uint64_t seed, X &&x, double a = 0, double b = 1,
            std::uint64_t stream = 0, std::uint64_t first = 0) {
    ctx(weft_random, distribution, dtype_of<detail::value<X>>(), seed, stream, first, std::size(x), a, b,
        static_cast<void *>(std::data(x)));
}

// Fills x with random integers from lower to upper, both included: the samples first, first + 1, ... of a stream.
template <class X>
void random_integers(context &ctx, std::uint64_t seed, detail::value<X> lower, detail::value<X> upper, X &&x,
                     std::uint64_t stream = 0, std::uint64_t first = 0) {
    ctx(weft_random_integers, dtype_of<detail::value<X>>(), seed, stream, first, std::size(x),
        static_cast<const void *>(&lower), static_cast<const void *>(&upper), static_cast<void *>(std::data(x)));
}

// Fills x with the Sobol points first, first + 1, ..., of `dimensions` consecutive coordinates each: as many points
// as fit. Elements are float or double.
template <class X>
void sobol(context &ctx, weft_scrambling scrambling, std::size_t dimensions, X &&x, std::uint64_t seed = 0,
           std::uint64_t stream = 0, std::uint64_t first = 0) {
    ctx(weft_sobol, scrambling, dtype_of<detail::value<X>>(), seed, stream, dimensions, first,
        dimensions ? std::size(x) / dimensions : 0, static_cast<void *>(std::data(x)));
}

// Returns the price of an option, computed by simulation. Sets the member `size` of the structs.
inline weft_valuation price(context &ctx, weft_option option, weft_simulation simulation) {
    weft_valuation valuation{};
    option.size = sizeof option;
    simulation.size = sizeof simulation;
    valuation.size = sizeof valuation;
    ctx(weft_price, &option, &simulation, &valuation);
    return valuation;
}

// ---------------------------------------------------------------------------------- formulas

// A compiled formula (weft_expr_compile). The destructor frees it. Several threads may use it at once.
class expr {
  public:
    expr(context &ctx, const std::string &formula) { ctx(weft_expr_compile, formula.c_str(), &expr_); }
    // With complex variables, for map_views and map_reduce_axes (weft_expr_compile_complex). The last axis of a view
    // of complex numbers, of length 2, contains the parts; so does that of `out` if the values are complex.
    expr(context &ctx, const std::string &formula, std::initializer_list<const char *> complex_names) {
        ctx(weft_expr_compile_complex, formula.c_str(), complex_names.begin(), complex_names.size(), &expr_);
    }
    ~expr() { weft_expr_free(expr_); }
    expr(expr &&other) noexcept : expr_(std::exchange(other.expr_, nullptr)) {}
    expr &operator=(expr &&other) noexcept {
        std::swap(expr_, other.expr_);
        return *this;
    }
    expr(const expr &) = delete;
    expr &operator=(const expr &) = delete;
    const weft_expr *get() const { return expr_; }
    bool is_complex() const { return weft_expr_is_complex(expr_) != 0; }

  private:
    weft_expr *expr_ = nullptr;
};

// Binds a name of a formula to an array, which must outlive the binding, or to a number, which is copied.
class binding {
  public:
    template <class X> binding(const char *name, const X &x) {
        if constexpr (std::is_arithmetic_v<X>) {
            binding_ = {name, dtype_of<X>(), nullptr, nullptr};
            std::memcpy(number_, &x, sizeof x);
        } else {
            binding_ = {name, dtype_of<detail::value<X>>(), std::data(x), nullptr};
            size_ = std::size(x);
            is_array_ = true;
        }
    }
    bool is_array() const { return is_array_; }
    std::size_t size() const { return size_; }
    weft_binding get() const {
        weft_binding b = binding_;
        if (!is_array_)
            b.scalar = number_;
        else if (b.array == nullptr)
            b.array = number_; // an array of 0 elements: any pointer that is not NULL
        return b;
    }

  private:
    weft_binding binding_;
    alignas(8) unsigned char number_[8] = {};
    std::size_t size_ = 0;
    bool is_array_ = false;
};

namespace detail {
inline std::vector<weft_binding> bound(std::initializer_list<binding> bindings, std::size_t n) {
    std::vector<weft_binding> list;
    for (const binding &b : bindings) {
        if (b.is_array()) need_size(b.get().name, b.size(), n);
        list.push_back(b.get());
    }
    return list;
}
} // namespace detail

// Evaluates a formula for each element of y, in the type of y: map(ctx, f, {{"x", x}, {"a", 2.0f}}, y).
template <class Y> void map(context &ctx, const expr &f, std::initializer_list<binding> bindings, Y &&y) {
    const std::vector<weft_binding> list = detail::bound(bindings, std::size(y));
    ctx(weft_map, f.get(), dtype_of<detail::value<Y>>(), std::size(y), list.data(), list.size(),
        static_cast<void *>(std::data(y)));
}

// Reduces the values of a formula at n elements, without storing them.
// map_reduce<WEFT_MEAN, float>(ctx, f, {{"x", x}}, n) evaluates it in float. A third template argument, double, is
// the type of the result and of the sums.
template <weft_op op, class T, class R = detail::natural>
auto map_reduce(context &ctx, const expr &f, std::initializer_list<binding> bindings, std::size_t n) {
    using natural = typename reduced<op, T>::type;
    using result = detail::chosen<R, natural>;
    const std::vector<weft_binding> list = detail::bound(bindings, n);
    result r;
    ctx(weft_map_reduce, op, f.get(), dtype_of<T>(), detail::accumulate<result, natural>(), n, list.data(),
        list.size(), static_cast<void *>(&r));
    return r;
}

// Reduces the values of a formula at n elements exactly, as `exact` does. T: float or double.
template <weft_op op, class T>
T exact_map_reduce(context &ctx, const expr &f, std::initializer_list<binding> bindings, std::size_t n) {
    const std::vector<weft_binding> list = detail::bound(bindings, n);
    T r;
    ctx(weft_map_reduce, op, f.get(), dtype_of<T>(), WEFT_EXACT_SUM, n, list.data(), list.size(),
        static_cast<void *>(&r));
    return r;
}

// ------------------------------------------------------------------------------ words in texts

// Matches of words in a text.
struct matches {
    std::vector<std::uint64_t> positions;
    std::vector<std::uint32_t> numbers; // index of the word of each match
};

namespace detail {
// Words in the form of weft_patterns, whose pointers are valid as long as this object.
struct word_list {
    std::string bytes;
    std::vector<std::uint64_t> offsets = {0};
    explicit word_list(const std::vector<std::string> &words) {
        for (const std::string &word : words) {
            bytes += word;
            offsets.push_back(bytes.size());
        }
    }
    weft_patterns get() const { return {offsets.size() - 1, offsets.data(), bytes.data()}; }
};
} // namespace detail

// Returns the number of occurrences of each word in a text: a std::string, a std::string_view, or another array of
// bytes. flags: sum of weft_match_flags.
template <class X>
std::vector<std::uint64_t> match_count(context &ctx, const X &text, const std::vector<std::string> &words,
                                       unsigned flags = 0) {
    static_assert(sizeof(detail::value<X>) == 1, "a text must have one-byte elements");
    const detail::word_list list(words);
    const weft_patterns patterns = list.get();
    std::vector<std::uint64_t> counts(words.size());
    ctx(weft_match_count, std::size(text), static_cast<const void *>(std::data(text)), std::size_t{0},
        std::size(text), &patterns, flags, counts.data());
    return counts;
}

// Returns the position and the word of each match, by ascending position. flags: sum of weft_match_flags.
template <class X>
matches match_list(context &ctx, const X &text, const std::vector<std::string> &words, unsigned flags = 0) {
    static_assert(sizeof(detail::value<X>) == 1, "a text must have one-byte elements");
    const detail::word_list list(words);
    const weft_patterns patterns = list.get();
    matches found;
    std::uint64_t total = 0;
    const auto search = [&] {
        ctx(weft_match_list, std::size(text), static_cast<const void *>(std::data(text)), std::size_t{0},
            std::size(text), &patterns, flags, found.positions.size(), found.positions.data(), found.numbers.data(),
            &total);
    };
    search();
    found.positions.resize(static_cast<std::size_t>(total));
    found.numbers.resize(static_cast<std::size_t>(total));
    if (total > 0) search();
    return found;
}

// ------------------------------------------------------------------------------------ views

namespace detail {

// Element type of std::mdspan, and of classes with its members. Is not valid for other types.
template <class M>
using mdspan_element =
    std::enable_if_t<std::is_pointer_v<decltype(std::declval<const M &>().data_handle())>, typename M::element_type>;

} // namespace detail

// A non-owning view of an array of at most WEFT_DIMENSIONS_MAX dimensions (weft_view), for the functions below. It
// has no data() and size(), because its elements need not be contiguous.
template <class T> class array_view {
  public:
    using element_type = T;

    // An array without gaps whose last axis varies fastest.
    array_view(T *data, const std::vector<std::size_t> &shape) {
        const weft_status status =
            weft_view_of(dtype_of<std::remove_const_t<T>>(), shape.size(), shape.data(), data, &view_);
        if (status != WEFT_OK) throw error(status, weft_last_error(nullptr));
    }
    // The elements of a contiguous array, such as std::vector or std::span.
    template <class X, class = detail::element<X>>
    array_view(X &&x, const std::vector<std::size_t> &shape) : array_view(std::data(x), shape) {
        std::size_t n = 1;
        for (const std::size_t length : shape) n *= length;
        detail::need_size("the array", std::size(x), n);
    }
    // Distances of adjacent elements along each axis, in elements; they may be negative or 0.
    array_view(T *data, const std::vector<std::size_t> &shape, const std::vector<std::ptrdiff_t> &strides)
        : array_view(data, shape) {
        detail::need_size("strides", strides.size(), shape.size());
        for (std::size_t k = 0; k < strides.size(); k++)
            view_.stride[k] = strides[k] * static_cast<std::ptrdiff_t>(sizeof(T));
    }
    // A std::mdspan whose layout has strides.
    template <class M, class E = detail::mdspan_element<M>>
    array_view(const M &m) : array_view(m.data_handle(), shape_of(m), strides_of(m)) {}
    // A read-only view of writable elements.
    template <class U, class = std::enable_if_t<std::is_same_v<const U, T> && !std::is_same_v<U, T>>>
    array_view(const array_view<U> &other) : view_(other.get()) {}

    const weft_view &get() const { return view_; }
    std::size_t rank() const { return view_.dimensions; }
    std::size_t extent(std::size_t axis) const { return view_.shape[axis]; }
    // Returns the view with its axes in reverse order, such as the transposed matrix. Moves no data.
    array_view transposed() const {
        array_view t = *this;
        std::reverse_copy(view_.shape, view_.shape + rank(), t.view_.shape);
        std::reverse_copy(view_.stride, view_.stride + rank(), t.view_.stride);
        return t;
    }

  private:
    static_assert(real_of<std::remove_const_t<T>>::field == WEFT_REAL, "a view has elements of a real type");
    template <class M> static std::vector<std::size_t> shape_of(const M &m) {
        std::vector<std::size_t> shape;
        for (std::size_t k = 0; k < M::rank(); k++) shape.push_back(static_cast<std::size_t>(m.extent(k)));
        return shape;
    }
    template <class M> static std::vector<std::ptrdiff_t> strides_of(const M &m) {
        static_assert(M::is_always_strided(), "the layout of the mdspan must have strides");
        std::vector<std::ptrdiff_t> strides;
        if constexpr (M::rank() > 0)
            for (std::size_t k = 0; k < M::rank(); k++) strides.push_back(static_cast<std::ptrdiff_t>(m.stride(k)));
        return strides;
    }

    weft_view view_ = {};
};
template <class X> array_view(X &&, const std::vector<std::size_t> &) -> array_view<detail::element<X>>;
template <class M> array_view(const M &) -> array_view<detail::mdspan_element<M>>;

namespace detail {

// Element type of an array_view or a std::mdspan, without const.
template <class X> using view_value = std::remove_const_t<typename X::element_type>;
template <class X> array_view<typename X::element_type> view_in(const X &x) { return x; }

// Length along an axis, or 0 if there is no such axis.
inline std::size_t length(const weft_view &v, int axis) {
    const auto number = axis < 0 ? axis + static_cast<int>(v.dimensions) : axis;
    return number >= 0 && number < static_cast<int>(v.dimensions) ? v.shape[number] : 0;
}

} // namespace detail

// The arguments x, y and out of the functions below are array_view or std::mdspan.

// Copies the elements of x to y. The shape of x is broadcast to that of y.
template <class X, class Y> void copy_view(context &ctx, const X &x, const Y &y) {
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(y);
    ctx(weft_copy_view, &from.get(), &to.get());
}

// Copies elements of x to y in the order of indices along an axis. The shape of the index is broadcast to that of y.
template <class X, class I, class Y>
void take_axis(context &ctx, weft_range range, const X &x, int axis, const I &index, const Y &y) {
    const auto from = detail::view_in(x);
    const auto by = detail::view_in(index);
    const auto to = detail::view_in(y);
    ctx(weft_take_axis, range, &from.get(), axis, &by.get(), &to.get());
}

// Copies elements of x to the positions in y that indices state along an axis. The shapes of x and of the index are
// broadcast to that of y, with the length of the index along the axis.
template <class X, class I, class Y>
void put_axis(context &ctx, weft_range range, const X &x, int axis, const I &index, const Y &y) {
    const auto from = detail::view_in(x);
    const auto by = detail::view_in(index);
    const auto to = detail::view_in(y);
    ctx(weft_put_axis, range, &from.get(), axis, &by.get(), &to.get());
}

// Binds a name of a formula to an array_view or a std::mdspan, whose elements must outlive the binding, or to a
// number, which is copied, and may be a std::complex.
class view_binding {
  public:
    template <class X> view_binding(const char *name, const X &x) : name_(name) {
        if constexpr (std::is_arithmetic_v<X> || real_of<X>::field == WEFT_COMPLEX) {
            dtype_ = dtype_of<X>();
            std::memcpy(number_, &x, sizeof x);
        } else {
            view_ = detail::view_in(x).get();
            is_view_ = true;
        }
    }
    weft_view_binding get() const {
        if (is_view_) return {name_, &view_, WEFT_DEFAULT, nullptr};
        return {name_, nullptr, dtype_, number_};
    }

  private:
    const char *name_;
    weft_view view_ = {};
    weft_dtype dtype_ = WEFT_DEFAULT;
    alignas(8) unsigned char number_[16] = {};
    bool is_view_ = false;
};

// Evaluates a formula for each element of out, in the type of out: map_views(ctx, f, {{"x", x}, {"a", 2.0f}}, out).
// The shapes of the views are broadcast to that of out, which may be one of them.
template <class Y>
void map_views(context &ctx, const expr &f, std::initializer_list<view_binding> bindings, const Y &out) {
    const auto to = detail::view_in(out);
    std::vector<weft_view_binding> list;
    for (const view_binding &b : bindings) list.push_back(b.get());
    ctx(weft_map_views, f.get(), dtype_of<detail::view_value<Y>>(), list.data(), list.size(), &to.get());
}

// Reduces the values of a formula of views along axes, without storing them:
// map_reduce_axes<WEFT_SUM, float>(ctx, f, {3, 4}, {{"x", x}, {"a", 2.0f}}, {0}, out) evaluates it in float. The
// shapes of the views are broadcast to that of the values, here 3 x 4.
template <weft_op op, class T, class Y>
void map_reduce_axes(context &ctx, const expr &f, const std::vector<std::size_t> &shape,
                     std::initializer_list<view_binding> bindings, const std::vector<int> &axes, const Y &out) {
    using result = detail::view_value<Y>;
    const auto to = detail::view_in(out);
    std::vector<weft_view_binding> list;
    for (const view_binding &b : bindings) list.push_back(b.get());
    ctx(weft_map_reduce_axes, op, f.get(), dtype_of<T>(), detail::accumulate<result, typename reduced<op, T>::type>(),
        shape.size(), shape.data(), list.data(), list.size(), axes.size(), axes.data(), &to.get());
}

// Reduces x along axes: reduce_axes<WEFT_SUM>(ctx, x, {0, 2}, out). Negative axes count from the last one, -1. The
// shape of out is that of x without the axes, or with length 1 for each of them.
template <weft_op op, class X, class Y>
void reduce_axes(context &ctx, const X &x, const std::vector<int> &axes, const Y &out) {
    using natural = typename reduced<op, detail::view_value<X>>::type;
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(out);
    ctx(weft_reduce_axes, op, detail::accumulate<detail::view_value<Y>, natural>(), &from.get(), axes.size(),
        axes.data(), &to.get());
}

// Computes the variance of x along axes. ddof as for variance; it must be less than the number of elements along
// them.
template <class X, class Y>
void variance_axes(context &ctx, const X &x, const std::vector<int> &axes, const Y &out, std::size_t ddof = 0) {
    using natural = typename reduced<WEFT_MEAN, detail::view_value<X>>::type;
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(out);
    ctx(weft_variance_axes, detail::accumulate<detail::view_value<Y>, natural>(), ddof, &from.get(), axes.size(),
        axes.data(), &to.get());
}

// Computes dot products of x and y along axes: dot_axes(ctx, x, y, {-1}, out). x and y are broadcast to one shape,
// and have elements of one type. Axes and the shape of out as for reduce_axes. An out of doubles accumulates floats
// in double.
template <class X, class Y, class Z>
void dot_axes(context &ctx, const X &x, const Y &y, const std::vector<int> &axes, const Z &out) {
    static_assert(std::is_same_v<detail::view_value<X>, detail::view_value<Y>>, "x and y must have one type");
    using natural = typename reduced<WEFT_SUM, detail::view_value<X>>::type;
    const auto left = detail::view_in(x);
    const auto right = detail::view_in(y);
    const auto to = detail::view_in(out);
    ctx(weft_dot_axes, detail::accumulate<detail::view_value<Z>, natural>(), &left.get(), &right.get(), axes.size(),
        axes.data(), &to.get());
}

// Scans x along an axis to y, which must have the shape of x and may be x. Types and init as for scan.
template <class X, class Y>
void scan_axis(context &ctx, weft_op op, weft_scan_kind kind, const X &x, int axis, const Y &y,
               const detail::view_value<Y> *init = nullptr) {
    constexpr weft_dtype result = dtype_of<detail::view_value<Y>>();
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(y);
    ctx(weft_scan_axis, op, kind, result == dtype_of<detail::view_value<X>>() ? WEFT_DEFAULT : result, &from.get(),
        axis, init, &to.get());
}

// Computes linear recurrences along an axis: v[i] = s[i] v[i - 1] + u[i], in reverse v[i + 1]. s and u are broadcast
// to the shape of v, which may be one of them.
template <class S, class U, class V>
void recurrence_axis(context &ctx, const S &s, const U &u, int axis, const V &v,
                     weft_direction direction = WEFT_FORWARD) {
    const auto factors = detail::view_in(s);
    const auto terms = detail::view_in(u);
    const auto to = detail::view_in(v);
    ctx(weft_recurrence_axis, direction, &factors.get(), &terms.get(), axis, nullptr, &to.get());
}
// As above, with initial values, which are broadcast to the shape of v with length 1 along the axis.
template <class S, class U, class I, class V>
void recurrence_axis(context &ctx, const S &s, const U &u, int axis, const I &init, const V &v,
                     weft_direction direction = WEFT_FORWARD) {
    const auto factors = detail::view_in(s);
    const auto terms = detail::view_in(u);
    const auto first = detail::view_in(init);
    const auto to = detail::view_in(v);
    ctx(weft_recurrence_axis, direction, &factors.get(), &terms.get(), axis, &first.get(), &to.get());
}

// Computes Fourier transforms along axes, forward from the last one of the list and inverse from the first one. The
// last axis of a view of complex numbers, of length 2, contains the real and the imaginary part; it is not counted by
// `axes`. y may be x for the complex kinds.
template <class X, class Y>
void fft_axes(context &ctx, weft_fft_kind kind, const X &x, const std::vector<int> &axes, const Y &y) {
    static_assert(std::is_same_v<detail::view_value<X>, detail::view_value<Y>>, "x and y must have one type");
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(y);
    ctx(weft_fft_axes, kind, &from.get(), axes.size(), axes.data(), &to.get());
}

namespace detail {
template <class F, class X, class H, class Y>
void slide_axis(context &ctx, F function, weft_convolve_mode mode, const X &x, int axis, const H &h, const Y &y,
                weft_field field) {
    static_assert(std::is_same_v<view_value<X>, view_value<H>> && std::is_same_v<view_value<X>, view_value<Y>>,
                  "x, h and y must have one type");
    const auto from = view_in(x);
    const auto by = view_in(h);
    const auto to = view_in(y);
    ctx(function, mode, field, &from.get(), axis, &by.get(), &to.get());
}
template <class F, class X, class H, class Y>
void slide_2d(context &ctx, F function, weft_convolve_mode mode, weft_border border, const view_value<X> *fill,
              weft_field field, const X &x, const H &h, const Y &y) {
    static_assert(std::is_same_v<view_value<X>, view_value<H>> && std::is_same_v<view_value<X>, view_value<Y>>,
                  "x, h and y must have one type");
    const auto from = view_in(x);
    const auto by = view_in(h);
    const auto to = view_in(y);
    ctx(function, mode, border, fill, field, &from.get(), &by.get(), &to.get());
}
} // namespace detail

// Compute the convolution or the correlation of each vector along an axis of x with h, which has one axis or as many
// as x. y has the shape of x with the length along the axis that the mode determines. WEFT_COMPLEX: the last axis of
// each view, of length 2, contains the real and the imaginary part; it is not counted by `axis`.
template <class X, class H, class Y>
void convolve_axis(context &ctx, const X &x, int axis, const H &h, const Y &y, weft_convolve_mode mode = WEFT_FULL,
                   weft_field field = WEFT_REAL) {
    detail::slide_axis(ctx, weft_convolve_axis, mode, x, axis, h, y, field);
}
template <class X, class H, class Y>
void correlate_axis(context &ctx, const X &x, int axis, const H &h, const Y &y, weft_convolve_mode mode = WEFT_FULL,
                    weft_field field = WEFT_REAL) {
    detail::slide_axis(ctx, weft_correlate_axis, mode, x, axis, h, y, field);
}

// Compute the two-dimensional convolution or correlation of x with h: of the arrays of the last two axes of x, with
// the borders of scipy.signal.convolve2d. fill: the value outside x (two numbers if WEFT_COMPLEX), or nullptr for 0;
// used with WEFT_BORDER_FILL. WEFT_COMPLEX: one more axis of each view, the last one, contains the parts of the
// numbers.
template <class X, class H, class Y>
void convolve2d(context &ctx, const X &x, const H &h, const Y &y, weft_convolve_mode mode = WEFT_FULL,
                weft_border border = WEFT_BORDER_FILL, const detail::view_value<X> *fill = nullptr,
                weft_field field = WEFT_REAL) {
    detail::slide_2d(ctx, weft_convolve2d, mode, border, fill, field, x, h, y);
}
template <class X, class H, class Y>
void correlate2d(context &ctx, const X &x, const H &h, const Y &y, weft_convolve_mode mode = WEFT_FULL,
                 weft_border border = WEFT_BORDER_FILL, const detail::view_value<X> *fill = nullptr,
                 weft_field field = WEFT_REAL) {
    detail::slide_2d(ctx, weft_correlate2d, mode, border, fill, field, x, h, y);
}

// Counts the elements of each vector along an axis of x in the bins between adjacent edges. counts has the shape of
// x, with one element less than edges along the axis, and unsigned elements of 64 bits.
template <class X, class E, class C>
void histogram_axis(context &ctx, const X &x, int axis, const E &edges, const C &counts) {
    static_assert(std::is_same_v<detail::view_value<X>, detail::value<E>>, "x and edges must have one type");
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(counts);
    const std::size_t bins = std::size(edges) == 0 ? 0 : std::size(edges) - 1;
    ctx(weft_histogram_axis, &from.get(), axis, bins, std::data(edges), &to.get());
}

// As histogram_axis, in as many bins of equal width from lower to upper as counts has elements along the axis.
template <class X, class C>
void histogram_even_axis(context &ctx, const X &x, int axis, detail::view_value<X> lower, detail::view_value<X> upper,
                         const C &counts) {
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(counts);
    ctx(weft_histogram_even_axis, &from.get(), axis, detail::length(to.get(), axis), &lower, &upper, &to.get());
}

// Sorts x along an axis to y, which must have the shape and type of x and may be x.
template <class X, class Y>
void sort_axis(context &ctx, const X &x, int axis, const Y &y, weft_order_of_sort order = WEFT_ASCENDING) {
    static_assert(std::is_same_v<detail::view_value<X>, detail::view_value<Y>>, "x and y have different types");
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(y);
    ctx(weft_sort_axis, order, &from.get(), axis, &to.get());
}

// Writes the indices that sort x along an axis. `indices` has elements of 32 or 64 bits, unsigned, and the shape of
// x.
template <class X, class Y>
void argsort_axis(context &ctx, const X &x, int axis, const Y &indices, weft_order_of_sort order = WEFT_ASCENDING) {
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(indices);
    ctx(weft_argsort_axis, order, &from.get(), axis, &to.get());
}

// Writes the k largest or smallest elements of each vector along an axis of x, in order, to values, and their indices
// to indices, which has unsigned elements of 32 or 64 bits. k is the length of values along the axis.
template <class X, class V>
void top_k_axis(context &ctx, weft_extreme extreme, const X &x, int axis, const V &values) {
    static_assert(std::is_same_v<detail::view_value<X>, detail::view_value<V>>, "x and values have different types");
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(values);
    ctx(weft_top_k_axis, extreme, &from.get(), axis, detail::length(to.get(), axis), &to.get(), nullptr);
}
template <class X, class V, class I>
void top_k_axis(context &ctx, weft_extreme extreme, const X &x, int axis, const V &values, const I &indices) {
    static_assert(std::is_same_v<detail::view_value<X>, detail::view_value<V>>, "x and values have different types");
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(values);
    const auto at = detail::view_in(indices);
    ctx(weft_top_k_axis, extreme, &from.get(), axis, detail::length(to.get(), axis), &to.get(), &at.get());
}

// C = alpha A B + beta C of stacks of matrices, the last two axes of views (weft_matmul_stack). beta != 0 reads C.
template <class X, class Y, class Z>
void matmul_stack(context &ctx, const X &a, const Y &b, const Z &c, detail::view_value<Z> alpha = 1,
                  detail::view_value<Z> beta = 0, weft_dtype accumulate = WEFT_DEFAULT) {
    static_assert(std::is_same_v<detail::view_value<X>, detail::view_value<Z>>, "a and c have different types");
    static_assert(std::is_same_v<detail::view_value<Y>, detail::view_value<Z>>, "b and c have different types");
    const auto left = detail::view_in(a);
    const auto right = detail::view_in(b);
    const auto to = detail::view_in(c);
    ctx(weft_matmul_stack, accumulate, &alpha, &left.get(), &right.get(), &beta, &to.get());
}

// C = alpha A B + beta C of stacks of complex matrices, where A or B may be conjugated first. The last axis of each
// view, of length 2, contains the real and the imaginary part (weft_matmul_complex). beta != 0 reads C.
template <class X, class Y, class Z>
void matmul_complex(context &ctx, const X &a, const Y &b, const Z &c,
                    weft_conjugation conjugate_a = WEFT_NO_CONJUGATE,
                    weft_conjugation conjugate_b = WEFT_NO_CONJUGATE, detail::view_value<Z> alpha = 1,
                    detail::view_value<Z> beta = 0, weft_dtype accumulate = WEFT_DEFAULT) {
    static_assert(std::is_same_v<detail::view_value<X>, detail::view_value<Z>>, "a and c have different types");
    static_assert(std::is_same_v<detail::view_value<Y>, detail::view_value<Z>>, "b and c have different types");
    const auto left = detail::view_in(a);
    const auto right = detail::view_in(b);
    const auto to = detail::view_in(c);
    ctx(weft_matmul_complex, accumulate, conjugate_a, conjugate_b, &alpha, &left.get(), &right.get(), &beta,
        &to.get());
}

// Writes quantiles of each vector along an axis of x to y. q are numbers from 0 to 1, and y has as many elements
// along the axis. The type of y is that of x, or double for WEFT_LINEAR and WEFT_MIDPOINT of integers.
template <class X, class Y>
void quantile_axis(context &ctx, const X &x, int axis, const std::vector<double> &q, const Y &y,
                   weft_quantile_method method = WEFT_LINEAR) {
    const auto from = detail::view_in(x);
    const auto to = detail::view_in(y);
    ctx(weft_quantile_axis, method, &from.get(), axis, q.size(), q.data(), &to.get());
}

} // namespace weft
#endif
