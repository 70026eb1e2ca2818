/* Passes of a transform on several threads. Which thread takes which tile changes no bit. */
#include "cpu/transform_run.h"
#include "core/fpmode.h"

enum { ALONE_BYTES = 1 << 18 }; /* so little is done sooner by the calling thread than by waking others */

size_t transform_buffer_bytes(const transform_plan *plan, weft_dtype dtype) {
    const size_t number = 2 * weft_dtype_size(dtype);
    const size_t side = plan->rows > plan->columns ? plan->rows : plan->columns;
    const size_t bytes = plan->rows ? side * plan->lanes * number : plan->n * number;
    return (bytes + 63) / 64 * 64;
}

int transform_threads(const cpu_context *ctx, double bytes) {
    return ctx->threads == 1 || bytes < ALONE_BYTES || !cpu_may_use_threads() ? 1 : ctx->threads;
}

void transform_share(int parts, void (*work)(void *self, int part, int parts), void *self) {
    if (parts == 1) {
        work(self, 0, 1);
        return;
    }
#pragma omp parallel num_threads(parts)
    {
        const weft_fpmode mode = weft_fpmode_enter();
#pragma omp for schedule(static)
        for (int part = 0; part < parts; part++) work(self, part, parts);
        weft_fpmode_leave(mode);
    }
}

typedef struct job {
    void (*kernel)(const transform_pass *);
    const transform_pass *pass;
    const transform_team *team;
    size_t tiles;
} job;

static void run_part(void *self, int part, int parts) {
    const job *j = self;
    transform_pass p = *j->pass;
    p.from = j->tiles * (size_t)part / (size_t)parts;
    p.to = j->tiles * ((size_t)part + 1) / (size_t)parts;
    p.buffer = j->team->buffers + (size_t)part * j->team->buffer_bytes;
    j->kernel(&p);
}

void transform_run(void (*kernel)(const transform_pass *), const transform_pass *pass, bool columns,
                   const transform_team *team) {
    const transform_plan *plan = pass->plan;
    job j = {kernel, pass, team, (columns ? plan->columns : plan->rows) / plan->lanes};
    transform_share(team->threads, run_part, &j);
}
