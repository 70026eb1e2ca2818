/* Multithreaded passes of a transform. The assignment of tiles to threads does not change the results. */
#include "cpu/common/transform_run.h"
#include "core/types.h"
#include "cpu/runtime/parallel.h"

size_t transform_buffer_bytes(const transform_plan *plan, weft_dtype dtype) {
    const size_t number = 2 * weft_dtype_size(dtype);
    const size_t side = !plan->in_order && plan->rows > plan->columns ? plan->rows : plan->columns;
    const size_t bytes = plan->way == TRANSFORM_PASSES ? side * plan->lanes * number : plan->n * number;
    return (bytes + 63) / 64 * 64;
}

int transform_threads(const cpu_context *ctx, size_t bytes) { return cpu_threads_for(ctx->threads, bytes / 2); }

typedef struct shared {
    void (*work)(void *self, int part, int parts);
    void *self;
    int parts;
} shared;

static void share_part(void *self, size_t part) {
    const shared *s = self;
    s->work(s->self, (int)part, s->parts);
}

void transform_share(int parts, void (*work)(void *self, int part, int parts), void *self) {
    cpu_parallel_for(parts, (size_t)parts, PARALLEL_RANGES, share_part, &(shared){work, self, parts});
}

typedef struct params {
    void (*kernel)(const transform_pass *);
    const transform_pass *pass;
    const transform_team *team;
    size_t tiles;
} params;

static void run_part(void *self, int part, int parts) {
    const params *j = self;
    transform_pass p = *j->pass;
    p.from = j->tiles * (size_t)part / (size_t)parts;
    p.to = j->tiles * ((size_t)part + 1) / (size_t)parts;
    p.buffer = j->team->buffers + (size_t)part * j->team->buffer_bytes;
    j->kernel(&p);
}

void transform_run(void (*kernel)(const transform_pass *), const transform_pass *pass, bool columns,
                   const transform_team *team) {
    const transform_plan *plan = pass->plan;
    params j = {kernel, pass, team, ceil_div(columns ? plan->columns : plan->rows, plan->lanes)};
    transform_share(team->threads, run_part, &j);
}

void transform_turn_taps(weft_dtype dtype, bool is_complex, size_t m, const void *h, void *to) {
    const size_t parts = is_complex ? 2 : 1;
    for (size_t i = 0; i < m * parts; i++) {
        const size_t from = (m - 1 - i / parts) * parts + i % parts;
        if (dtype == WEFT_F32)
            ((float *)to)[i] = i % parts ? -((const float *)h)[from] : ((const float *)h)[from];
        else
            ((double *)to)[i] = i % parts ? -((const double *)h)[from] : ((const double *)h)[from];
    }
}
