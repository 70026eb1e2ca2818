/* The last stages of some blocks of a transform (ORDER.md 14.3): the second pass of cpu/common/transform.h. */
#include "core/types.h"
#include "cpu/common/transform_run.h"

weft_status cpu_fft_blocks(void *state, const fft_blocks_call *c, weft_error *error) {
    cpu_context *const ctx = state;
    const transform_kernels *const kernels = transform_kernels_of(ctx->level->transforms, c->dtype);
    const int threads = transform_threads(ctx, c->count * c->n * 2 * weft_dtype_size(c->dtype));
    transform_pass p = {.inverse = c->inverse, .scale = 1, .x = c->x, .y = c->y};
    transform_team team = {.threads = threads};
    void *buffers;
    if (c->inverse) p.scale = 1 / (double)(c->blocks * c->n);
    RETURN_IF_ERROR(cpu_transform_blocks_plan(ctx, c, &p.plan, error));
    team.buffer_bytes = transform_buffer_bytes(p.plan, c->dtype);
    RETURN_IF_ERROR(cpu_workspace(ctx, (size_t)threads * team.buffer_bytes, &buffers, error));
    team.buffers = buffers;
    transform_run(kernels->rows, &p, false, &team);
    return WEFT_OK;
}
