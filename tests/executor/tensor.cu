/* Fences before bulk copies, and copies of boxes by tensor maps: right kernels and faults. */
#include "executor_test.h"

#include <bulk_copies.h>

enum { THREADS = 64 };

/* --------------------------------------------------------------------------------- fences */

enum fence_fault { FENCED, FENCED_AFTER, FENCED_BY_OTHER, NO_FENCE, TOO_EARLY, AFTER_COPY, OTHER_TOO_LATE };
enum { WRITE_LINE = __LINE__ + 8, COPY_LINE = __LINE__ + 15 };

/* Stores two bytes by two threads in each word, and copies all. */
template <fence_fault FENCE> __global__ void store_words(char *y) {
    __shared__ __align__(16) char words[THREADS];
    const unsigned t = threadIdx.x;
    for (int step = 0; step < 2; step++) {
        if (FENCE == TOO_EARLY) emulated::fence_proxy_async();
        words[t] = (char)(t + step);
        if (FENCE == FENCED) emulated::fence_proxy_async();
        __syncthreads();
        if (FENCE == FENCED_BY_OTHER && t == 40) emulated::fence_proxy_async();
        if (FENCE == FENCED_BY_OTHER) __syncthreads();
        if (t == 0) {
            if (FENCE == FENCED_AFTER) emulated::fence_proxy_async();
            emulated::start_bulk_store(y, words, sizeof words);
            if (FENCE == AFTER_COPY) emulated::fence_proxy_async();
            emulated::await_bulk_stores(0);
        }
        if (FENCE == OTHER_TOO_LATE && t > 0) emulated::fence_proxy_async();
        __syncthreads();
    }
}

/* Words that a copy has brought need no fence, unless they are written after it. */
template <bool RIGHT> __global__ void copy_again(const int *x, int *y) {
    __shared__ __align__(16) int tile[THREADS];
    __shared__ unsigned long long arrived;
    const unsigned t = threadIdx.x;
    if (t == 0) emulated::initialize_mbarrier(&arrived, 1);
    if (t > 0) tile[t] = 1;
    __syncthreads();
    if (t == 0) {
        emulated::arrive_and_expect(&arrived, sizeof tile);
        emulated::start_bulk_load(tile, x, sizeof tile, &arrived);
    }
    emulated::await_phase(&arrived, 0);
    if (!RIGHT && t == 63) tile[t] = 2;
    __syncthreads();
    if (t > 0) return;
    emulated::start_bulk_store(y, tile, sizeof tile);
    emulated::await_bulk_stores(0);
}

static void fences() {
    const char *const sentence = "block 0: thread 0 starts at tensor.cu:%d a bulk copy of shared memory that thread "
                                 "0 wrote at tensor.cu:%d, and no fence.proxy.async stands between";
    char *const y = device_array<char>(THREADS);
    store_words<FENCED><<<1, THREADS>>>(y);
    found("a fence before the barrier", "");
    store_words<FENCED_AFTER><<<1, THREADS>>>(y);
    found("a fence after the barrier", "");
    store_words<FENCED_BY_OTHER><<<1, THREADS>>>(y);
    found("a fence between two barriers", "");
    store_words<NO_FENCE><<<1, THREADS>>>(y);
    found("no fence", sentence, COPY_LINE, WRITE_LINE);
    store_words<TOO_EARLY><<<1, THREADS>>>(y);
    found("a fence before the writes", sentence, COPY_LINE, WRITE_LINE);
    store_words<AFTER_COPY><<<1, THREADS>>>(y);
    found("a fence after the copy", sentence, COPY_LINE, WRITE_LINE);
    emulated::set_schedule(emulated::BACKWARD, 0);
    store_words<OTHER_TOO_LATE><<<1, THREADS>>>(y);
    found("fences of other threads that no barrier orders", sentence, COPY_LINE, WRITE_LINE);
    emulated::set_schedule(emulated::FORWARD, 0);
    (void)cudaFree(y);
    int *const from = device_array<int>(THREADS), *const to = device_array<int>(THREADS);
    (void)cudaMemset(from, 0, THREADS * sizeof *from);
    copy_again<true><<<1, THREADS>>>(from, to);
    found("words that a copy has brought", "");
    copy_again<false><<<1, THREADS>>>(from, to);
    holds("a word that is written after it", emulated::take_account().faults > 0);
    for (void *p : {(void *)from, (void *)to}) (void)cudaFree(p);
}

/* ---------------------------------------------------------------------------- tensor maps */

