/* Vectors that are not rows, in blocks of adjacent ones. The elements of a block are read tile by tile
 * (ORDER.md 2.2): by a kernel that reduces columns, or gathered as rows. If there are few blocks, threads reduce
 * parts of them, of 2^k tiles, whose values are combined afterwards (ORDER.md 2.4). */
#include "arith/exact_variance.h"
#include "core/types.h"
#include "cpu/common/axes.h"
#include "cpu/runtime/parallel.h"

enum {
    LEVELS = 48,            /* of the tree of a part's tiles */
    COLUMN_BYTES = 1 << 12, /* most bytes of a row of a block of columns, */
    COLUMNS = 1 << 11,      /* and most columns */
    GATHERED_BYTES = 64,    /* most bytes of a row of a block of vectors that are gathered */
    SUMS = 2                /* most exact sums of a vector */
};

typedef int64_t exact_state[WEFT_EXACT_WORDS];

/* Values of a block. */
typedef struct values {
    char *columns;       /* of the kernel of columns: those of all parts */
    partial *partials;   /* the same for other reductions */
    exact_state *states; /* j->sums for each vector */
    double *parameters;  /* of the second pass */
    bool *repeats;       /* whether a vector needs one */
} values;

typedef struct blocks {
    const axes *axes;
    size_t tile, width;   /* elements of a tile; most vectors of a block */
    size_t across, count; /* blocks along the last dimension; all blocks */
    size_t at_once;       /* blocks of an item */
    size_t part, parts;   /* elements of a part; parts of a vector */
    size_t sums;          /* exact sums of a vector */
    exact_kernel *add[SUMS];
    size_t operands;    /* 2 for dot products, else 1 */
    size_t row;         /* bytes of a gathered row */
    size_t value_bytes; /* of all values of a block */
    char *shared;       /* values of all blocks, if there are several parts */
    bool again;         /* second pass */
} blocks;

/* Position of a block. */
typedef struct block {
    size_t first, width; /* its first vector; number of vectors */
} block;

static block block_at(const blocks *b, size_t number) {
    const axes *j = b->axes;
    const size_t n = j->vectors.outer_count > 0 ? j->outer[j->vectors.outer_count - 1].n : 1;
    const size_t at = number % b->across * b->width;
    return (block){number / b->across * n + at, (size_t)min_u64(n - at, b->width)};
}

/* ------------------------------------------------------------------------------------ memory */

static char *thread_memory(const blocks *b) {
    return b->axes->scratch + (size_t)cpu_thread_number() * b->axes->scratch_bytes;
}

/* Returns the values of a block: in the memory of the thread if it reduces whole blocks. */
static values values_of(const blocks *b, size_t number) {
    char *const at = b->parts > 1 ? b->shared + number * b->value_bytes : thread_memory(b);
    const size_t all = b->width * b->parts;
    values v = {.columns = at, .partials = (void *)at, .states = (void *)at};
    char *const after = at + (b->sums ? b->width * b->sums * sizeof *v.states : all * sizeof *v.partials);
    v.parameters = (void *)after;
    v.repeats = (void *)(after + b->width * sizeof *v.parameters);
    return v;
}

static size_t value_bytes(const blocks *b) {
    const size_t each = b->sums ? b->sums * sizeof(exact_state) : b->parts * sizeof(partial);
    return (size_t)round_up(b->width * (each + sizeof(double) + sizeof(bool)), CPU_ALIGNMENT);
}

/* Returns the memory of a thread that is left for the work on a part, and its size. */
static char *work_memory(const blocks *b) { return thread_memory(b) + (b->parts > 1 ? 0 : b->value_bytes); }

static size_t work_bytes(const blocks *b) {
    if (b->axes->column) return b->operands * b->tile * sizeof(char *) + LEVELS * b->width * sizeof(uint64_t);
    const size_t states = b->sums ? b->width * b->sums * sizeof(exact_state) : LEVELS * b->width * sizeof(partial);
    return b->operands * b->width * b->row + states;
}

/* ----------------------------------------------------------------------------------- columns */

