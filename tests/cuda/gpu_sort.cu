/* Sorts on a GPU: again and again, past 2^32 keys, in graphs, and how much scratch memory they take. That they equal
 * the specification for every type and size is the agreement suite's work. Exits with 77 without a GPU. */
#include "tests/cuda/gpu_check.cuh"

static weft_context *cpu;
static const size_t PAST_32_BITS = ((size_t)1 << 32) + 17;

/* How many of n elements are not as they should be. */
template <class Wrong> static __global__ void wrong_kernel(size_t n, Wrong wrong, unsigned long long *count) {
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    unsigned long long here = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) here += wrong(i);
    if (here) atomicAdd(count, here);
}

template <class Wrong> static unsigned long long wrong(size_t n, Wrong is_wrong) {
    unsigned long long *device, found;
    CUDA_OK(cudaMalloc(&device, sizeof found));
    CUDA_OK(cudaMemset(device, 0, sizeof found));
    wrong_kernel<<<1024, 256>>>(n, is_wrong, device);
    CUDA_OK(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDefault));
    CUDA_OK(cudaFree(device));
    return found;
}

/* Memory of the GPU, or NULL when there is not so much; says so. */
static void *allocate(size_t bytes) {
    void *p = NULL;
    if (cudaMalloc(&p, bytes) == cudaSuccess) return p;
    (void)cudaGetLastError();
    printf("left out: cannot allocate memory for %zu bytes\n", bytes);
    return NULL;
}

/* ------------------------------------------------------------------------------ past 2^32 */

/* Each number of 32 bits once, by their products with an odd number, and seventeen of them again. */
static __device__ uint32_t scattered(size_t i) { return (uint32_t)i * 2654435761u; }

struct fill_scattered {
    uint32_t *keys;
    __device__ bool operator()(size_t i) const {
        keys[i] = scattered(i);
        return false;
    }
};

/* sorted[i] = v comes after the v numbers below it and their duplicates. */
struct misplaced {
    const uint32_t *sorted;
    __device__ bool operator()(size_t i) const {
        const uint32_t v = sorted[i];
        size_t below = v, same = 0;
        for (size_t again = 0; again < 17; again++) {
            below += scattered(again) < v;
            same += scattered(again) == v;
        }
        return i < below || i > below + same;
    }
};

static void test_keys_past_32_bits() {
    const size_t n = PAST_32_BITS, bytes = n * sizeof(uint32_t);
    uint32_t *keys = (uint32_t *)allocate(bytes), *sorted = (uint32_t *)allocate(bytes);
    if (keys && sorted) {
        weft_context *fresh; /* whose scratch memory goes when it does */
        OK(weft_open(&fresh, "cuda"));
        CHECK(wrong(n, fill_scattered{keys}) == 0);
        OK(weft_sort(fresh, WEFT_ASCENDING, WEFT_U32, n, keys, sorted));
        OK(weft_synchronize(fresh));
        CHECK(wrong(n, misplaced{sorted}) == 0);
        OK(weft_sort(fresh, WEFT_ASCENDING, WEFT_U32, n, keys, keys));
        OK(weft_synchronize(fresh));
        CHECK(wrong(n, misplaced{keys}) == 0);
        weft_close(fresh);
    }
    for (uint32_t *p : {keys, sorted}) CUDA_OK(cudaFree(p));
}

struct fill_bytes {
    uint8_t *keys;
    __device__ bool operator()(size_t i) const {
        keys[i] = (uint8_t)(scattered(i) >> 24);
        return false;
    }
};

/* sorted[i] = v comes after the 2^24 keys of each value below it, and their duplicates. */
struct misplaced_bytes {
    const uint8_t *sorted;
    __device__ bool operator()(size_t i) const {
        const uint8_t v = sorted[i];
        size_t below = (size_t)v << 24, same = (size_t)1 << 24;
        for (size_t again = 0; again < 17; again++) {
            below += (uint8_t)(scattered(again) >> 24) < v;
            same += (uint8_t)(scattered(again) >> 24) == v;
        }
        return i < below || i >= below + same;
    }
};

static void test_bytes_past_32_bits() {
    uint8_t *keys = (uint8_t *)allocate(PAST_32_BITS);
    if (keys) {
        CHECK(wrong(PAST_32_BITS, fill_bytes{keys}) == 0);
        OK(weft_sort(gpu, WEFT_ASCENDING, WEFT_U8, PAST_32_BITS, keys, keys));
        OK(weft_synchronize(gpu));
        CHECK(wrong(PAST_32_BITS, misplaced_bytes{keys}) == 0);
    }
    CUDA_OK(cudaFree(keys));
}

