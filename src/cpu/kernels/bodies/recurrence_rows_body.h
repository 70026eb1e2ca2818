/* Adjacent rows of at most a tile, for one type; included by recurrence_kernel_body.h.
 *
 * A block is a group in each of WIDTH lanes: the groups of WIDTH adjacent rows if a row has at most 256 elements,
 * else WIDTH adjacent groups of a row. Blocks are transposed to a workspace once; the values replace them there. */

/* Vector j contains element j of each group: u at first, finally the values in v. */
typedef struct OF(block) {
    VECTOR s[WEFT_SCAN_GROUP], v[WEFT_SCAN_GROUP];
} OF(block);

/* SEGMENT: elements of a row that are in the workspace at a time; they and the workspace fit in the L1 cache. AHEAD:
 * distance of prefetches. BLOCKS: of a segment, or of WIDTH rows of 256 elements. */
enum {
    OF(SEGMENT) = 8192 / sizeof(A),
    OF(AHEAD) = 3072 / sizeof(A),
    OF(HALF) = WIDTH < WEFT_SCAN_GROUP ? WEFT_SCAN_GROUP / 2 : 0, /* a block is also loaded from this element on */
    OF(BLOCKS) =
        OF(SEGMENT) / OF(VECTOR_ELEMENTS) > WEFT_SCAN_GROUP ? OF(SEGMENT) / OF(VECTOR_ELEMENTS) : WEFT_SCAN_GROUP
};

typedef struct OF(rows_workspace) {
    OF(block) blocks[OF(BLOCKS)];
    A s[RECURRENCE_BLOCK], u[RECURRENCE_BLOCK];           /* maps of the groups */
    A block_s[WEFT_SCAN_GROUP], block_u[WEFT_SCAN_GROUP]; /* maps of the row's blocks of 256 elements */
    A before[RECURRENCE_BLOCK];                           /* values before the groups */
    A tail[WEFT_SCAN_GROUP];
    A out[VECTOR_BYTES / sizeof(A) + WIDTH * RECURRENCE_BLOCK];
} OF(rows_workspace);

/* ------------------------------------------------------------------------------------ blocks */

/* Transposes groups that are `stride` elements apart, one per lane, from element `first` of each on. Each load
 * instruction reads addresses at a constant distance, and the lines of a group in order, so that the hardware can
 * prefetch. Prefetches the elements that are `ahead` elements later in memory, if it is not 0. */
INLINE void OF(load_lanes)(bool reverse, size_t first, const A *x, ptrdiff_t stride, ptrdiff_t ahead, VECTOR *to) {
    const size_t begin = reverse ? 0 : first, end = reverse ? WEFT_SCAN_GROUP - first : WEFT_SCAN_GROUP;
    VECTOR v[WEFT_SCAN_GROUP];
#pragma GCC unroll 16
    for (size_t l = 0; l < WIDTH; l++)
#pragma GCC unroll 8
        for (size_t i = begin; i < end; i += WIDTH) {
            const A *const from = x + (ptrdiff_t)l * stride + (ptrdiff_t)i - (reverse ? WEFT_SCAN_GROUP - 1 : 0);
            memcpy(&v[i + l], from, sizeof(VECTOR));
            if (ahead) __builtin_prefetch((const void *)((uintptr_t)from + (uintptr_t)ahead * sizeof(A)));
        }
#pragma GCC unroll 8
    for (size_t i = begin; i < end; i += WIDTH) OF(transpose)(v + i);
#pragma GCC unroll 16
    for (size_t i = begin; i < end; i++) to[reverse ? WEFT_SCAN_GROUP - 1 - i : i] = v[i];
}

/* Loads a block from groups that are `stride` elements apart. Functions on blocks are not inlined, because GCC would
 * then compute the addresses of all of them first and spill them. */
NOINLINE void OF(load_block)(bool reverse, const A *s, const A *u, ptrdiff_t stride, ptrdiff_t ahead, OF(block) * b) {
    OF(load_lanes)(reverse, 0, s, stride, ahead, b->s);
    OF(load_lanes)(reverse, 0, u, stride, ahead, b->v);
}

/* Loads the second half of a block. A vector has at most half a group. */
NOINLINE void OF(load_half)(bool reverse, const A *s, const A *u, ptrdiff_t stride, OF(block) * b) {
    OF(load_lanes)(reverse, OF(HALF), s, stride, 0, b->s);
    OF(load_lanes)(reverse, OF(HALF), u, stride, 0, b->v);
}

