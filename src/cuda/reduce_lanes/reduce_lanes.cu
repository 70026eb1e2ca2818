/* weft_reduce_lanes: launches that reduce rows of lanes until the last one computes the result (ORDER.md 3.4). */
#include "cuda/reduce_lanes/reduce_lanes.cuh"
#include "cuda/runtime/arrays.h"

#include <string.h>

#define NAME "reduce_lanes"
/* Blocks of a launch until threads have the maximum of batches. More blocks shorten the tail at the end of the
 * launch, but write more rows. */
#ifndef LANE_BLOCKS_MAX
#define LANE_BLOCKS_MAX 4096
#endif
/* Maximum bytes of the rows that the last block reduces. One block reads about 50 bytes per nanosecond. */
#ifndef LANE_LAST_BYTES
#define LANE_LAST_BYTES 65536
#endif

typedef void lane_kernel(lane_params);

/* Kernels of one type of elements, by the operator; `packs` requires packs of 16 bytes. */
typedef struct lane_kernels {
    lane_kernel *packs[2], *elements[2];
} lane_kernels;

template <class T, class A> static lane_kernels kernels_of() {
    return lane_kernels{
        {reduce_lanes_kernel<total<T, A>, 16 / sizeof(T)>, reduce_lanes_kernel<product<T, A>, 16 / sizeof(T)>},
        {reduce_lanes_kernel<total<T, A>, 1>, reduce_lanes_kernel<product<T, A>, 1>}};
}

static lane_kernels choose(weft_dtype dtype, weft_dtype result) {
    if (dtype == WEFT_F64) return kernels_of<double, double>();
    return result == WEFT_F64 ? kernels_of<float, double>() : kernels_of<float, float>();
}

static uint64_t rows_of_block(const lane_shape *s) { return (uint64_t)s->groups * LANE_BATCH << s->batches_log; }

static uint64_t blocks_of(const lane_shape *s, uint64_t rows) { return (rows - 1) / rows_of_block(s) + 1; }

/* Divides `rows` rows of packs of v lanes among at most `most` blocks, or more if these would have too many rows. */
static lane_shape divide(uint32_t lanes, uint32_t v, uint64_t rows, uint64_t most) {
    lane_shape s = {lanes / v, 1, 0};
    while (2 * s.groups * s.packs <= LANE_THREADS) s.groups *= 2;
    while (s.batches_log < LANE_BATCHES_LOG && blocks_of(&s, rows) > most) s.batches_log++;
    return s;
}

/* Sets the division of a launch over the n elements at p->x of type `dtype`. Returns the number of blocks. */
static uint64_t shape_launch(lane_params *p, weft_dtype dtype, weft_dtype result, bool *packed) {
    const size_t size = cuda_type_bytes(dtype);
    const uint64_t rows = (p->n - 1) / p->lanes + 1;
    *packed = (uintptr_t)p->x % 16 == 0 && p->lanes * size % 16 == 0;
    p->shape = divide(p->lanes, *packed ? 16 / (uint32_t)size : 1, rows, LANE_BLOCKS_MAX);
    const uint64_t blocks = blocks_of(&p->shape, rows);
    p->last = blocks * p->lanes * cuda_type_bytes(result) <= LANE_LAST_BYTES || blocks == 1;
    p->last_shape = divide(p->lanes, 1, blocks, 1);
    return blocks;
}

/* Each launch reads the elements, or the rows that the launch before it wrote, and writes its rows to the other half
 * of the scratch memory. */
static weft_status launch_all(const gpu *g, const reduce_lanes_call *c, lane_params p, char *scratch, size_t half,
                              weft_error *error) {
    weft_dtype dtype = c->dtype;
    for (unsigned turn = 0;; turn++) {
        bool packed;
        p.rows = scratch + turn % 2 * half;
        const uint64_t blocks = shape_launch(&p, dtype, c->result, &packed);
        const lane_kernels k = choose(dtype, c->result);
        const bool product = c->op == WEFT_PROD;
        CUDA_TRY(launch_early(g, true, packed ? k.packs[product] : k.elements[product], (unsigned)blocks,
                              LANE_THREADS, 0, p),
                 NAME);
        if (p.last) return WEFT_OK;
        p.x = p.rows;
        p.n = blocks * p.lanes;
        dtype = c->result;
    }
}

/* Returns the parameters of a call, without the addresses in device memory. A device copy of x has its alignment. */
static lane_params params_of(const gpu *g, const reduce_lanes_call *c) {
    reduce_params shared;
    lane_params p;
    memset(&p, 0, sizeof p);
    gpu_point_at_scratch(g, &shared);
    p.x = c->x;
    p.n = c->n;
    p.lanes = (uint32_t)c->lanes;
    p.ticket = shared.ticket;
    return p;
}

static weft_status store_empty(gpu *g, const reduce_lanes_call *c, weft_error *error) {
    call empty;
    RETURN_IF_ERROR(call_begin(&empty, g, NAME, c->dtype, c->result, 0, NULL, NULL, c->out, error));
    return call_store(&empty, gpu_reduce_empty(c->op, c->result), error);
}

weft_status cuda_reduce_lanes(void *state, const reduce_lanes_call *c, weft_error *error) {
    gpu *const g = (gpu *)state;
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->result);
    if (c->n == 0) return store_empty(g, c, error);
    gpu_array arrays[] = {{"x", c->x, c->n * cuda_type_bytes(c->dtype), ARRAY_IN, false, NULL},
                          {"out", c->out, size, ARRAY_OUT, false, NULL}};
    lane_params p = params_of(g, c);
    bool packed;
    void *scratch;
    const size_t blocks = (size_t)shape_launch(&p, c->dtype, c->result, &packed);
    const size_t half = (blocks * c->lanes * size + 255) / 256 * 256;
    RETURN_IF_ERROR(arrays_copy_in(g, NAME, arrays, 2, 2 * half, &scratch, error));
    p.x = arrays[0].at;
    p.out = arrays[1].at;
    RETURN_IF_ERROR(launch_all(g, c, p, (char *)scratch, half, error));
    return arrays_copy_out(g, NAME, arrays, 2, error);
}