enum { COLUMNS = 20, ROWS = 5, BOX_COLUMNS = 8, BOX_ROWS = 4, BOX = BOX_COLUMNS * BOX_ROWS };

/* Parameters of a map of a matrix of ints. */
struct shape {
    cuuint64_t columns, rows, row_bytes;
    cuuint32_t box_columns, box_rows, step;
};
const shape RIGHT = {COLUMNS, ROWS, COLUMNS * sizeof(int), BOX_COLUMNS, BOX_ROWS, 1};

enum { ENCODE_LINE = __LINE__ + 10 };

static CUresult encode(CUtensorMap *map, const void *address, const shape &s, cuuint32_t rank = 2,
                       CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_INT32) {
    void *function = nullptr;
    (void)cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault);
    const cuuint64_t size[] = {s.columns, s.rows}, strides[] = {s.row_bytes};
    const cuuint32_t box[] = {s.box_columns, s.box_rows}, steps[] = {1, s.step};
    const auto tiled = (decltype(&cuTensorMapEncodeTiled))function;
    const CUresult result =
        tiled(map, type, rank, (void *)address, size, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
              CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result;
}

enum { AWAIT_LINE = __LINE__ + 15 };

/* Copies a box of x, adds 1, and copies it to y. The numbers of the box are stored in `seen`. */
__global__ void move_box(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap y, int column,
                         int row, unsigned bytes, unsigned shift, int *seen) {
    __shared__ __align__(128) int box[BOX + 32];
    __shared__ unsigned long long arrived;
    const unsigned t = threadIdx.x;
    if (t == 0) emulated::initialize_mbarrier(&arrived, 1);
    __syncthreads();
    if (t == 0) {
        emulated::arrive_and_expect(&arrived, bytes);
        emulated::start_tensor_load(box + shift, &x, column, row, &arrived);
    }
    if (t == 0 && bytes == 0) box[0] = 1;
    emulated::await_phase(&arrived, 0);
    if (t < BOX) {
        seen[t] = box[t];
        box[t] = box[t] + 1;
        emulated::fence_proxy_async();
    }
    __syncthreads();
    if (t > 0) return;
    emulated::start_tensor_store(&y, column, row, box);
    emulated::await_bulk_stores(0);
}

/* A box at any position that is a multiple of 16 bytes: inside, at each edge, and outside. */
static void boxes(int *y, int *seen, const CUtensorMap &from, const CUtensorMap &to) {
    static int stored[ROWS * COLUMNS], box[BOX];
    bool are_right = true;
    for (int row = -BOX_ROWS - 1; row <= ROWS + 1; row++)
        for (int column = -BOX_COLUMNS - 4; column <= COLUMNS + 4; column += 4) {
            (void)cudaMemset(y, 0, sizeof stored);
            move_box<<<1, THREADS>>>(from, to, column, row, BOX * sizeof(int), 0, seen);
            (void)cudaMemcpy(stored, y, sizeof stored, cudaMemcpyDeviceToHost);
            (void)cudaMemcpy(box, seen, sizeof box, cudaMemcpyDeviceToHost);
            int in_box[BOX], in_matrix[ROWS * COLUMNS] = {};
            for (int i = 0; i < BOX; i++) {
                const int at_row = row + i / BOX_COLUMNS, at_column = column + i % BOX_COLUMNS;
                const bool is_in = at_row >= 0 && at_row < ROWS && at_column >= 0 && at_column < COLUMNS;
                in_box[i] = is_in ? 1000 + at_row * COLUMNS + at_column : 0;
                if (is_in) in_matrix[at_row * COLUMNS + at_column] = in_box[i] + 1;
            }
            are_right =
                are_right && memcmp(box, in_box, sizeof box) == 0 && memcmp(stored, in_matrix, sizeof stored) == 0;
        }
    found("boxes", "");
    holds("boxes", are_right);
}