/* Writes the addresses of elements first ... first + n - 1 of vector v of an operand. */
static void find_rows(const vectors *s, size_t v, size_t first, size_t n, const char **rows) {
    const char *const x = views_at(s->x, views_x(s->outer_count, s->outer, v));
    const view_dimension last = s->inner_count > 0 ? s->inner[s->inner_count - 1] : (view_dimension){1, 0, 0};
    for (size_t i = 0; i < n;) {
        const size_t at = first + i, run = (size_t)min_u64(n - i, last.n - at % last.n);
        const char *row = x + views_x(s->inner_count, s->inner, at);
        for (size_t k = 0; k < run; k++, row += last.x) rows[i++] = row;
    }
}

/* Reduces a tile of columns, elements first ... first + n - 1. */
static void reduce_columns_tile(const blocks *b, block at, size_t first, size_t n, void *values) {
    const axes *j = b->axes;
    const char **const rows = (void *)work_memory(b), **const factors = rows + b->tile;
    find_rows(&j->vectors, at.first, first, n, rows);
    if (!j->products) {
        j->column->tile(rows, n, at.width, values);
        return;
    }
    const bool repeats = j->factor.outer_count == 0 || j->factor_outer[j->factor.outer_count - 1].x == 0;
    find_rows(&j->factor, at.first, first, n, factors);
    j->products(rows, factors, repeats, n, at.width, values);
}

static void reduce_columns(const blocks *b, block at, size_t part, char *to) {
    const axes *j = b->axes;
    const column_kernel *kernel = j->column;
    char *const stack = work_memory(b) + b->operands * b->tile * sizeof(char *);
    const size_t bytes = at.width * kernel->value_bytes, end = (size_t)min_u64(j->c->n, (part + 1) * b->part);
    size_t height = 0, done = 0;
    for (size_t i = part * b->part; i < end && !cpu_cancelled(); i += b->tile, done++) {
        const size_t n = (size_t)min_u64(end - i, b->tile);
        reduce_columns_tile(b, at, i, n, stack + height++ * bytes);
        for (size_t k = 0; done >> k & 1; k++) kernel->combine(stack + (--height - 1) * bytes, 2, at.width);
    }
    while (height > 1) kernel->combine(stack + (--height - 1) * bytes, 2, at.width);
    memcpy(to + part * bytes, stack, bytes);
}

static void finish_columns(const blocks *b, block at, char *columns) {
    const axes *j = b->axes;
    uint64_t results[COLUMNS], values[COLUMNS];
    const bool rounds = j->computed != j->c->result;
    j->column->finish(columns, b->parts, at.width, j->c->n, rounds ? values : results);
    if (rounds) axes_round(j, at.width, values, results);
    axes_store(j, at.first, at.width, results);
}

/* ---------------------------------------------------------------------------------- gathered */

/* Returns the gathered row of vector i of a block, or, of dot products, that of the second operand. */
static char *gathered_row(const blocks *b, size_t i) { return work_memory(b) + i * b->row; }
static char *gathered_factor(const blocks *b, size_t i) {
    return b->operands == 2 ? gathered_row(b, b->width + i) : NULL;
}

/* Calls reduce(b, v, rows, first, n, done) for each tile of a part, of which elements first ... first + n - 1 of
 * vector v of the block are row v. `done` is the number of tiles before it. */
static size_t each_tile(const blocks *b, block at, size_t part, const values *v,
                        void (*reduce)(const blocks *b, block at, const values *v, size_t first, size_t n,
                                       size_t done)) {
    const axes *j = b->axes;
    const size_t end = (size_t)min_u64(j->c->n, (part + 1) * b->part);
    size_t done = 0;
    for (size_t i = part * b->part; i < end && !cpu_cancelled(); i += b->tile, done++) {
        const size_t n = (size_t)min_u64(end - i, b->tile);
        axes_gather(j, &j->vectors, at.first, at.width, i, n, gathered_row(b, 0), b->row);
        if (j->c->dot) axes_gather(j, &j->factor, at.first, at.width, i, n, gathered_factor(b, 0), b->row);
        reduce(b, at, v, i, n, done);
    }
    return done;
}

/* Returns the values that wait for the value of an adjacent node: those of nodes of 2^level tiles. */
static partial *waiting_at(const blocks *b, size_t level) {
    return (partial *)(void *)gathered_row(b, b->operands * b->width) + level * b->width;
}

