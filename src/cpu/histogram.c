/* weft_histogram on the CPU: computes the bins of a block of elements, then counts them. For even bins, a kernel does
 * both at the same time.
 *
 * Threads count in tables of their own. Each uses four tables in turn: consecutive increments of one counter depend
 * on each other, and in real data adjacent elements are often in the same bin. With too many bins for tables,
 * elements are counted directly in the result. */
#include "core/order.h"
#include "core/types.h"
#include "cpu/common/planes.h"
#include "cpu/runtime/parallel.h"

#include <string.h>

enum {
    BLOCK = 1024,            /* elements whose bins are computed before they are counted */
    TABLES = 4,              /* tables per thread, */
    TABLES_BYTES = 1 << 17,  /* if the four tables have at most this many bytes; */
    TABLE_BYTES = 1 << 21,   /* else one table, if it has at most this many bytes; else none */
    PADDING = 256,           /* bytes after the tables of a thread: caches also load lines adjacent to those in use */
    PART_ELEMENTS = 1 << 24, /* maximum elements of a work item */
    ELEMENTS_A_VALUE = 4     /* elements per value from which a table of the bins of all values pays off */
};

typedef struct plan {
    const histogram_call *call;
    const histogram_kernels *kernels;
    const copy_kernels *copies;
    bin_map map;
    size_t tables; /* tables per thread; 0: count in the result */
    size_t stride; /* counters per table */
    size_t own;    /* counters per thread, and padding */
    int threads;
    size_t part;        /* elements per work item */
    uint32_t *counters; /* tables of all threads */
} plan;

/* --------------------------------------------------------------------------------- counting */

/* Counts in four tables in turn. The last counter of a table is for elements in no bin. */
static void count_in_tables(const uint32_t *bin, size_t n, uint32_t *counters, size_t stride) {
    uint32_t *const a = counters, *const b = a + stride, *const c = b + stride, *const d = c + stride;
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        a[bin[i]]++;
        b[bin[i + 1]]++;
        c[bin[i + 2]]++;
        d[bin[i + 3]]++;
    }
    for (; i < n; i++) a[bin[i]]++;
}

static void count_in_place(const plan *p, const uint32_t *bin, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (bin[i] == p->call->bins) continue;
        if (p->threads == 1)
            p->call->counts[bin[i]]++;
        else
            __atomic_fetch_add(&p->call->counts[bin[i]], 1, __ATOMIC_RELAXED);
    }
}

static void flush(const plan *p, uint32_t *counters) {
    for (size_t i = 0; i < p->call->bins; i++) {
        uint64_t count = 0;
        for (size_t t = 0; t < p->tables; t++) count += counters[t * p->stride + i];
        if (count) __atomic_fetch_add(&p->call->counts[i], count, __ATOMIC_RELAXED);
    }
}

/* Computes the bins of at most BLOCK elements of f16 or bf16, which are converted to f32. */
static void bins_of_halves(const plan *p, const void *x, size_t n, uint32_t *bin) {
    const copy_kernels *const kernels = p->copies;
    float values[BLOCK];
    (p->call->dtype == WEFT_F16 ? kernels->widen_f16 : kernels->widen_bf16)(n, x, values);
    p->kernels->bins[WEFT_F32](&p->map, values, n, bin);
}

/* Computes the bins of at most BLOCK elements. Bits of f16 and bf16 are looked up in a table as those of u16 are. */
static void bins_of_block(const plan *p, const void *x, size_t n, uint32_t *bin) {
    const weft_dtype dtype = p->call->dtype;
    if (type_is_half(dtype) && !p->map.table)
        bins_of_halves(p, x, n, bin);
    else
        p->kernels->bins[type_is_half(dtype) ? WEFT_U16 : dtype](&p->map, x, n, bin);
}

/* Counts elements [first, end) on one thread. */
static void count_part(const plan *p, size_t first, size_t end, uint32_t *counters) {
    const size_t size = weft_dtype_size(p->call->dtype), stride = p->tables == 1 ? 0 : p->stride;
    const weft_dtype dtype = p->call->dtype;
    const char *x = (const char *)p->call->x;
    uint32_t bin[BLOCK];
    if (p->tables) memset(counters, 0, p->tables * p->stride * sizeof *counters);
    if (p->tables && !p->map.edges && !p->map.table && !type_is_half(dtype)) {
        p->kernels->count_even[dtype](&p->map.even, x + first * size, end - first, counters, stride);
        first = end;
    }
    for (size_t n; first < end; first += n) {
        n = end - first < BLOCK ? end - first : BLOCK;
        bins_of_block(p, x + first * size, n, bin);
        if (p->tables)
            count_in_tables(bin, n, counters, stride);
        else
            count_in_place(p, bin, n);
    }
    if (p->tables) flush(p, counters);
}