/* Neighbours whose (key, index) does not ascend. Without any, n distinct indices below n are a permutation. */
struct out_of_order {
    const uint8_t *keys;
    const uint64_t *indices;
    size_t n;
    __device__ bool operator()(size_t i) const {
        const uint64_t a = indices[i], b = i + 1 < n ? indices[i + 1] : a;
        if (a >= n || b >= n) return true;
        return i + 1 < n && (keys[a] > keys[b] || (keys[a] == keys[b] && a >= b));
    }
};

static void test_indices_past_32_bits() {
    const size_t n = PAST_32_BITS;
    uint8_t *keys = (uint8_t *)allocate(n);
    uint64_t *indices = (uint64_t *)allocate(n * sizeof *indices);
    if (keys && indices) {
        weft_context *fresh;
        OK(weft_open(&fresh, "cuda"));
        CHECK(wrong(n, fill_bytes{keys}) == 0);
        const weft_status status = weft_argsort(fresh, WEFT_ASCENDING, WEFT_U8, WEFT_U64, n, keys, indices);
        if (status == WEFT_OUT_OF_MEMORY)
            printf("left out: %s\n", weft_last_error(fresh));
        else
            CHECK(status == WEFT_OK);
        OK(weft_synchronize(fresh));
        if (status == WEFT_OK) CHECK(wrong(n, out_of_order{keys, indices, n}) == 0);
        weft_close(fresh);
    }
    CUDA_OK(cudaFree(keys));
    CUDA_OK(cudaFree(indices));
}

/* --------------------------------------------------------------------------- counting sorts */

/* The patterns: all equal, nine of ten equal, two values, ascending, any. */
template <class Key> static std::vector<Key> patterned(size_t n, int pattern) {
    std::vector<Key> keys(n);
    uint32_t seed = 5;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t any = seed >> 16;
        keys[i] = (Key)(pattern == 0   ? 300
                        : pattern == 1 ? (any % 10 ? 300 : seed >> 8)
                        : pattern == 2 ? (any & 1 ? 0 : 0x7fff)
                        : pattern == 3 ? i * 65536 / n
                                       : any);
    }
    return keys;
}

/* Keys of 1 or 2 bytes, so many that the counters of each block are full several times. Arrays are not aligned. */
template <class Key> static void test_counted(weft_dtype dtype) {
    const size_t n = ((size_t)1 << 24) + 5, bytes = n * sizeof(Key);
    Key *device;
    std::vector<Key> sorted(n), found(n);
    CUDA_OK(cudaMalloc(&device, 2 * bytes + 256));
    Key *const x = device + 1, *const y = device + n + 12;
    for (int pattern = 0; pattern < 5; pattern++) {
        const std::vector<Key> keys = patterned<Key>(n, pattern);
        const weft_order_of_sort order = pattern % 2 ? WEFT_ASCENDING : WEFT_DESCENDING;
        OK(weft_sort(cpu, order, dtype, n, keys.data(), sorted.data()));
        upload(x, keys.data(), bytes);
        for (Key *to : {y, x}) {
            OK(weft_sort(gpu, order, dtype, n, x, to));
            OK(weft_synchronize(gpu));
            CUDA_OK(cudaMemcpy(found.data(), to, bytes, cudaMemcpyDefault));
            CHECK(found == sorted);
        }
    }
    CUDA_OK(cudaFree(device));
}

/* ---------------------------------------------------------------------------- sorts by buckets */

/* The patterns: any bits, all equal, nine of ten equal, two values, few values, ascending, few bits, clusters of
 * different sizes, of which some are too large for a block, and twice numbers of a narrow interval. */
enum { BUCKET_PATTERNS = 10 };

template <class Key> static Key pattern_of_bits(int pattern, size_t i, size_t n, uint64_t any) {
    const int top = 8 * (int)sizeof(Key);
    switch (pattern) {
    case 0: return (Key)any;
    case 1: return (Key)77;
    case 2: return (Key)(any % 10 ? 300 : any >> 4);
    case 3: return (Key)(any & 1 ? ~(uint64_t)0 : 0);
    case 4: return (Key)((any % 7) << (top - 4) | (any >> 40) % 3);
    case 5: return (Key)((uint64_t)i * ((uint64_t)1 << (top - 1)) / n);
    case 6: return (Key)(any >> 11 & 0xf00f0);
    case 7: return (Key)((any >> 9 & 0xff) * (any >> 17 & 0xff) << (top - 20) | (any >> 30 & 0x3f));
    default: return (Key)((uint64_t)1 << (top - 2)) + (Key)(any % 100003);
    }
}