/* Stores the elements of a block from number `begin` on. */
NOINLINE void OF(store_block)(bool reverse, size_t begin, const OF(block) * b, ptrdiff_t stride, A *to) {
#pragma GCC unroll 1
    for (size_t first = begin; first < WEFT_SCAN_GROUP; first += WIDTH) {
        VECTOR x[WIDTH];
#pragma GCC unroll 16
        for (size_t i = 0; i < WIDTH; i++) x[i] = b->v[first + (reverse ? WIDTH - 1 - i : i)];
        OF(store_groups)(reverse, x, stride, first, to);
    }
}

/* Computes the maps of `count` blocks. */
INLINE void OF(maps_of_blocks)(size_t count, const OF(block) * b, VECTOR *product, VECTOR *value) {
#pragma GCC unroll 4
    for (size_t k = 0; k < count; k++) product[k] = (VECTOR){0} + 1, value[k] = (VECTOR){0};
#pragma GCC unroll 1
    for (size_t j = 0; j < WEFT_SCAN_GROUP; j++)
#pragma GCC unroll 4
        for (size_t k = 0; k < count; k++) {
            product[k] *= b[k].s[j];
            value[k] = FUSED_LANES(b[k].s[j], value[k], b[k].v[j]);
        }
#pragma GCC unroll 4
    for (size_t k = 0; k < count; k++) product[k] = (VECTOR)((LANES)(product[k] == product[k]) & (LANES)product[k]);
}

/* Canonicalizes the NaNs of a block. */
NOINLINE void OF(canonicalize_block)(OF(block) * b) {
    for (size_t j = 0; j < WEFT_SCAN_GROUP; j++)
        for (size_t l = 0; l < WIDTH; l++) b->v[j][l] = CANONICAL(b->v[j][l]);
}

/* Computes the values of `count` blocks, from element `first` on, from the values before it. */
INLINE void OF(values_of_blocks)(size_t count, size_t first, OF(block) * b, VECTOR *value) {
#pragma GCC unroll 1
    for (size_t j = first; j < WEFT_SCAN_GROUP; j++)
#pragma GCC unroll 4
        for (size_t k = 0; k < count; k++) {
            value[k] = FUSED_LANES(b[k].s[j], value[k], b[k].v[j]);
            b[k].v[j] = value[k];
        }
    for (size_t k = 0; k < count; k++)
        if (OF(any)((LANES)(value[k] != value[k]))) OF(canonicalize_block)(&b[k]);
}

/* ------------------------------------------------------------------------- rows of many groups */

/* A part of row number `row`: `count` elements from element `first` on, which is a multiple of 256. */
typedef struct OF(segment) {
    size_t row, first, count;
    bool last; /* of the row */
} OF(segment);

/* Returns the segment at `first`: of at most SEGMENT elements, and followed by none or by at least 256. */
INLINE OF(segment) OF(segment_at)(size_t n, size_t row, size_t first) {
    const size_t left = n - first, most = OF(SEGMENT);
    const size_t count = left <= most ? left : left < most + RECURRENCE_BLOCK ? most - RECURRENCE_BLOCK : most;
    return (OF(segment)){row, first, count, count == left};
}

INLINE OF(segment) OF(segment_after)(size_t n, const OF(segment) * x) {
    return OF(segment_at)(n, x->last ? x->row + 1 : x->row, x->last ? 0 : x->first + x->count);
}

/* Returns the offset of a segment's first element in the order of the recurrence. */
INLINE ptrdiff_t OF(offset)(bool reverse, size_t n, const OF(segment) * x) {
    return (ptrdiff_t)(x->row * n) + (reverse ? (ptrdiff_t)(n - 1 - x->first) : (ptrdiff_t)x->first);
}

INLINE size_t OF(blocks_in)(const OF(segment) * x) { return (x->count / WEFT_SCAN_GROUP + WIDTH - 1) / WIDTH; }

/* Returns the first group of block `number` of a segment. The last block overlaps the one before it, so that it is
 * full. */
INLINE size_t OF(first_group)(const OF(segment) * x, size_t number) {
    const size_t groups = x->count / WEFT_SCAN_GROUP;
    return (number + 1) * WIDTH <= groups ? number * WIDTH : groups - WIDTH;
}