static void count_numbered(void *self, size_t i) {
    const plan *p = self;
    const size_t first = i * p->part, end = p->call->n - first < p->part ? p->call->n : first + p->part;
    if (first < p->call->n) count_part(p, first, end, p->counters + (size_t)cpu_thread_number() * p->own);
}

/* Counts all elements. Uses few large work items, because each clears its tables and adds them to the result. */
static void count_all(plan *p) {
    p->part = p->call->n / (size_t)p->threads + 1;
    if (p->part > PART_ELEMENTS) p->part = PART_ELEMENTS;
    memset(p->call->counts, 0, p->call->bins * sizeof *p->call->counts);
    cpu_plan_regions(1);
    cpu_parallel_for(p->threads, p->call->n / p->part + 1, PARALLEL_RANGES, count_numbered, p);
}

/* --------------------------------------------------------------------------------- the plan */

static size_t aligned(size_t bytes) { return round_up(bytes, 64); }

/* Computes the bins of all values of a 1-byte or 2-byte type. */
static void fill_table(plan *p, size_t values, uint32_t *table) {
    uint16_t block[BLOCK];
    uint8_t narrow[BLOCK];
    for (size_t first = 0; first < values; first += BLOCK) {
        const size_t n = values < BLOCK ? values : BLOCK;
        for (size_t i = 0; i < n; i++) {
            block[i] = (uint16_t)(first + i);
            narrow[i] = (uint8_t)i;
        }
        bins_of_block(p, values == 256 ? (const void *)narrow : block, n, table + first);
    }
    p->map.table = table;
}

static size_t values_of(const histogram_call *c) {
    const size_t bits = 8 * weft_dtype_size(c->dtype);
    return bits <= 16 && c->n >> bits >= ELEMENTS_A_VALUE ? (size_t)1 << bits : 0;
}

static void choose_tables(plan *p) {
    const size_t table = (p->call->bins + 1) * sizeof(uint32_t);
    p->stride = aligned(table) / sizeof(uint32_t);
    p->tables = TABLES * table <= TABLES_BYTES ? TABLES : table <= TABLE_BYTES ? 1 : 0;
    p->own = p->tables * p->stride + PADDING / sizeof(uint32_t);
}

weft_status cpu_histogram(void *state, const histogram_call *c, weft_error *error) {
    cpu_context *ctx = state;
    const weft_dtype edge_dtype = type_widened(c->dtype);
    const size_t size = weft_dtype_size(c->dtype), edge_size = weft_dtype_size(edge_dtype), values = values_of(c);
    plan p = {.call = c, .kernels = ctx->level->histograms, .copies = ctx->level->copies};
    void *workspace;
    p.map.even.bins = c->bins;
    if (!c->edges)
        p.map.even = type_is_real(c->dtype)
                         ? weft_even_bins_of_reals(c->lower_real, c->upper_real, c->bins)
                         : weft_even_bins_of_integers(c->lower_integer, c->upper_integer, c->bins, size == 8);
    p.threads = cpu_threads_for(ctx->threads, c->n * size);
    choose_tables(&p);
    const size_t keys_bytes = c->edges ? aligned((c->bins + 1) * edge_size) : 0,
                 table_bytes = values * sizeof(uint32_t);
    const size_t counters_bytes = (size_t)p.threads * p.own * sizeof(uint32_t);
    RETURN_IF_ERROR(cpu_workspace(ctx, keys_bytes + table_bytes + counters_bytes, &workspace, error));
    if (c->edges) {
        p.kernels->keys[edge_dtype](c->edges, c->bins + 1, workspace);
        p.map.edges = workspace;
    }
    if (values) fill_table(&p, values, (uint32_t *)((char *)workspace + keys_bytes));
    p.counters = (uint32_t *)((char *)workspace + keys_bytes + table_bytes);
    count_all(&p);
    return WEFT_OK;
}
