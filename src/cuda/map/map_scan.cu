/* Scan of a formula's values (ORDER.md 20) by the kernel compiled for the formula, which computes a value where the
 * scan of an array loads an element (map_scan.cuh). If the formula is not compiled, its values are stored in the
 * staging buffer in chunks that fit in the L2 cache, and scanned from there. */
#include "cuda/map/map_compiled.h"
#include "cuda/runtime/compiled.h"
#include "cuda/scan/scan_kernels.h"

static weft_status launch_compiled(const gpu *g, const map_program *program, void *function,
                                   const scan_launch *kernel, const scan_params *j, weft_error *error) {
    formula_params f;
    f.scan = *j;
    const scan_grid grid = gpu_scan_shape(g, kernel, &f.scan);
    f.scan.vectors = gpu_formula_operands(program, 0, 16 / cuda_type_bytes(program->dtype), f.operands) &&
                     (uintptr_t)j->y % 16 == 0;
    return compiled_launch(g, "map_scan", function, grid.blocks, SCAN_THREADS, grid.shared_bytes, &f, error);
}

/* The published totals persist from chunk to chunk. A chunk's values are computed before its results are written,
 * which may overwrite one of the formula's arrays. */
static weft_status launch_chunks(gpu *g, const map_program *program, const scan_launch *kernel,
                                 const scan_params *all, size_t result_bytes, weft_error *error) {
    const uint64_t chunk = STAGING_BYTES / 2 / cuda_type_bytes(program->dtype);
    static_assert(STAGING_BYTES / 2 / sizeof(uint64_t) % SCAN_TILE == 0, "chunks are full tiles");
    for (uint64_t first = 0; first < all->n; first += chunk) {
        scan_params j = gpu_scan_chunk(all, first, chunk, result_bytes);
        j.x = g->staging;
        RETURN_IF_ERROR(gpu_map_part(g, program, first, j.n, g->staging, error));
        RETURN_IF_ERROR(gpu_scan_launch(g, kernel, &j, error));
    }
    return WEFT_OK;
}

static weft_status scan_values(gpu *g, const map_program *program, const scan_call *c, weft_error *error) {
    scan_launch kernel_of_arrays;
    scan_params j;
    void *compiled;
    int rows;
    RETURN_IF_ERROR(gpu_scan_begin(g, c, &kernel_of_arrays, &j, error));
    const kernel consumer = {kernel_of_arrays.kernel, KERNEL_SCAN, kernel_of_arrays.op, kernel_of_arrays.types};
    RETURN_IF_ERROR(gpu_formula_kernel(g, program, NULL, &consumer, c->n, &compiled, &rows, error));
    if (compiled) return launch_compiled(g, program, compiled, &kernel_of_arrays, &j, error);
    RETURN_IF_ERROR(gpu_staging(g, "map_scan", error));
    const weft_status status = launch_chunks(g, program, &kernel_of_arrays, &j, cuda_type_bytes(c->result), error);
    if (status != WEFT_OK) gpu_scan_abandon(g);
    return status;
}

weft_status cuda_map_scan(gpu *g, const scan_call *c, weft_error *error) {
    map_call map = *c->map;
    scan_call scan = *c;
    map_program program;
    map_arrays arrays;
    map.out = c->y;
    RETURN_IF_ERROR(gpu_map_copy_in(g, &map, c->n * cuda_type_bytes(c->result), 0, &arrays, &program, error));
    scan.y = arrays.list[arrays.count - 1].at;
    RETURN_IF_ERROR(scan_values(g, &program, &scan, error));
    return arrays_copy_out(g, "map_scan", arrays.list, arrays.count, error);
}
