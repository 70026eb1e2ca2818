/* Rows of bench/gpu_peers.cu: weft's sorts compared with CUB's radix sort, in 10^9 keys per second. CUB guarantees
 * less for floats: it treats -0 and +0 as equal, and orders NaNs by their bits. */

#include <cub/device/device_segmented_sort.cuh>

struct sort_arrays {
    void *keys, *sorted, *values, *sorted_values;
};

/* CUB sorts u32 faster with a 64-bit count. */
template <class Key> static work cub_sort(const sort_arrays &a, size_t n) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, (const Key *)a.keys, (Key *)a.sorted, n, 0,
                                              (int)sizeof(Key) * 8, stream);
    });
}

template <class Key> static work cub_sort_down(const sort_arrays &a, size_t n) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, (const Key *)a.keys, (Key *)a.sorted,
                                                        (int)n, 0, (int)sizeof(Key) * 8, stream);
    });
}

template <class Key, class Value> static work cub_sort_pairs(const sort_arrays &a, size_t n) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, (const Key *)a.keys, (Key *)a.sorted,
                                               (const Value *)a.values, (Value *)a.sorted_values, (int)n, 0,
                                               (int)sizeof(Key) * 8, stream);
    });
}

static work weft_sort_work(weft_dtype dtype, weft_order_of_sort order, const sort_arrays &a, size_t n) {
    return [=] { ok(weft_sort(ctx, order, dtype, n, a.keys, a.sorted)); };
}

static work weft_pairs_work(weft_dtype dtype, size_t value_bytes, const sort_arrays &a, size_t n) {
    return [=] {
        ok(weft_sort_pairs(ctx, WEFT_ASCENDING, dtype, n, a.keys, value_bytes, a.values, a.sorted, a.sorted_values));
    };
}

static work weft_argsort_work(weft_dtype dtype, weft_dtype index, const sort_arrays &a, size_t n) {
    return [=] { ok(weft_argsort(ctx, WEFT_ASCENDING, dtype, index, n, a.keys, a.sorted_values)); };
}

/* Offset of a segment of CUB's segmented sort. */
struct segment_offset {
    int64_t length;
    __host__ __device__ int64_t operator()(int64_t segment) const { return segment * length; }
};

static work cub_sort_rows(const sort_arrays &a, size_t n, size_t length) {
    const auto offsets =
        thrust::make_transform_iterator(thrust::make_counting_iterator((int64_t)0), segment_offset{(int64_t)length});
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, (const float *)a.keys, (float *)a.sorted,
                                                  (int64_t)n, (int64_t)(n / length), offsets, offsets + 1, stream);
    });
}

/* Sorts the vectors of a matrix of n elements along the given axis. */
static work weft_sort_axis_work(const sort_arrays &a, size_t n, size_t length, int axis) {
    const size_t rows[] = {n / length, length}, columns[] = {length, n / length};
    weft_view x, y;
    ok(weft_view_of(WEFT_F32, 2, axis == 1 ? rows : columns, a.keys, &x));
    ok(weft_view_of(WEFT_F32, 2, axis == 1 ? rows : columns, a.sorted, &y));
    return [=] { ok(weft_sort_axis(ctx, WEFT_ASCENDING, &x, axis, &y)); };
}

static void sort_rate(const char *name, size_t n, const work &weft, const char *peer_name, const work &peer) {
    if (!is_wanted(name)) return;
    const pair_of_times t = take_turns(weft, peer, ROUNDS, [](const work &w) { return batch(w, 2); });
    const double giga = n / 1e9;
    print_row(name, "Gkeys/s", n, giga / t.weft, peer_name, giga / t.peer, t.peer / t.weft, 0);
}

/* Measures sorts of random keys. Each array has n elements of up to 8 bytes. */
static void measure_sorts(size_t n) {
    sort_arrays a;
    const size_t half = n / 2, quarter = n / 4;
    for (void **p : {&a.keys, &a.sorted, &a.values, &a.sorted_values}) ok(weft_alloc(ctx, WEFT_DEVICE, 4 * n, p));
    fill<int32_t>(a.keys, n, 1);
    fill<int32_t>(a.values, n, 2);
    sort_rate("sort u32", n, weft_sort_work(WEFT_U32, WEFT_ASCENDING, a, n), "CUB SortKeys",
              cub_sort<uint32_t>(a, n));
    sort_rate("sort i32", n, weft_sort_work(WEFT_I32, WEFT_ASCENDING, a, n), "CUB SortKeys", cub_sort<int32_t>(a, n));
    sort_rate("sort u32 down", n, weft_sort_work(WEFT_U32, WEFT_DESCENDING, a, n), "CUB Descending",
              cub_sort_down<uint32_t>(a, n));
    sort_rate("sort u64", half, weft_sort_work(WEFT_U64, WEFT_ASCENDING, a, half), "CUB SortKeys",
              cub_sort<uint64_t>(a, half));
    sort_rate("sort u16", n, weft_sort_work(WEFT_U16, WEFT_ASCENDING, a, n), "CUB SortKeys",
              cub_sort<uint16_t>(a, n));
    sort_rate("sort u8", n, weft_sort_work(WEFT_U8, WEFT_ASCENDING, a, n), "CUB SortKeys", cub_sort<uint8_t>(a, n));
    sort_rate("pairs u32+4", n, weft_pairs_work(WEFT_U32, 4, a, n), "CUB SortPairs",
              cub_sort_pairs<uint32_t, uint32_t>(a, n));
    sort_rate("pairs u32+8", half, weft_pairs_work(WEFT_U32, 8, a, half), "CUB SortPairs",
              cub_sort_pairs<uint32_t, uint64_t>(a, half));
    sort_rate("pairs u32+16", quarter, weft_pairs_work(WEFT_U32, 16, a, quarter), "CUB SortPairs",
              cub_sort_pairs<uint32_t, uint4>(a, quarter));
    sort_rate("argsort u32", n, weft_argsort_work(WEFT_U32, WEFT_U32, a, n), "CUB SortPairs",
              cub_sort_pairs<uint32_t, uint32_t>(a, n));
    sort_rate("argsort u32,64", half, weft_argsort_work(WEFT_U32, WEFT_U64, a, half), "CUB SortPairs",
              cub_sort_pairs<uint32_t, uint64_t>(a, half));
    for (size_t some : {(size_t)1 << 10, (size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24})
        times("sort u32", some, weft_sort_work(WEFT_U32, WEFT_ASCENDING, a, some), "CUB SortKeys",
              cub_sort<uint32_t>(a, some));
    fill<float>(a.keys, n, 3);
    sort_rate("sort f32", n, weft_sort_work(WEFT_F32, WEFT_ASCENDING, a, n), "CUB SortKeys", cub_sort<float>(a, n));
    for (size_t length : {16, 64, 256, 1024, 2048, 4096, 1 << 20}) {
        const std::string tail = " " + std::to_string(length);
        sort_rate(("sort_axis f32 rows" + tail).c_str(), n, weft_sort_axis_work(a, n, length, 1), "CUB segmented",
                  cub_sort_rows(a, n, length));
    }
    sort_rate("sort_axis f32 columns 256", n, weft_sort_axis_work(a, n, 256, 0), "CUB segmented, rows",
              cub_sort_rows(a, n, 256));
    fill<double>(a.keys, half, 4);
    sort_rate("sort f64", half, weft_sort_work(WEFT_F64, WEFT_ASCENDING, a, half), "CUB SortKeys",
              cub_sort<double>(a, half));
    for (void *p : {a.keys, a.sorted, a.values, a.sorted_values}) ok(weft_free(ctx, WEFT_DEVICE, p));
}
