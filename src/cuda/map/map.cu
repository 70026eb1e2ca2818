/* weft_map, and the values of a formula that a reduction reads (ORDER.md 20). They are computed by the kernel that
 * was compiled for the formula (map_compiled.h), or by a kernel that interprets its steps (map_interpret.cuh). */
#include "cuda/map/map_compiled.h"
#include "cuda/map/map_interpret.cuh"
#include "cuda/runtime/compiled.h"

#include <string.h>

/* Positions in arrays: numbers of elements. */
struct element_positions {
    __device__ uint64_t of_leaf(uint32_t, uint64_t i) const { return i; }
    template <class T> __device__ T *of_value(T *out, uint64_t i) const { return out + i; }
    template <class T> static __device__ const T *element(const void *array, uint64_t i) {
        return (const T *)array + i;
    }
};

/* --------------------------------------------------------------------------------- launching */

/* Returns the formula with its leaves moved to element `first`. */
static map_program program_from(const map_program *program, uint64_t first) {
    map_program part = *program;
    for (map_leaf *leaf = part.leaves; leaf < part.leaves + part.leaf_count; leaf++) {
        if (leaf->kind == LEAF_ARRAY) leaf->p = (const char *)leaf->p + first * cuda_type_bytes(leaf->dtype);
        if (leaf->kind == LEAF_INDEX) leaf->value.u64 += first;
    }
    return part;
}

/* Launches the compiled kernel once. A thread computes `rows` vectors (map_text_vector), or one value if `rows` is 0.
 */
static weft_status launch_compiled(const gpu *g, const map_program *program, void *function, int rows, uint64_t first,
                                   uint64_t n, void *out, weft_error *error) {
    const size_t vector = rows ? map_text_vector(program->dtype, program->result) : 1;
    const uint64_t block = FORMULA_THREADS * vector * (rows ? rows : 1), blocks = (n - 1) / block + 1;
    formula_params f;
    memset(&f.j, 0, sizeof f.j);
    f.j.vectors = gpu_formula_operands(program, first, vector, f.operands) &&
                  (uintptr_t)out % FORMULA_ALIGNMENT(vector * cuda_type_bytes(program->result)) == 0;
    f.j.n = n;
    f.j.out = out;
    return compiled_launch(g, "map", function, (unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX), FORMULA_THREADS,
                           0, &f, error);
}

weft_status gpu_map_part(gpu *g, const map_program *program, uint64_t first, uint64_t n, void *out,
                         weft_error *error) {
    void *compiled;
    int rows;
    RETURN_IF_ERROR(gpu_formula_kernel(g, program, NULL, NULL, n, &compiled, &rows, error));
    if (compiled) return launch_compiled(g, program, compiled, rows, first, n, out, error);
    const map_function<element_positions> kernel = map_kernel_of<element_positions>(program->dtype, program->result);
    RETURN_IF(!kernel, WEFT_INTERNAL, "map: no kernel for dtype %d", (int)program->dtype);
    const map_program part = program_from(program, first);
    kernel<<<map_blocks(g, n), THREADS, 0, g->stream>>>(part, n, out, element_positions{});
    CUDA_TRY(cudaGetLastError(), "map");
    return WEFT_OK;
}

void gpu_map_program(const map_call *c, map_program *program) {
    program->dtype = c->dtype;
    program->result = c->result;
    program->step_count = (uint32_t)c->step_count;
    program->leaf_count = (uint32_t)c->leaf_count;
    program->is_complex = c->is_complex;
    program->imaginary = c->imaginary;
    memcpy(program->results, c->results, sizeof program->results);
    for (size_t s = 0; s < c->step_count; s++) program->steps[s] = c->steps[s];
    for (size_t k = 0; k < c->leaf_count; k++) program->leaves[k] = c->leaves[k];
}

weft_status gpu_map_copy_in(gpu *g, const map_call *c, size_t out_bytes, size_t scratch_bytes, map_arrays *arrays,
                            map_program *program, weft_error *error) {
    int array_of[MAP_LEAVES];
    arrays->count = 0;
    for (size_t k = 0; k < c->leaf_count; k++) {
        if (c->leaves[k].kind != LEAF_ARRAY) continue;
        array_of[k] = arrays->count;
        arrays->list[arrays->count++] = gpu_array{"an array of the formula",
                                                  c->leaves[k].p,
                                                  c->n * cuda_type_bytes(c->leaves[k].dtype),
                                                  ARRAY_IN,
                                                  false,
                                                  NULL};
    }
    if (c->out) arrays->list[arrays->count++] = gpu_array{"out", c->out, out_bytes, ARRAY_OUT, false, NULL};
    RETURN_IF_ERROR(arrays_copy_in(g, "map", arrays->list, arrays->count, scratch_bytes, &arrays->scratch, error));
    gpu_map_program(c, program);
    for (size_t k = 0; k < c->leaf_count; k++)
        if (c->leaves[k].kind == LEAF_ARRAY) program->leaves[k].p = arrays->list[array_of[k]].at;
    return WEFT_OK;
}

weft_status cuda_map(void *state, const map_call *c, weft_error *error) {
    gpu *g = (gpu *)state;
    const current_device scope(g->device);
    map_program program;
    map_arrays arrays;
    RETURN_IF_ERROR(gpu_map_copy_in(g, c, c->n * cuda_type_bytes(c->result), 0, &arrays, &program, error));
    RETURN_IF_ERROR(gpu_map_part(g, &program, 0, c->n, arrays.list[arrays.count - 1].at, error));
    return arrays_copy_out(g, "map", arrays.list, arrays.count, error);
}