/* Patterns 8 and 9 have some NaNs of both signs with payloads if the keys are floats. In pattern 9 a sample of the
 * keys would not show in which bits they differ. */
template <class Key> static std::vector<Key> keys_for_buckets(size_t n, int pattern) {
    std::vector<Key> keys(n);
    uint64_t seed = 9;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        keys[i] = pattern_of_bits<Key>(pattern, i, n, seed ^ seed >> 29);
        if (pattern == 8 && i % 1000 < 2)
            keys[i] = (Key) ~(Key)0 ^ (Key)(seed >> 40 & 0xfff) ^ (Key)((uint64_t)(i % 2) << (8 * sizeof(Key) - 1));
    }
    if (pattern < 9) return keys;
    keys[n / 3 | 1] = (Key)5;
    for (size_t i = 2; i < 5; i++) keys[n - i] = (Key) ~(Key)i;
    return keys;
}

/* Keys of 4 or 8 bytes. Arrays are not aligned to more. */
template <class Key> static void test_buckets(weft_dtype dtype, size_t n) {
    const size_t bytes = n * sizeof(Key);
    Key *device;
    std::vector<Key> sorted(n), found(n);
    CUDA_OK(cudaMalloc(&device, 2 * bytes + 256));
    Key *const x = device + 1, *const y = device + n + 2;
    for (int pattern = 0; pattern < BUCKET_PATTERNS; pattern++) {
        const std::vector<Key> keys = keys_for_buckets<Key>(n, pattern);
        const weft_order_of_sort order = pattern % 2 ? WEFT_DESCENDING : WEFT_ASCENDING;
        OK(weft_sort(cpu, order, dtype, n, keys.data(), sorted.data()));
        upload(x, keys.data(), bytes);
        for (Key *to : {y, x}) {
            OK(weft_sort(gpu, order, dtype, n, x, to));
            OK(weft_synchronize(gpu));
            CUDA_OK(cudaMemcpy(found.data(), to, bytes, cudaMemcpyDefault));
            CHECK(found == sorted);
        }
    }
    CUDA_OK(cudaFree(device));
}

/* -------------------------------------------------------------------------- smaller arrays */

/* Keys with NaNs among them, their values, and what the CPU makes of both. */
struct pairs {
    std::vector<float> keys, sorted;
    std::vector<uint32_t> values, moved;
    float *device_keys, *device_sorted;
    uint32_t *device_values, *device_moved;

    explicit pairs(size_t n) : keys(mixed(n, 21)), sorted(n), values(n), moved(n) {
        for (size_t i = 0; i < n; i++) values[i] = (uint32_t)i;
        for (size_t i = 0; i < n; i += 5) keys[i] = copysignf(nanf(""), keys[i]);
        OK(weft_sort_pairs(cpu, WEFT_DESCENDING, WEFT_F32, n, keys.data(), 4, values.data(), sorted.data(),
                           moved.data()));
        for (float **p : {&device_keys, &device_sorted}) CUDA_OK(cudaMalloc(p, 4 * n));
        for (uint32_t **p : {&device_values, &device_moved}) CUDA_OK(cudaMalloc(p, 4 * n));
        upload(device_keys, keys.data(), 4 * n);
        upload(device_values, values.data(), 4 * n);
    }
    ~pairs() {
        for (float *p : {device_keys, device_sorted}) CUDA_OK(cudaFree(p));
        for (uint32_t *p : {device_values, device_moved}) CUDA_OK(cudaFree(p));
    }
    weft_status sort(weft_context *ctx) {
        return weft_sort_pairs(ctx, WEFT_DESCENDING, WEFT_F32, keys.size(), device_keys, 4, device_values,
                               device_sorted, device_moved);
    }
    bool is_right(cudaStream_t stream) {
        const size_t bytes = 4 * keys.size();
        std::vector<uint32_t> found(keys.size()), found_values(keys.size());
        CUDA_OK(cudaMemcpyAsync(found.data(), device_sorted, bytes, cudaMemcpyDefault, stream));
        CUDA_OK(cudaMemcpyAsync(found_values.data(), device_moved, bytes, cudaMemcpyDefault, stream));
        CUDA_OK(cudaStreamSynchronize(stream));
        return memcmp(found.data(), sorted.data(), bytes) == 0 && found_values == moved;
    }
};