static void reduce_tile(const blocks *b, block at, const values *v, size_t first, size_t n, size_t done) {
    const reduction *r = &b->axes->r;
    for (size_t i = 0; i < at.width; i++) {
        reduce_chunk p = reduction_chunk(r, gathered_row(b, i), n, v->parameters[i]);
        partial value;
        size_t level = 0;
        p.y = gathered_factor(b, i);
        p.first = first;
        (b->again ? r->again : r->run)(&p, &value);
        for (; done >> level & 1; level++) {
            partial both = waiting_at(b, level)[i];
            r->combine(&both, &value);
            value = both;
        }
        waiting_at(b, level)[i] = value;
    }
}

static void reduce_gathered(const blocks *b, block at, size_t part, const values *v) {
    const reduction *r = &b->axes->r;
    const size_t done = each_tile(b, at, part, v, reduce_tile);
    for (size_t i = 0; i < at.width && done > 0; i++) {
        size_t level = (size_t)__builtin_ctzll(done);
        partial value = waiting_at(b, level)[i];
        while (done >> ++level) {
            if (!(done >> level & 1)) continue;
            partial both = waiting_at(b, level)[i];
            r->combine(&both, &value);
            value = both;
        }
        v->partials[part * b->width + i] = value;
    }
}

/* Combines the values of all parts of a vector, which are b->width apart, to the first one. */
static void combine_parts(const blocks *b, partial *parts) {
    const size_t step = b->width;
    for (size_t count = b->parts; count > 1; count = (count + 1) / 2) {
        for (size_t i = 0; i < count / 2; i++) {
            partial pair = parts[2 * i * step];
            b->axes->r.combine(&pair, &parts[(2 * i + 1) * step]);
            parts[i * step] = pair;
        }
        if (count % 2) parts[count / 2 * step] = parts[(count - 1) * step];
    }
}

/* Stores the results that are final. Returns true if others are not. */
static bool finish_gathered(const blocks *b, block at, const values *v) {
    const axes *j = b->axes;
    bool any = false;
    for (size_t i = 0; i < at.width; i++) {
        uint64_t result;
        if (b->again && !v->repeats[i]) continue;
        combine_parts(b, v->partials + i);
        if (!b->again) v->repeats[i] = reduction_repeats(&j->r, j->c->n, v->partials + i, &v->parameters[i]);
        if (!b->again && v->repeats[i]) {
            any = true;
            continue;
        }
        reduction_store(&j->r, j->c->n, v->parameters[i], v->partials + i, &result);
        axes_store(j, at.first + i, 1, &result);
    }
    return any;
}

/* ------------------------------------------------------------------------------- exact sums */

static exact_state *own_states(const blocks *b) { return (void *)gathered_row(b, b->operands * b->width); }

static void add_tile(const blocks *b, block at, const values *v, size_t first, size_t n, size_t done) {
    (void)v, (void)first, (void)done;
    for (size_t i = 0; i < at.width; i++)
        for (size_t k = 0; k < b->sums; k++)
            b->add[k](gathered_row(b, i), gathered_factor(b, i), n, own_states(b)[i * b->sums + k]);
}

static void add_exactly(const blocks *b, block at, size_t part, const values *v) {
    exact_state *const own = own_states(b);
    memset(own, 0, at.width * b->sums * sizeof *own);
    each_tile(b, at, part, v, add_tile);
    for (size_t i = 0; i < at.width * b->sums; i++)
        for (size_t k = 0; k < WEFT_EXACT_WORDS; k++)
            if (own[i][k]) __atomic_fetch_add(&v->states[i][k], own[i][k], __ATOMIC_RELAXED);
}

static void finish_exactly(const blocks *b, block at, const values *v) {
    const axes *j = b->axes;
    for (size_t i = 0; i < at.width; i++) {
        uint64_t result;
        exact_call sum = j->exact;
        sum.out = &result;
        cpu_exact_finish(&sum, v->states + i * b->sums);
        axes_store(j, at.first + i, 1, &result);
    }
}

/* -------------------------------------------------------------------------------------- call */

static void begin_block(const blocks *b, const values *v) {
    if (b->axes->column) return;
    if (b->sums) memset(v->states, 0, b->width * b->sums * sizeof *v->states);
    for (size_t i = 0; i < b->width; i++) v->parameters[i] = reduction_parameter(&b->axes->r);
}

static void reduce_part(const blocks *b, size_t number, size_t part) {
    const values v = values_of(b, number);
    if (b->axes->column)
        reduce_columns(b, block_at(b, number), part, v.columns);
    else if (b->sums)
        add_exactly(b, block_at(b, number), part, &v);
    else
        reduce_gathered(b, block_at(b, number), part, &v);
}

