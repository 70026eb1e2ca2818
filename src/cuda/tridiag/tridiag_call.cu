/* Host code of weft_tridiag and weft_tridiag_pivot: parameters, launches, copies of arrays. */
#include "cuda/tridiag/tridiag_call.h"

#include "cuda/runtime/arrays.h"

#include <string.h>

enum { INPUTS = 4, ARRAYS = 6 };

bool tridiag_is_constant(weft_lines l) { return l.step == 0 && l.line == 0; }

/* Returns the bytes from the first element to the last. */
static size_t span(const tridiag_call *c, weft_lines l, size_t size) {
    if (c->systems == 0 || c->n == 0) return 0;
    return ((c->systems - 1) * l.line + (c->n - 1) * l.step + 1) * size;
}

tridiag_lines tridiag_lines_of(const tridiag_call *c, weft_lines l, bool may_be_constant) {
    const bool constant = may_be_constant && tridiag_is_constant(l);
    tridiag_lines lines = {constant ? NULL : l.p, l.step, l.line, constant, 0, 0};
    if (constant && c->dtype == WEFT_F32) lines.f32 = *(const float *)l.p;
    if (constant && c->dtype == WEFT_F64) lines.f64 = *(const double *)l.p;
    return lines;
}

tridiag_params tridiag_params_of(const tridiag_call *c) {
    tridiag_params j;
    memset(&j, 0, sizeof j);
    j.a = tridiag_lines_of(c, c->a, true);
    j.b = tridiag_lines_of(c, c->b, true);
    j.c = tridiag_lines_of(c, c->c, true);
    j.d = tridiag_lines_of(c, c->d, false);
    j.x = c->x;
    j.systems = c->systems;
    j.n = j.full_n = c->n;
    j.periodic = c->periodic;
    j.begins = j.ends = !c->periodic;
    j.scale = 1;
    return j;
}

static bool is_adjacent(const tridiag_lines &l) { return l.constant || l.step == 1; }
bool tridiag_all_adjacent(const tridiag_params *j) {
    return is_adjacent(j->a) && is_adjacent(j->b) && is_adjacent(j->c) && is_adjacent(j->d);
}

weft_status tridiag_launch(gpu *g, const char *name, const void *kernel, const void *params, const tridiag_params *j,
                           uint64_t blocks, uint32_t threads, size_t shared, weft_error *error) {
    void *arguments[] = {(void *)params};
    RETURN_IF(blocks > INT32_MAX, WEFT_UNSUPPORTED, "%s of %llu systems of %llu rows: too many for one kernel launch",
              name, (unsigned long long)j->systems, (unsigned long long)j->n);
    RETURN_IF_ERROR(gpu_allow_shared(g, kernel, name, error));
    CUDA_TRY(cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(threads), arguments, shared, g->stream), name);
    return WEFT_OK;
}

weft_status tridiag_report_first(gpu *g, const char *name, uint64_t *faults, uint64_t n, void *singular,
                                 weft_error *error) {
    void *arguments[] = {&faults, &n, &singular};
    CUDA_TRY(cudaLaunchKernel(tridiag_singular_kernel(), dim3(1), dim3(1), arguments, 0, g->stream), name);
    return WEFT_OK;
}

weft_status tridiag_run(gpu *g, const char *name, const tridiag_call *c, size_t scratch_bytes, tridiag_solver *solve,
                        weft_error *error) {
    const current_device scope(g->device);
    const size_t size = cuda_type_bytes(c->dtype), x_bytes = span(c, c->d, size);
    static const char *const names[INPUTS] = {"a", "b", "c", "d"};
    tridiag_call there = *c; /* the call with device addresses */
    weft_lines *const in[INPUTS] = {&there.a, &there.b, &there.c, &there.d};
    const bool gaps = x_bytes != c->systems * c->n * size;
    gpu_array arrays[ARRAYS];
    memset(arrays, 0, sizeof arrays);
    for (int i = 0; i < INPUTS; i++) {
        const bool constant = i < INPUTS - 1 && tridiag_is_constant(*in[i]);
        arrays[i] = gpu_array{names[i], constant ? NULL : in[i]->p, span(c, *in[i], size), ARRAY_IN, false, NULL};
    }
    arrays[INPUTS] = gpu_array{"x", c->x, x_bytes, gaps ? ARRAY_BOTH : ARRAY_OUT, false, NULL};
    arrays[INPUTS + 1] = gpu_array{"singular", c->singular, sizeof *c->singular, ARRAY_OUT, false, NULL};
    void *scratch;
    RETURN_IF_ERROR(arrays_copy_in(g, name, arrays, ARRAYS, scratch_bytes, &scratch, error));
    for (int i = 0; i < INPUTS; i++)
        if (arrays[i].p) in[i]->p = arrays[i].at;
    there.x = arrays[INPUTS].at;
    there.singular = (uint64_t *)arrays[INPUTS + 1].at;
    RETURN_IF_ERROR(solve(g, &there, scratch, error));
    return arrays_copy_out(g, name, arrays, ARRAYS, error);
}