static void wrong_copies(const int *x, int *seen, const CUtensorMap &from, const CUtensorMap &to) {
    const unsigned bytes = BOX * sizeof(int);
    move_box<<<1, THREADS>>>(from, to, 16, 2, bytes / 2, 0, seen);
    found("the bytes inside the matrix",
          "block 0 stands still: 64 threads wait at tensor.cu:%d for an mbarrier: its copies have 64 bytes more than "
          "were announced at tensor.cu:%d",
          AWAIT_LINE, AWAIT_LINE - 4);
    move_box<<<1, THREADS>>>(from, to, 0, 0, bytes, 4, seen);
    found("an address of shared memory that is a multiple of 16",
          "block 0: thread 0 starts a tensor copy whose address in shared memory is not a multiple of 128, at "
          "tensor.cu:%d",
          AWAIT_LINE - 3);
    move_box<<<1, THREADS>>>(from, to, -1, 0, bytes, 0, seen);
    found("a column that is not a multiple of 16 bytes",
          "block 0: thread 0 starts a tensor copy at column -1, whose distance from column 0 is not a multiple of 16 "
          "bytes, at tensor.cu:%d",
          AWAIT_LINE - 3);
    move_box<<<1, THREADS>>>(from, to, 0, 0, 0, 0, seen);
    found("a write before the wait",
          "block 0: thread 0 writes at tensor.cu:%d shared memory before the copy to it at tensor.cu:%d was awaited",
          AWAIT_LINE - 1, AWAIT_LINE - 3);
    move_box<<<1, THREADS>>>(CUtensorMap(), to, 0, 0, bytes, 0, seen);
    found("a map that was not made",
          "block 0: thread 0 uses a tensor map that cuTensorMapEncodeTiled has not made, at tensor.cu:%d",
          AWAIT_LINE - 3);
    CUtensorMap map;
    holds("a matrix that is too large",
          encode(&map, x, {COLUMNS, ROWS + 1, RIGHT.row_bytes, BOX_COLUMNS, BOX_ROWS, 1}) == CUDA_SUCCESS);
    move_box<<<1, THREADS>>>(map, to, 0, 2, bytes, 0, seen);
    found("a row after the end of the allocation",
          "block 0: thread 0 reads byte 400 of an allocation of 400 at tensor.cu:%d", AWAIT_LINE - 3);
}

static void refused(const char *why, const void *address, const shape &s, cuuint32_t rank = 2,
                    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_INT32) {
    CUtensorMap map;
    char sentence[400];
    snprintf(sentence, sizeof sentence, "cuTensorMapEncodeTiled at tensor.cu:%%d: %s", why);
    holds(why, encode(&map, address, s, rank, type) != CUDA_SUCCESS);
    found(why, sentence, ENCODE_LINE);
}

static void maps(const int *x) {
    shape s = RIGHT;
    refused("the address of the matrix is not a multiple of 16", x + 1, s);
    s.row_bytes = COLUMNS * sizeof(int) + 4;
    refused("the distance of two rows is not a multiple of 16 bytes, or 2^40 or more", x, s);
    s.row_bytes = (cuuint64_t)1 << 40;
    refused("the distance of two rows is not a multiple of 16 bytes, or 2^40 or more", x, s);
    s = RIGHT;
    s.rows = 0;
    refused("a size of the matrix is 0, or more than 2^32", x, s);
    s = RIGHT;
    s.box_rows = 257;
    refused("a size of the box is 0, or more than 256", x, s);
    s = RIGHT;
    s.box_columns = 0;
    refused("a size of the box is 0, or more than 256", x, s);
    s.box_columns = 6;
    refused("a row of the box is not a multiple of 16 bytes", x, s);
    s = RIGHT;
    s.step = 2;
    refused("the executor supports only steps of one element", x, s);
    refused("the executor supports only two dimensions, without interleaving, swizzling and filling by NaN", x, RIGHT,
            3);
    refused("the type of the elements is unknown", x, RIGHT, 2, (CUtensorMapDataType)99);
    void *function = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
    (void)cudaGetDriverEntryPointByVersion("cuNothing", &function, 12000, cudaEnableDefault, &result);
    holds("a function that the driver lacks", result == cudaDriverEntryPointSymbolNotFound && !function);
}

int main() {
    emulated::unwritten_is_a_fault = emulated::order_is_checked = true;
    static int values[ROWS * COLUMNS];
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = 1000 + i;
    int *const x = device_array<int>(ROWS * COLUMNS), *const y = device_array<int>(ROWS * COLUMNS);
    int *const seen = device_array<int>(BOX);
    (void)cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
    CUtensorMap from, to;
    holds("maps", encode(&from, x, RIGHT) == CUDA_SUCCESS && encode(&to, y, RIGHT) == CUDA_SUCCESS);
    fences();
    boxes(y, seen, from, to);
    wrong_copies(x, seen, from, to);
    maps(x);
    for (void *p : {(void *)x, (void *)y, (void *)seen}) (void)cudaFree(p);
    return finish();
}