/* Stores the values before the groups of a segment in the order of the groups. */
INLINE void OF(line_up)(size_t groups, A (*before)[WEFT_SCAN_GROUP], A *to) {
    for (size_t b = 0; b * WEFT_SCAN_GROUP < groups; b += WIDTH)
        for (size_t g = 0; g < WEFT_SCAN_GROUP; g += WIDTH) {
            VECTOR v[WIDTH];
#pragma GCC unroll 16
            for (size_t i = 0; i < WIDTH; i++) memcpy(&v[i], &before[g + i][b], sizeof v[i]);
            OF(transpose)(v);
#pragma GCC unroll 16
            for (size_t l = 0; l < WIDTH; l++) memcpy(to + (b + l) * WEFT_SCAN_GROUP + g, &v[l], sizeof v[l]);
        }
}

/* Computes the maps of block `number`. */
NOINLINE void OF(recurrence_maps_of_segment)(const OF(segment) * x, size_t number, OF(rows_workspace) * w) {
    VECTOR product, value;
    OF(maps_of_blocks)(1, w->blocks + number, &product, &value);
    memcpy(w->s + OF(first_group)(x, number), &product, sizeof product);
    memcpy(w->u + OF(first_group)(x, number), &value, sizeof value);
}

NOINLINE void OF(recurrence_values_of_segment)(const OF(segment) * x, size_t number, OF(rows_workspace) * w) {
    VECTOR value;
    memcpy(&value, w->before + OF(first_group)(x, number), sizeof value);
    OF(values_of_blocks)(1, 0, w->blocks + number, &value);
}

/* Gives every lane a defined value. */
INLINE void OF(clear_maps)(OF(rows_workspace) * w) {
    memset(w->s, 0, sizeof w->s);
    memset(w->u, 0, sizeof w->u);
    memset(w->block_s, 0, sizeof w->block_s);
    memset(w->block_u, 0, sizeof w->block_u);
}

/* Computes the values before the groups of a segment from the maps of the groups. */
NOINLINE void OF(recurrence_before_segment)(const OF(segment) * x, A init, OF(rows_workspace) * w) {
    const size_t needed = x->last ? (x->count - 1) / WEFT_SCAN_GROUP : x->count / WEFT_SCAN_GROUP;
    const size_t blocks = needed / WEFT_SCAN_GROUP + x->last, first = x->first / RECURRENCE_BLOCK;
    A s[WEFT_SCAN_GROUP][WEFT_SCAN_GROUP], u[WEFT_SCAN_GROUP][WEFT_SCAN_GROUP];
    A before[WEFT_SCAN_GROUP][WEFT_SCAN_GROUP], line_s[WEFT_SCAN_GROUP], line_u[WEFT_SCAN_GROUP];
    OF(recurrence_scan_columns)(w->s, w->u, s, u, blocks);
    for (size_t b = 0; b < needed / WEFT_SCAN_GROUP; b++) {
        w->block_s[first + b] = s[WEFT_SCAN_GROUP - 1][b];
        w->block_u[first + b] = u[WEFT_SCAN_GROUP - 1][b];
    }
    memcpy(line_s, w->block_s, sizeof line_s);
    memcpy(line_u, w->block_u, sizeof line_u);
    OF(scan_line)(line_s, line_u, first + needed / WEFT_SCAN_GROUP);
    for (size_t b = 0; b < WEFT_SCAN_GROUP; b++) before[0][b] = init;
    for (size_t b = first == 0; b < blocks; b++)
        before[0][b] = OF(apply)(line_s[first + b - 1], line_u[first + b - 1], init);
    OF(spread_before)(&s[0][0], &u[0][0], WEFT_SCAN_GROUP, blocks, before);
    OF(line_up)(blocks * WEFT_SCAN_GROUP, before, w->before);
}

/* Computes the last values of a row, less than a group. */
INLINE void OF(run_tail)(bool reverse, const OF(segment) * x, const A *s, const A *u, OF(rows_workspace) * w) {
    const size_t groups = x->count / WEFT_SCAN_GROUP, rest = x->count % WEFT_SCAN_GROUP;
    const ptrdiff_t at = OF(at)(reverse, groups * WEFT_SCAN_GROUP);
    OF(run_groups)
    (reverse, 1, rest, s + at, u + at, w->before + groups, 0, reverse ? w->tail + WEFT_SCAN_GROUP - 1 : w->tail);
}

INLINE void OF(put)(size_t count, const A *values, stream *out) {
    memcpy(stream_address(out), values, count * sizeof(A));
    stream_put(out, count * sizeof(A));
}

