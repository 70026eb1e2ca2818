/* Decides which formulas are compiled, and stores the compiled kernels (map_compiled.h). */
#include "cuda/map/map_compiled.h"
#include "cuda/runtime/compiled.h"
#include "cuda/runtime/nvrtc.h"

#include <stdlib.h>
#include <string.h>

typedef struct formula {
    map_shape shape;
    const void *consumer;     /* kernel that uses the values as its input; NULL if they are stored */
    uint64_t work;            /* steps times elements requested so far */
    uint64_t last_use;        /* 0 for an unused entry */
    bool kept;                /* true if a graph may contain a launch of it */
    void *library, *function; /* NULL while it is interpreted */
} formula;

struct formulas {
    formula list[FORMULAS_MAX];
    uint64_t uses;
};

/* ------------------------------------------------------------------------------------- policy */

weft_status gpu_formula_policy(gpu *g, weft_error *error) {
    const char *asked = getenv("WEFT_NVRTC");
    g->formula_use = FORMULAS_WORTH_IT;
    if (!asked || !*asked) return WEFT_OK;
    RETURN_IF(strcmp(asked, "0") != 0 && strcmp(asked, "1") != 0, WEFT_INVALID,
              "invalid WEFT_NVRTC \"%.32s\": expected 0 (never compile formulas at run time) or 1 (always compile "
              "them)",
              asked);
    g->formula_use = *asked == '0' ? FORMULAS_NEVER : FORMULAS_ALWAYS;
    return WEFT_OK;
}

/* Sets *can to true if formulas can be compiled for this GPU. Returns WEFT_UNSUPPORTED if they cannot and
 * WEFT_NVRTC=1 requires it. */
static weft_status can_compile(const gpu *g, bool *can, weft_error *error) {
    *can = compiled_usable() && nvrtc_knows(g->arch);
    RETURN_IF(!*can && g->formula_use == FORMULAS_ALWAYS, WEFT_UNSUPPORTED,
              "WEFT_NVRTC is 1, but no libnvrtc that compiles for sm_%d was found%s", g->arch,
              nvrtc_version() ? ": the installed one does not support it" : "");
    return WEFT_OK;
}

/* Sets *now to true if the formula is to be compiled by this call. */
static weft_status is_time(const gpu *g, const formula *f, bool *now, weft_error *error) {
    *now = g->formula_use == FORMULAS_ALWAYS || f->work >= FORMULA_WORK;
    return *now ? can_compile(g, now, error) : WEFT_OK;
}

/* ----------------------------------------------------------------------------------- formulas */

static void shape_of(const map_program *program, const map_views_shape *views, map_shape *shape) {
    memset(shape, 0, sizeof *shape); /* shapes are compared as bytes */
    shape->dtype = program->dtype;
    shape->result = program->result;
    shape->step_count = program->step_count;
    shape->leaf_count = program->leaf_count;
    memcpy(shape->steps, program->steps, program->step_count * sizeof *program->steps);
    if (views) shape->views = *views;
    shape->is_complex = program->is_complex;
    if (program->is_complex) memcpy(shape->results, program->results, sizeof shape->results);
    for (uint32_t k = 0; k < program->leaf_count; k++) {
        shape->leaves[k].kind = program->leaves[k].kind;
        if (program->leaves[k].kind == LEAF_ARRAY) shape->leaves[k].dtype = program->leaves[k].dtype;
    }
}

static void forget(formula *f) {
    if (f->library) compiled_unload(f->library);
    memset(f, 0, sizeof *f);
}

/* Frees the least recently used entry. *entry is NULL if graphs may use all of them. Synchronizes the stream first if
 * the entry was compiled, because its kernel may still be running. */
static weft_status evict_formula(gpu *g, formula **entry, weft_error *error) {
    *entry = NULL;
    for (formula *f = g->formulas->list; f < g->formulas->list + FORMULAS_MAX; f++)
        if (!f->kept && (!*entry || f->last_use < (*entry)->last_use)) *entry = f;
    if (!*entry) return WEFT_OK;
    if ((*entry)->library) CUDA_TRY(cudaStreamSynchronize(g->stream), "releasing a compiled formula");
    forget(*entry);
    return WEFT_OK;
}

