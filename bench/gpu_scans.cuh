/* Rows of bench/gpu_peers.cu, which includes this file: prefix scans compared with CUB. */

template <class T> static work cub_scan(const void *x, size_t n, void *y) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(temporary, bytes, (const T *)x, (T *)y, (int64_t)n, stream);
    });
}

template <class T> static work cub_scan_max(const void *x, size_t n, void *y) {
    return cub_work([=](void *temporary, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, (const T *)x, (T *)y, cuda::maximum<>{}, (int64_t)n,
                                              stream);
    });
}

static work weft_scan_work(weft_op op, weft_dtype dtype, size_t n, const void *x, void *y) {
    return [=] { ok(weft_scan(ctx, op, WEFT_INCLUSIVE, dtype, WEFT_DEFAULT, n, x, NULL, y)); };
}

/* Measures GB/s of bytes read and written. The corresponding ceiling is the device copy. */
static void measure_scans(void *x, void *y, size_t bytes) {
    const size_t n = (size_t)1 << 28, wide = 100000000;
    fill<float>(x, n, 1);
    rate("scan f32", n, 8.0 * n, weft_scan_work(WEFT_SUM, WEFT_F32, n, x, y), "CUB InclusiveSum",
         cub_scan<float>(x, n, y));
    rate("scan max f32", n, 8.0 * n, weft_scan_work(WEFT_MAX, WEFT_F32, n, x, y), "CUB InclusiveScan",
         cub_scan_max<float>(x, n, y));
    fill<int32_t>(x, n, 3);
    rate("scan i32", n, 8.0 * n, weft_scan_work(WEFT_SUM, WEFT_I32, n, x, y), "CUB InclusiveSum",
         cub_scan<int32_t>(x, n, y));
    rate("scan u8", bytes, 2.0 * (double)bytes, weft_scan_work(WEFT_SUM, WEFT_U8, bytes, x, y), "CUB InclusiveSum",
         cub_scan<uint8_t>(x, bytes, y));
    fill<double>(x, wide, 4);
    rate("scan f64", wide, 16.0 * wide, weft_scan_work(WEFT_SUM, WEFT_F64, wide, x, y), "CUB InclusiveSum",
         cub_scan<double>(x, wide, y));
    fill<float>(x, n, 1);
    for (size_t some : {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24})
        times("scan f32", some, weft_scan_work(WEFT_SUM, WEFT_F32, some, x, y), "CUB InclusiveSum",
              cub_scan<float>(x, some, y));
}