/* Writes the groups of block `number` that the block before it does not contain. */
INLINE void OF(put_block)(bool reverse, const OF(segment) * x, size_t number, const OF(block) * b, stream *out) {
    A v[OF(VECTOR_ELEMENTS)];
    const size_t done = number * WIDTH - OF(first_group)(x, number), last = OF(VECTOR_ELEMENTS) - 1;
    A *const to = done ? v : stream_address(out);
    OF(store_block)(reverse, 0, b, OF(at)(reverse, WEFT_SCAN_GROUP), reverse ? to + last : to);
    if (done)
        OF(put)((WIDTH - done) * WEFT_SCAN_GROUP, reverse ? v : v + done * WEFT_SCAN_GROUP, out);
    else
        stream_put(out, sizeof v);
}

/* Loads block `number` of a segment, whose first elements are at s and u, and computes its maps. */
INLINE void OF(take_block)(bool reverse, const OF(segment) * x, size_t number, const A *s, const A *u,
                           ptrdiff_t ahead, OF(rows_workspace) * w) {
    const ptrdiff_t at = OF(at)(reverse, OF(first_group)(x, number) * WEFT_SCAN_GROUP);
    OF(load_block)(reverse, s + at, u + at, OF(at)(reverse, WEFT_SCAN_GROUP), ahead, &w->blocks[number]);
    OF(recurrence_maps_of_segment)(x, number, w);
}

/* Computes the values of a segment, whose first value is at v, and writes them. Loads the next segment, unless it is
 * NULL, block by block after the values have left the workspace: memory is read and written at an even rate. With
 * `out`, which must be at the segment's first address, stores are nontemporal and in the order of the addresses. */
INLINE void OF(exchange)(bool reverse, const OF(segment) * x, A *v, stream *out, const OF(segment) * next, const A *s,
                         const A *u, OF(rows_workspace) * w) {
    const size_t rest = x->count % WEFT_SCAN_GROUP, blocks = OF(blocks_in)(x),
                 loaded = next ? OF(blocks_in)(next) : 0;
    const A *const tail = reverse ? w->tail + WEFT_SCAN_GROUP - rest : w->tail;
    const ptrdiff_t ahead = out ? OF(at)(reverse, OF(AHEAD)) : 0;
    if (out && reverse) OF(put)(rest, tail, out);
    for (size_t i = 0; i < (blocks > loaded ? blocks : loaded); i++) {
        const size_t number = reverse && i < blocks ? blocks - 1 - i : i;
        const ptrdiff_t at = i < blocks ? OF(at)(reverse, OF(first_group)(x, number) * WEFT_SCAN_GROUP) : 0;
        if (i < blocks) OF(recurrence_values_of_segment)(x, number, w);
        if (i < blocks && out) OF(put_block)(reverse, x, number, &w->blocks[number], out);
        if (i < blocks && !out)
            OF(store_block)(reverse, 0, &w->blocks[number], OF(at)(reverse, WEFT_SCAN_GROUP), v + at);
        if (number < loaded) OF(take_block)(reverse, next, number, s, u, ahead, w);
    }
    if (out && !reverse) OF(put)(rest, tail, out);
    if (!out) memcpy(reverse ? v - (x->count - 1) : v + x->count - rest, tail, rest * sizeof(A));
}

/* Computes rows of more than 256 elements. */
INLINE void OF(long_rows)(bool reverse, const recurrence_rows *r, OF(rows_workspace) * w) {
    const size_t n = r->n;
    const A *const s = r->s, *const u = r->u, *const init = r->init;
    A *const v = r->v;
    OF(segment) x = OF(segment_at)(n, 0, 0);
    stream out;
    OF(clear_maps)(w);
    for (size_t i = 0; i < OF(blocks_in)(&x); i++)
        OF(take_block)(reverse, &x, i, s + OF(offset)(reverse, n, &x), u + OF(offset)(reverse, n, &x), 0, w);
    if (r->streams && !reverse) stream_begin(&out, v);
    while (x.row < r->rows) {
        const OF(segment) next = OF(segment_after)(n, &x);
        const ptrdiff_t at = OF(offset)(reverse, n, &x), then = OF(offset)(reverse, n, &next);
        OF(recurrence_before_segment)(&x, init ? init[x.row] : 0, w);
        if (x.last) OF(run_tail)(reverse, &x, s + at, u + at, w);
        if (r->streams && reverse) stream_begin(&out, v + at - (x.count - 1));
        OF(exchange)
        (reverse, &x, v + at, r->streams ? &out : NULL, next.row < r->rows ? &next : NULL, s + then, u + then, w);
        if (r->streams && reverse) stream_flush(&out);
        x = next;
    }
    if (r->streams && !reverse) stream_flush(&out);
}

