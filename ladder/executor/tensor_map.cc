/* Tensor maps: a map describes a matrix in global memory, and the box of which a bulk copy consists. The maps of the
 * executor have two dimensions. */
#include "bulk_copies.h"
#include "executor.h"

namespace emulated {

namespace {

enum { DIMENSIONS = 2, MOST_OF_BOX = 256, SHARED_ALIGNMENT = 128 };

/* Contents of a CUtensorMap of the executor. Index 0: columns, 1: rows. */
struct tensor_map {
    uint64_t mark;
    char *address;
    uint64_t size[DIMENSIONS], row_bytes;
    uint32_t box[DIMENSIONS], element_bytes;
};
static_assert(sizeof(tensor_map) <= sizeof(CUtensorMap), "a map has 128 bytes");
const uint64_t MARK = 0x7465736f722e6d61;

unsigned bytes_of(CUtensorMapDataType type) {
    switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8: return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32: return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return 8;
    }
    return 0;
}

/* Returns why the driver refuses a map, or NULL. */
const char *mistake_in(const tensor_map &m, const cuuint32_t *steps) {
    const uint64_t most_elements = (uint64_t)1 << 32, most_bytes = (uint64_t)1 << 40;
    if (m.element_bytes == 0) return "the type of the elements is unknown";
    if (!m.address || (uintptr_t)m.address % 16) return "the address of the matrix is not a multiple of 16";
    if (m.row_bytes % 16 || m.row_bytes >= most_bytes)
        return "the distance of two rows is not a multiple of 16 bytes, or 2^40 or more";
    for (int i = 0; i < DIMENSIONS; i++) {
        if (m.size[i] == 0 || m.size[i] > most_elements) return "a size of the matrix is 0, or more than 2^32";
        if (m.box[i] == 0 || m.box[i] > MOST_OF_BOX) return "a size of the box is 0, or more than 256";
        if (steps[i] != 1) return "the executor supports only steps of one element";
    }
    if (m.box[0] * m.element_bytes % 16) return "a row of the box is not a multiple of 16 bytes";
    return nullptr;
}

/* Returns the map at p, which a thread uses. */
tensor_map map_at(const CUtensorMap *p, unsigned site) {
    if (!is_private(p)) check_access({(const char *)p, sizeof *p, READ, false, site});
    tensor_map m;
    memcpy(&m, p, sizeof m);
    if (m.mark != MARK || (uintptr_t)p % 64)
        abandon(site, cudaErrorIllegalAddress,
                "block %u: thread %u uses a tensor map that cuTensorMapEncodeTiled has not made,", here.block.x,
                this_thread());
    return m;
}

unsigned box_bytes(const tensor_map &m) { return m.box[0] * m.box[1] * m.element_bytes; }

void check_box(const tensor_map &m, int column, const void *in_shared, unsigned site) {
    if (!is_shared(in_shared))
        abandon(site, cudaErrorIllegalAddress,
                "block %u: thread %u starts a tensor copy that is not between global and shared memory,",
                here.block.x, this_thread());
    if ((uintptr_t)in_shared % SHARED_ALIGNMENT)
        abandon(site, cudaErrorMisalignedAddress,
                "block %u: thread %u starts a tensor copy whose address in shared memory is not a multiple of %d,",
                here.block.x, this_thread(), SHARED_ALIGNMENT);
    if (column * (int64_t)m.element_bytes % 16)
        abandon(site, cudaErrorIllegalInstruction,
                "block %u: thread %u starts a tensor copy at column %d, whose distance from column 0 is not a "
                "multiple of 16 bytes,",
                here.block.x, this_thread(), column);
}

int64_t limited(int64_t i, uint64_t size) { return i < 0 ? 0 : min(i, (int64_t)size); }

/* The part of a row of the box that is in the matrix, in bytes: from `before` on, `bytes` bytes at `at`. */
struct row_part {
    size_t before, bytes;
    char *at;
};

row_part part_of_row(const tensor_map &m, int64_t column, int64_t row) {
    if (row < 0 || row >= (int64_t)m.size[1]) return {0, 0, nullptr};
    const int64_t first = limited(column, m.size[0]), end = limited(column + m.box[0], m.size[0]);
    if (first == end) return {0, 0, nullptr};
    char *const at = m.address + (uint64_t)row * m.row_bytes + (uint64_t)first * m.element_bytes;
    return {(size_t)(first - column) * m.element_bytes, (size_t)(end - first) * m.element_bytes, at};
}

CUresult refuse(CUresult result, const void *from, const char *why) {
    if (!is_told()) fault("cuTensorMapEncodeTiled%s: %s", where(site_of(from)).c_str(), why);
    return result;
}

} // namespace

void start_tensor_load(void *to, const CUtensorMap *map, int column, int row, unsigned long long *b) {
    const char *const from = (const char *)__builtin_return_address(0);
    const unsigned site = site_of(from);
    const tensor_map m = map_at(map, site);
    const size_t row_bytes = m.box[0] * m.element_bytes;
    std::vector<copy_part> parts;
    check_box(m, column, to, site);
    for (uint32_t i = 0; i < m.box[1]; i++) {
        char *const at = (char *)to + i * row_bytes;
        const row_part part = part_of_row(m, column, (int64_t)row + i);
        parts.push_back({at, nullptr, row_bytes});
        if (part.bytes) parts.push_back({at + part.before, part.at, part.bytes});
    }
    queue_load(b, {(const char *)to, box_bytes(m), WRITE, false, site_of(from - 1)}, parts, site);
}

void start_tensor_store(const CUtensorMap *map, int column, int row, const void *from) {
    const char *const caller = (const char *)__builtin_return_address(0);
    const unsigned site = site_of(caller);
    const tensor_map m = map_at(map, site);
    std::vector<copy_part> parts;
    check_box(m, column, from, site);
    for (uint32_t i = 0; i < m.box[1]; i++) {
        const row_part part = part_of_row(m, column, (int64_t)row + i);
        const char *const at = (const char *)from + i * m.box[0] * m.element_bytes;
        if (part.bytes) parts.push_back({part.at, at + part.before, part.bytes});
    }
    queue_store({(const char *)from, box_bytes(m), READ, false, site}, parts, site_of(caller - 1));
}

} // namespace emulated

using emulated::refuse;

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *size, const cuuint64_t *stride_bytes, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
    const void *const from = __builtin_return_address(0);
    if (rank != emulated::DIMENSIONS || interleave || swizzle || fill)
        return refuse(
            CUDA_ERROR_NOT_SUPPORTED, from,
            "the executor supports only two dimensions, without interleaving, swizzling and filling by NaN");
    const emulated::tensor_map made = {emulated::MARK,  (char *)address,  {size[0], size[1]},
                                       stride_bytes[0], {box[0], box[1]}, emulated::bytes_of(type)};
    if (const char *const why = emulated::mistake_in(made, steps)) return refuse(CUDA_ERROR_INVALID_VALUE, from, why);
    memset(map, 0, sizeof *map);
    memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
}

/* The executor's driver has one function. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult *result) {
    const bool is_known = strcmp(name, "cuTensorMapEncodeTiled") == 0;
    *function = is_known ? (void *)cuTensorMapEncodeTiled : nullptr;
    if (result) *result = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