/* Returns true if the block needs a second pass. */
static bool finish_block(const blocks *b, size_t number) {
    const values v = values_of(b, number);
    if (b->axes->column)
        finish_columns(b, block_at(b, number), v.columns);
    else if (b->sums)
        finish_exactly(b, block_at(b, number), &v);
    else
        return finish_gathered(b, block_at(b, number), &v);
    return false;
}

static void do_blocks(void *self, size_t item) {
    blocks own = *(const blocks *)self;
    const size_t end = (size_t)min_u64(own.count, (item + 1) * own.at_once);
    for (size_t number = item * own.at_once; number < end && !cpu_cancelled(); number++) {
        const values v = values_of(&own, number);
        own.again = false;
        begin_block(&own, &v);
        reduce_part(&own, number, 0);
        if (cpu_cancelled() || !finish_block(&own, number)) continue;
        own.again = true;
        reduce_part(&own, number, 0);
        if (!cpu_cancelled()) (void)finish_block(&own, number);
    }
}

static void do_part(void *self, size_t item) {
    const blocks *b = self;
    reduce_part(b, item / b->parts, item % b->parts);
}

static void run_parts(blocks *b) {
    bool repeats = true;
    cpu_plan_regions(b->axes->r.again ? 2 : 1);
    for (size_t number = 0; number < b->count; number++) {
        const values v = values_of(b, number);
        begin_block(b, &v);
    }
    for (; repeats && !cpu_cancelled(); b->again = true) {
        repeats = false;
        cpu_parallel_for(b->axes->threads, b->count * b->parts, PARALLEL_RANGES, do_part, b);
        for (size_t number = 0; number < b->count && !cpu_cancelled(); number++)
            repeats = finish_block(b, number) || repeats;
    }
}

/* Chooses the width of the blocks and the length of the parts. */
static void divide(blocks *b) {
    const axes *j = b->axes;
    const size_t dimensions = j->vectors.outer_count, n = dimensions > 0 ? j->outer[dimensions - 1].n : 1;
    const size_t most =
        j->column ? (size_t)min_u64(COLUMNS, COLUMN_BYTES / j->size) : GATHERED_BYTES / j->vectors.element;
    const size_t wanted = (size_t)j->threads * AXES_PARTS;
    b->tile = WEFT_TILE(j->size);
    b->row = b->tile * j->size + CPU_ALIGNMENT;
    b->width = (size_t)min_u64(n, most);
    b->across = (size_t)ceil_div(n, b->width);
    b->count = j->c->vectors / n * b->across;
    b->part = b->tile;
    while (b->part < j->c->n &&
           (b->count * (j->c->n / b->part) >= 2 * wanted || b->part * b->width * j->size < AXES_ITEM_BYTES))
        b->part *= 2;
    if (b->count >= wanted || j->threads == 1) b->part = j->c->n;
    b->parts = (size_t)ceil_div(j->c->n, b->part);
    b->at_once = (size_t)max_u64(1, AXES_ITEM_BYTES / (b->width * j->size) / j->c->n);
}

weft_status axes_reduce_blocks(axes *j, weft_error *error) {
    blocks b = {.axes = j, .operands = j->c->dot ? 2 : 1};
    void *workspace;
    if (j->c->exact) {
        const exact_kernels *kernels = j->ctx->level->exact;
        b.sums = j->c->variance ? 2 : 1;
        b.add[0] = kernels->add[j->exact.terms][j->c->dtype];
        b.add[1] = kernels->add[EXACT_SQUARES][j->c->dtype];
    }
    divide(&b);
    b.value_bytes = value_bytes(&b);
    j->scratch_bytes = (size_t)round_up(work_bytes(&b), CPU_ALIGNMENT) + (b.parts > 1 ? 0 : b.value_bytes);
    const size_t shared = b.parts > 1 ? b.count * b.value_bytes : 0;
    RETURN_IF_ERROR(cpu_workspace(j->ctx, shared + (size_t)j->threads * j->scratch_bytes, &workspace, error));
    b.shared = workspace;
    j->scratch = b.shared + shared;
    if (b.parts > 1) {
        run_parts(&b);
        return WEFT_OK;
    }
    cpu_plan_regions(1);
    cpu_parallel_for(j->threads, (size_t)ceil_div(b.count, b.at_once), PARALLEL_RANGES, do_blocks, &b);
    return WEFT_OK;
}