/* -------------------------------------------------------------------------- rows of few groups */

/* Scans `count` maps of each lane. Returns false if an exception of `then` may apply. */
INLINE bool OF(scan_lanes)(size_t count, VECTOR *s, VECTOR *u) {
    VECTOR zeros = {0};
    for (size_t w = 1; w < count; w *= 2)
        for (size_t g = count; g-- > w;) {
            u[g] = FUSED_LANES(s[g], u[g - w], u[g]);
            s[g] *= s[g - w];
        }
    for (size_t g = 0; g < count; g++) zeros += s[g] * 0;
    return !OF(any)((LANES)(zeros != zeros));
}

NOINLINE void OF(recurrence_maps_of_rows)(size_t count, const OF(block) * b, VECTOR *s, VECTOR *u) {
    size_t g = 0;
    for (; g + 4 <= count; g += 4) OF(maps_of_blocks)(4, b + g, s + g, u + g);
    for (; g < count; g++) OF(maps_of_blocks)(1, b + g, s + g, u + g);
}

/* Computes the values before the groups 0 .. needed of WIDTH rows. */
NOINLINE void OF(recurrence_before_groups)(size_t needed, const OF(block) * b, VECTOR init, VECTOR *before) {
    VECTOR s[WEFT_SCAN_GROUP], u[WEFT_SCAN_GROUP];
    OF(recurrence_maps_of_rows)(needed, b, s, u);
    if (!OF(scan_lanes)(needed, s, u)) {
        OF(recurrence_maps_of_rows)(needed, b, s, u);
        for (size_t w = 1; w < needed; w *= 2)
            for (size_t g = needed; g-- > w;) OF(then)(s[g - w], u[g - w], &s[g], &u[g]);
    }
    before[0] = init;
    for (size_t g = 0; g < needed; g++) {
        const LANES stays = (LANES)(init == 0) & ((LANES)(s[g] == INFINITE) | (LANES)(s[g] == -INFINITE));
        before[g + 1] = OF(select)(stays, u[g], FUSED_LANES(s[g], init, u[g]));
    }
}

/* Values of rows that have been computed but not written: `bytes` bytes from `from` on belong at `to`. */
typedef struct OF(pending) {
    char *to;
    const char *from;
    size_t bytes;
} OF(pending);

/* Returns the offset of share `number` of `shares`, of whole vectors. */
INLINE size_t OF(share)(const OF(pending) * x, size_t number, size_t shares) {
    if (number == shares) return x->bytes;
    const size_t at = x->bytes * number / shares, beyond = ((uintptr_t)x->to + at) % VECTOR_BYTES;
    return at < beyond ? 0 : at - beyond;
}

/* Writes share `number` of `shares` with nontemporal stores. */
INLINE void OF(write_share)(const OF(pending) * x, size_t number, size_t shares) {
    const size_t first = OF(share)(x, number, shares), end = OF(share)(x, number + 1, shares);
    stream_copy(x->to + first, x->from + first, end - first);
}

/* Prefetches share `number` of `shares` of `count` elements that start `count` elements after x, in the order of the
 * addresses. */
INLINE void OF(prefetch_share)(const A *x, size_t count, size_t number, size_t shares) {
    enum { LINE = 64 };
    const uintptr_t first = (uintptr_t)x + count * sizeof(A), bytes = count * sizeof(A);
    const uintptr_t end = first + bytes * (number + 1) / shares;
    for (uintptr_t line = first + bytes * number / shares; line < end; line += LINE)
        __builtin_prefetch((const void *)line);
}

/* Returns the offset of block `number` of a row. The last block contains the last 16 elements. */
INLINE ptrdiff_t OF(block_offset)(bool reverse, size_t n, size_t number) {
    const bool full = (number + 1) * WEFT_SCAN_GROUP <= n;
    return OF(at)(reverse, full ? number * WEFT_SCAN_GROUP : n - WEFT_SCAN_GROUP);
}

/* Returns the first element of the last block that is loaded. Fewer than 16 of them may be in no other block. */
INLINE size_t OF(last_begin)(size_t n) {
    const size_t own = (n - 1) % WEFT_SCAN_GROUP + 1;
    return own <= OF(HALF) ? OF(HALF) : 0;
}