static void test_repeats() {
    pairs p(((size_t)1 << 22) + 77);
    for (int run = 0; run < 50; run++) {
        CUDA_OK(cudaMemset(p.device_sorted, 0xff, 4 * p.keys.size()));
        CUDA_OK(cudaDeviceSynchronize());
        OK(p.sort(gpu));
        OK(weft_synchronize(gpu));
        CHECK(p.is_right(0));
    }
}

/* A sort in a graph; one whose scratch memory would have to grow is refused. */
static void test_graph() {
    pairs p(300001);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    weft_context *fresh;
    OK(weft_open(&fresh, "cuda"));
    CUDA_OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(weft_set_stream(fresh, stream));
    OK(p.sort(fresh));
    OK(weft_synchronize(fresh));
    CUDA_OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(p.sort(fresh));
    CHECK(weft_argsort(fresh, WEFT_ASCENDING, WEFT_F32, WEFT_U32, p.keys.size(), p.device_keys, p.device_moved) ==
          WEFT_INVALID);
    CHECK(strstr(weft_last_error(fresh), "grow") != NULL);
    CUDA_OK(cudaStreamEndCapture(stream, &graph));
    CUDA_OK(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 5; replay++) {
        CUDA_OK(cudaMemsetAsync(p.device_sorted, 0xff, 4 * p.keys.size(), stream));
        CUDA_OK(cudaGraphLaunch(executable, stream));
        CHECK(p.is_right(stream));
    }
    CUDA_OK(cudaGraphExecDestroy(executable));
    CUDA_OK(cudaGraphDestroy(graph));
    weft_close(fresh);
    CUDA_OK(cudaStreamDestroy(stream));
}

/* One more copy of what is sorted, and a twentieth; in place and not. */
static void test_scratch() {
    const size_t n = (size_t)1 << 26, small = (size_t)1 << 20;
    uint32_t *keys, *sorted;
    for (uint32_t **p : {&keys, &sorted}) CUDA_OK(cudaMalloc(p, n * sizeof **p));
    CHECK(wrong(n, fill_scattered{keys}) == 0);
    for (uint32_t *to : {sorted, keys}) {
        weft_context *fresh;
        OK(weft_open(&fresh, "cuda"));
        const size_t before = weft_scratch_bytes(fresh);
        OK(weft_sort(fresh, WEFT_ASCENDING, WEFT_U32, n, keys, to));
        OK(weft_synchronize(fresh));
        const size_t taken = weft_scratch_bytes(fresh) - before, bytes = n * sizeof *keys;
        printf("scratch memory of 2^26 keys%s: %.3f of them\n", to == keys ? " in place" : "",
               (double)taken / (double)bytes);
        CHECK(taken <= bytes + bytes / 20 + small);
        OK(weft_sort(fresh, WEFT_DESCENDING, WEFT_U32, n - 5, keys, to));
        CHECK(weft_scratch_bytes(fresh) - before == taken);
        OK(weft_synchronize(fresh));
        weft_close(fresh);
    }
    for (uint32_t *p : {keys, sorted}) CUDA_OK(cudaFree(p));
}

int main() {
    if (weft_open(&gpu, "cuda") != WEFT_OK) {
        printf("skipped: %s\n", last());
        return 77;
    }
    OK(weft_open(&cpu, "cpu"));
    test_repeats();
    test_graph();
    test_scratch();
    test_counted<uint8_t>(WEFT_U8);
    test_counted<int8_t>(WEFT_I8);
    test_counted<uint16_t>(WEFT_U16);
    test_counted<int16_t>(WEFT_I16);
    test_buckets<uint32_t>(WEFT_U32, ((size_t)1 << 24) + 77);
    test_buckets<int32_t>(WEFT_I32, ((size_t)3 << 22) + 1);
    test_buckets<uint64_t>(WEFT_U64, ((size_t)1 << 21) + 5);
    test_buckets<int64_t>(WEFT_I64, ((size_t)1 << 23) - 1);
    test_buckets<uint64_t>(WEFT_F64, ((size_t)3 << 20) + 3);
    test_keys_past_32_bits();
    test_bytes_past_32_bits();
    test_indices_past_32_bits();
    weft_close(cpu);
    weft_close(gpu);
    puts("sorts: as expected");
    return 0;
}