/* Returns the formula with this shape and consumer, or NULL. */
static formula *find(const gpu *g, const map_shape *shape, const void *consumer) {
    for (formula *f = g->formulas->list; f < g->formulas->list + FORMULAS_MAX; f++)
        if (f->last_use && f->consumer == consumer && memcmp(&f->shape, shape, sizeof *shape) == 0) return f;
    return NULL;
}

static weft_status compile(const gpu *g, formula *f, const kernel *consumer, weft_error *error) {
    void *code;
    size_t bytes;
    char *const text = map_text(&f->shape, consumer);
    RETURN_IF(!text, WEFT_OUT_OF_MEMORY, "cannot allocate host memory for the text of a formula");
    weft_status status = nvrtc_compile(text, g->arch, &code, &bytes, error);
    free(text);
    if (status != WEFT_OK) return status;
    status = compiled_load(code, FORMULA_KERNEL, &f->library, &f->function, error);
    free(code);
    return status;
}

/* Finds the formula or adds it, and compiles it when it is due. *found is NULL if it cannot be added. */
static weft_status recall(gpu *g, const map_shape *shape, const kernel *consumer, uint64_t n, formula **found,
                          weft_error *error) {
    bool now;
    const void *const identity = consumer ? consumer->function : NULL;
    *found = find(g, shape, identity);
    if (!*found) {
        RETURN_IF_ERROR(evict_formula(g, found, error));
        if (!*found) return WEFT_OK;
        (*found)->shape = *shape;
        (*found)->consumer = identity;
    }
    formula *f = *found;
    f->last_use = ++g->formulas->uses;
    f->work += n * shape->step_count;
    if (f->function) return WEFT_OK;
    RETURN_IF_ERROR(is_time(g, f, &now, error));
    return now ? compile(g, f, consumer, error) : WEFT_OK;
}

/* While the stream is being captured, nothing is loaded or unloaded. */
weft_status gpu_formula_kernel(gpu *g, const map_program *program, const map_views_shape *views,
                               const kernel *consumer, uint64_t n, void **function, int *rows, weft_error *error) {
    map_shape shape;
    formula *f;
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    *function = NULL;
    if (g->formula_use == FORMULAS_NEVER || (consumer && !consumer->op)) return WEFT_OK;
    CUDA_TRY(cudaStreamIsCapturing(g->stream, &capture), "querying the capture of the stream");
    if (!g->formulas) g->formulas = (formulas *)calloc(1, sizeof *g->formulas);
    RETURN_IF(!g->formulas, WEFT_OUT_OF_MEMORY, "cannot allocate %zu bytes of host memory", sizeof *g->formulas);
    shape_of(program, views, &shape);
    if (capture != cudaStreamCaptureStatusNone) {
        f = find(g, &shape, consumer ? consumer->function : NULL);
        if (f && f->function) f->kept = true;
    } else {
        RETURN_IF_ERROR(recall(g, &shape, consumer, n, &f, error));
    }
    if (f) *function = f->function;
    *rows = map_text_rows(&shape);
    return WEFT_OK;
}

void gpu_formulas_close(gpu *g) {
    if (!g->formulas) return;
    for (int i = 0; i < FORMULAS_MAX; i++) forget(&g->formulas->list[i]);
    free(g->formulas);
}

/* ----------------------------------------------------------------------------------- operands */

bool gpu_formula_operands(const map_program *program, uint64_t first, size_t vector, formula_operand *operands) {
    bool aligned = true;
    for (uint32_t k = 0; k < program->leaf_count; k++) {
        const map_leaf *leaf = &program->leaves[k];
        formula_operand *o = &operands[k];
        o->u64 = leaf->value.u64;
        if (leaf->kind == LEAF_INDEX) o->u64 += first;
        if (leaf->kind != LEAF_ARRAY) continue;
        const size_t bytes = cuda_type_bytes(leaf->dtype);
        o->array = (const char *)leaf->p + first * bytes;
        aligned = aligned && (uintptr_t)o->array % FORMULA_ALIGNMENT(vector * bytes) == 0;
    }
    return aligned;
}
