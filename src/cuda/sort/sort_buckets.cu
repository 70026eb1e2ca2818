/* Launches of the radix sort from the most significant digit (sort_buckets.cuh). */
#include "cuda/sort/sort_buckets.h"

#include "core/types.h"
#include "cuda/sort/sort_buckets_levels.cuh"
#include "cuda/sort/sort_buckets_local.cuh"

enum {
    ALIGNED = 256,
    MOVER_BYTES = 2 * TILE_BYTES, /* dynamic shared memory of a block that moves keys */
    SHARED_BYTES = MOVER_BYTES + (1 << 12)
};
#ifndef BUCKETS_LEAST_4                   /* the emulated GPU of the tests uses less */
#define BUCKETS_LEAST_4 ((size_t)1 << 23) /* fewer keys are sorted by CUB */
#define BUCKETS_LEAST_8 ((size_t)1 << 21)
#endif

bool cuda_sort_has_buckets(const gpu *g, const sort_call *c) {
    const size_t bytes = cuda_type_bytes(c->dtype);
    if (c->value_bytes > 0 || c->bits != 8 * bytes || c->n > UINT32_MAX) return false;
    if (g->shared_bytes < SHARED_BYTES) return false;
    /* f32 would need one level more than integers, and be no faster than CUB */
    return (bytes == 4 && !type_is_real(c->dtype) && c->n >= BUCKETS_LEAST_4) ||
           (bytes == 8 && c->n >= BUCKETS_LEAST_8);
}

static unsigned counting_blocks(const gpu *g) { return COUNTING_BLOCKS * (unsigned)g->multiprocessors; }

/* The arrays in scratch memory. */
template <class Bits> struct bucket_arrays {
    sort_state *state;
    level_input<Bits> inputs[2]; /* of levels with even and with odd numbers */
    uint32_t *counts, *nans_of_block;
    key_range<Bits> *parts;
    Bits *keys;
    char *base;
    size_t used;

    bucket_arrays(const gpu *g, size_t n, void *scratch) : base((char *)scratch), used(0) {
        typedef sort_sizes<Bits> sizes;
        const size_t ranges = n / sizes::CAPACITY + 1, tiles = n / sizes::TILE + ranges;
        state = reserve<sort_state>(1);
        for (level_input<Bits> &in : inputs) {
            in.ranges = reserve<key_range<Bits>>(ranges);
            in.range_of_tile = reserve<uint32_t>(tiles);
            in.masks = reserve<range_masks>(ranges);
        }
        counts = reserve<uint32_t>(ranges * DIGITS);
        nans_of_block = reserve<uint32_t>(counting_blocks(g));
        /* A range of c keys has at most 3 c / WINDOW + 1 parts: c / WINDOW for its buckets of more than WINDOW keys,
         * and one for the small ones of each window, or part of a window between such buckets. */
        parts = reserve<key_range<Bits>>(4 * (n / sizes::WINDOW) + 4);
        keys = reserve<Bits>(n);
    }

  private:
    template <class T> T *reserve(size_t count) {
        T *const at = base ? (T *)(base + used) : NULL;
        used += (count * sizeof(T) + ALIGNED - 1) / ALIGNED * ALIGNED;
        return at;
    }
};

size_t cuda_sort_buckets_bytes(const gpu *g, const sort_call *c) {
    return cuda_type_bytes(c->dtype) == 4 ? bucket_arrays<uint32_t>(g, c->n, NULL).used
                                          : bucket_arrays<uint64_t>(g, c->n, NULL).used;
}

template <class Bits> static weft_status move_nans(const gpu *, const level_params<Bits, false> &, weft_error *) {
    return WEFT_OK;
}
template <class Bits>
static weft_status move_nans(const gpu *g, const level_params<Bits, true> &j, weft_error *error) {
    CUDA_TRY(launch_early(g, true, nan_kernel<Bits>, counting_blocks(g), SORT_THREADS, 0, j), "sort");
    return WEFT_OK;
}

template <class Bits, bool FLOAT>
static weft_status run_level(const gpu *g, const level_params<Bits, FLOAT> &j, weft_error *error) {
    const unsigned counting = counting_blocks(g), moving = MOVING_BLOCKS * (unsigned)g->multiprocessors;
    CUDA_TRY(launch_early(g, true, count_kernel<Bits, FLOAT>, counting, SORT_THREADS, 0, j), "sort");
    if (j.level == 0) RETURN_IF_ERROR(move_nans(g, j, error));
    CUDA_TRY(launch_early(g, true, plan_kernel<Bits, FLOAT>, counting, DIGITS, 0, j), "sort");
    CUDA_TRY(launch_early(g, true, partition_kernel<Bits, FLOAT>, moving, SORT_THREADS, MOVER_BYTES, j), "sort");
    CUDA_TRY(
        launch_early(g, true, sort_ranges_kernel<Bits, FLOAT>, moving, SORT_THREADS, local_memory<Bits>::bytes(), j),
        "sort");
    return WEFT_OK;
}

template <class Bits, bool FLOAT>
static weft_status sort_buckets(const gpu *g, size_t n, const weft_sort_rule *rule, const void *from, void *to,
                                void *scratch, weft_error *error) {
    const bucket_arrays<Bits> a(g, n, scratch);
    level_params<Bits, FLOAT> j;
    j.order = sort_order<Bits, FLOAT>(*rule);
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)partition_kernel<Bits, FLOAT>, "sort", error));
    RETURN_IF_ERROR(gpu_allow_shared(g, (const void *)sort_ranges_kernel<Bits, FLOAT>, "sort", error));
    CUDA_TRY(cudaMemsetAsync(a.state, 0, sizeof *a.state, g->stream), "sort");
    CUDA_TRY(cudaMemsetAsync(a.inputs[0].masks, 0, sizeof(range_masks), g->stream), "sort");
    CUDA_TRY(cudaMemsetAsync(a.counts, 0, DIGITS * sizeof *a.counts, g->stream), "sort");
    j.n = (uint32_t)n;
    j.counts = a.counts;
    j.parts = a.parts;
    j.nans_of_block = a.nans_of_block;
    j.state = a.state;
    j.buffers[IN_SCRATCH] = a.keys;
    j.buffers[IN_SORTED] = (Bits *)to;
    j.buffers[IN_KEYS] = (Bits *)from;
    for (j.level = 0; j.level < sort_sizes<Bits>::LEVELS; j.level++) {
        j.in = a.inputs[j.level % 2];
        j.next = a.inputs[(j.level + 1) % 2];
        if (j.level == 0) CUDA_TRY(launch_early(g, true, survey_kernel<Bits, FLOAT>, 1, SORT_THREADS, 0, j), "sort");
        RETURN_IF_ERROR((run_level<Bits, FLOAT>(g, j, error)));
    }
    return WEFT_OK;
}

weft_status cuda_sort_by_buckets(const gpu *g, const sort_call *c, const weft_sort_rule *rule, const void *from,
                                 void *to, void *scratch, weft_error *error) {
    if (cuda_type_bytes(c->dtype) == 4) return sort_buckets<uint32_t, false>(g, c->n, rule, from, to, scratch, error);
    if (type_is_real(c->dtype)) return sort_buckets<uint64_t, true>(g, c->n, rule, from, to, scratch, error);
    return sort_buckets<uint64_t, false>(g, c->n, rule, from, to, scratch, error);
}
