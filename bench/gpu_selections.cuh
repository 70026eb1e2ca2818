/* Rows of bench/gpu_peers.cu, which includes this file: selections and runs compared with CUB. */

/* Sets half of the flags at random. A quarter of the 32-bit integers is 1. */
static __global__ void flags_kernel(uint8_t *flags, int32_t *quarters, size_t n) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const uint64_t h = (i + 7) * 0x9e3779b97f4a7c15u;
        if (flags) flags[i] = h >> 40 & 1;
        if (quarters) quarters[i] = (h >> 41 & 3) == 0;
    }
}

template <class T> struct above {
    T value;
    __device__ bool operator()(T x) const { return x > value; }
};

template <class T> static work cub_select_if(const void *x, size_t n, T value, void *y, void *count) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceSelect::If(temporary, bytes, (const T *)x, (T *)y, (uint64_t *)count, (int64_t)n,
                                     above<T>{value}, stream);
    });
}

template <class T> static work cub_select(const void *x, const void *flags, size_t n, void *y, void *count) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceSelect::Flagged(temporary, bytes, (const T *)x, (const uint8_t *)flags, (T *)y,
                                          (uint64_t *)count, (int64_t)n, stream);
    });
}

template <class T> static work cub_partition_if(const void *x, size_t n, T value, void *y, void *count) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DevicePartition::If(temporary, bytes, (const T *)x, (T *)y, (uint64_t *)count, (int64_t)n,
                                        above<T>{value}, stream);
    });
}

template <class T> static work cub_unique(const void *x, size_t n, void *y, void *count) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceSelect::Unique(temporary, bytes, (const T *)x, (T *)y, (uint64_t *)count, (int64_t)n,
                                         stream);
    });
}

template <class T> static work cub_run_length(const void *x, size_t n, void *y, void *lengths, void *count) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(temporary, bytes, (const T *)x, (T *)y, (uint64_t *)lengths,
                                                  (uint64_t *)count, (int)n, stream);
    });
}

template <class T>
static work weft_select_work(weft_dtype dtype, size_t n, const void *x, T value, void *y, void *count) {
    return [=] { ok(weft_select_if(ctx, WEFT_GT, dtype, n, x, &value, y, (uint64_t *)count)); };
}

/* Measures selection by comparison. Half of the elements are above `middle`. */
template <class T>
static void compare_selections(const char *name, weft_dtype dtype, size_t n, T middle, void *x, void *y, void *out,
                               void *out_peer) {
    rate(name, n, 1.5 * sizeof(T) * (double)n, weft_select_work(dtype, n, x, middle, y, out), "CUB If",
         cub_select_if<T>(x, n, middle, y, out_peer));
}

/* Measures bytes read and written, on n elements each. */
static void measure_selections(void *x, void *y, void *out, void *out_peer) {
    const size_t n = (size_t)1 << 28, half = n / 2, quarter = n / 4;
    uint64_t *const count = (uint64_t *)out;
    fill<float>(x, n, 1);
    compare_selections<float>("select f32", WEFT_F32, n, 0.0f, x, y, out, out_peer);
    const float top = 0.9f;
    rate("select f32 5%", n, 4.2 * n, weft_select_work(WEFT_F32, n, x, top, y, out), "CUB If",
         cub_select_if<float>(x, n, top, y, out_peer));
    const float middle = 0;
    rate(
        "partition f32", n, 8.0 * n, [=] { ok(weft_partition_if(ctx, WEFT_GT, WEFT_F32, n, x, &middle, y, count)); },
        "CUB If, unstable", cub_partition_if<float>(x, n, middle, y, out_peer));
    for (size_t some : {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24})
        times("select f32", some, weft_select_work(WEFT_F32, some, x, middle, y, out), "CUB If",
              cub_select_if<float>(x, some, middle, y, out_peer));
    fill<double>(x, half, 1);
    compare_selections<double>("select f64", WEFT_F64, half, 0.0, x, y, out, out_peer);
    fill<int32_t>(x, n, 1);
    compare_selections<int32_t>("select i32", WEFT_I32, n, 0, x, y, out, out_peer);
    compare_selections<uint8_t>("select u8", WEFT_U8, n, 127, x, y, out, out_peer);
    fill<float>(x, half, 1);
    uint8_t *const flags = (uint8_t *)x + sizeof(float) * half;
    flags_kernel<<<4096, 256, 0, stream>>>(flags, NULL, half);
    rate(
        "select flags", half, 7.0 * half, [=] { ok(weft_select(ctx, WEFT_F32, half, x, flags, y, count)); },
        "CUB Flagged", cub_select<float>(x, flags, half, y, out_peer));
    flags_kernel<<<4096, 256, 0, stream>>>(NULL, (int32_t *)x, n);
    ok(weft_scan(ctx, WEFT_SUM, WEFT_INCLUSIVE, WEFT_I32, WEFT_DEFAULT, n, x, NULL,
                 x)); /* the values form runs of 4 elements on average */
    uint64_t *const lengths = (uint64_t *)((int32_t *)y + quarter);
    rate(
        "unique i32", n, 5.0 * n, [=] { ok(weft_unique(ctx, WEFT_I32, n, x, y, count)); }, "CUB Unique",
        cub_unique<int32_t>(x, n, y, out_peer));
    rate(
        "run_length i32", quarter, 7.0 * quarter,
        [=] { ok(weft_run_length(ctx, WEFT_I32, quarter, x, y, lengths, count)); }, "CUB Encode",
        cub_run_length<int32_t>(x, quarter, y, lengths, out_peer));
}