/* Computes the values of WIDTH rows of 16 to 256 elements in the workspace, from their blocks. */
INLINE void OF(values_of_rows)(size_t n, const A *init, OF(block) * b) {
    const size_t groups = n / WEFT_SCAN_GROUP, rest = n % WEFT_SCAN_GROUP, needed = (n - 1) / WEFT_SCAN_GROUP;
    VECTOR start = {0}, before[WEFT_SCAN_GROUP];
    if (init) memcpy(&start, init, sizeof start);
    OF(recurrence_before_groups)(needed, b, start, before);
    size_t g = 0;
    for (; g + 4 <= groups; g += 4) OF(values_of_blocks)(4, 0, b + g, before + g);
    for (; g < groups; g++) OF(values_of_blocks)(1, 0, b + g, before + g);
    if (rest == 0) return;
    for (size_t j = OF(last_begin)(n); j < WEFT_SCAN_GROUP - rest; j++) b[groups].v[j] = b[groups - 1].v[j + rest];
    OF(values_of_blocks)(1, WEFT_SCAN_GROUP - rest, b + groups, before + groups);
}

/* Computes rows of 16 to 256 elements, WIDTH at a time. With `streams`, writes the values of WIDTH rows while it
 * loads the next ones. */
INLINE void OF(short_rows)(bool reverse, const recurrence_rows *r, OF(rows_workspace) * w) {
    const size_t n = r->n, blocks = (n + WEFT_SCAN_GROUP - 1) / WEFT_SCAN_GROUP, from = reverse ? n - 1 : 0;
    const size_t last_begin = OF(last_begin)(n);
    const A *s = r->s, *u = r->u, *init = r->init;
    A *v = r->v;
    OF(pending) pending = {(char *)v, (const char *)w->out, 0};
    for (size_t row = 0; row + WIDTH <= r->rows; row += WIDTH, s += WIDTH * n, u += WIDTH * n, v += WIDTH * n) {
        A *const to = r->streams ? w->out + (uintptr_t)v % VECTOR_BYTES / sizeof(A) : v;
        for (size_t i = 0; i < blocks; i++) {
            const ptrdiff_t at = (ptrdiff_t)from + OF(block_offset)(reverse, n, i);
            if (last_begin > 0 && i == blocks - 1)
                OF(load_half)(reverse, s + at, u + at, (ptrdiff_t)n, &w->blocks[i]);
            else
                OF(load_block)(reverse, s + at, u + at, (ptrdiff_t)n, 0, &w->blocks[i]);
            if (r->streams) OF(prefetch_share)(s, WIDTH * n, i, blocks);
            if (r->streams) OF(prefetch_share)(u, WIDTH * n, i, blocks);
            if (pending.bytes) OF(write_share)(&pending, i, blocks);
        }
        OF(values_of_rows)(n, init ? init + row : NULL, w->blocks);
        for (size_t i = 0; i < blocks; i++) OF(store_block)
        (reverse, i == blocks - 1 ? last_begin : 0, &w->blocks[i], (ptrdiff_t)n,
         to + from + OF(block_offset)(reverse, n, i));
        if (r->streams) pending = (OF(pending)){(char *)v, (const char *)to, WIDTH * n * sizeof(A)};
    }
    OF(write_share)(&pending, 0, 1);
}

/* Computes rows of at most 16 elements. */
INLINE void OF(single_groups)(bool reverse, const recurrence_rows *r) {
    const A *s = r->s, *u = r->u, *init = r->init;
    const A zero = 0;
    A *v = r->v;
    const size_t n = r->n, from = reverse ? n - 1 : 0;
    for (size_t row = 0; row < r->rows; row++, s += n, u += n, v += n)
        OF(run_groups)(reverse, 1, n, s + from, u + from, init ? init + row : &zero, 0, v + from);
}

INLINE size_t OF(rows)(bool reverse, const recurrence_rows *r) {
    OF(rows_workspace) w;
    if (r->n <= WEFT_SCAN_GROUP)
        OF(single_groups)(reverse, r);
    else if (r->n <= RECURRENCE_BLOCK)
        OF(short_rows)(reverse, r, &w);
    else
        OF(long_rows)(reverse, r, &w);
    return r->n <= WEFT_SCAN_GROUP || r->n > RECURRENCE_BLOCK ? r->rows : r->rows / WIDTH * WIDTH;
}
