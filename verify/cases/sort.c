/* weft_sort, weft_sort_pairs and weft_sort_bits, selected by the parameter. The order, the size of values, the bits,
 * and whether the outputs are the inputs vary with match_case.turn. The output contains the sorted keys, then the
 * values. */
#include "core/byte_order.h"
#include "core/types.h"
#include "verify/match.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS, KEYS_DOWN, PAIRS, BITS, PARAMETERS };

static const size_t VALUE_BYTES[] = {4, 8, 1, 16, 2};

/* Arguments that vary with match_case.turn. */
typedef struct variant {
    weft_order_of_sort order;
    unsigned first_bit, bits;
    size_t value_bytes; /* 0: no values */
    bool keys_in_place, values_in_place;
} variant;

static variant variant_of(const match_case *c) {
    const uint64_t r = input_random(c->turn, (uint64_t)c->parameter);
    const unsigned all = 8 * (unsigned)weft_dtype_size(c->dtype);
    variant v = {.bits = all, .keys_in_place = r >> 1 & 1, .values_in_place = r >> 2 & 1};
    v.order = c->parameter == KEYS_DOWN || (c->parameter > KEYS_DOWN && (r & 1)) ? WEFT_DESCENDING : WEFT_ASCENDING;
    if (c->parameter == PAIRS || (c->parameter == BITS && (r >> 3 & 1))) v.value_bytes = VALUE_BYTES[(r >> 8) % 5];
    if (c->parameter == BITS) {
        v.first_bit = (unsigned)(r >> 16) % (all + 1);
        v.bits = (unsigned)(r >> 24) % (all - v.first_bit + 1);
        if (r >> 32 & 1) v.bits = all - v.first_bit; /* including the sign */
    }
    return v;
}

/* Returns the alignment of keys and values in the output, in bytes. */
static size_t unit(const match_case *c) {
    const size_t size = weft_dtype_size(c->dtype), value_bytes = variant_of(c).value_bytes;
    return value_bytes > size ? value_bytes : size;
}

static size_t units(const match_case *c, size_t bytes) { return ceil_div(bytes, unit(c)); }

static size_t values_of_output(const match_case *c) {
    return units(c, c->n * weft_dtype_size(c->dtype)) + units(c, c->n * variant_of(c).value_bytes);
}

static size_t out_bytes(const match_case *c) {
    const bool is_float = type_is_real(c->dtype);
    return c->parameter == BITS && is_float ? 0 : unit(c);
}

static size_t parts(const match_case *c, const void *out, match_part parts[MATCH_PARTS]) {
    const size_t size = weft_dtype_size(c->dtype), bytes = variant_of(c).value_bytes;
    const size_t word = min_u64(bytes, sizeof(uint64_t)); /* values of 16 bytes are two numbers */
    (void)out;
    parts[0] = (match_part){0, size, c->n};
    if (bytes) parts[1] = (match_part){units(c, c->n * size) * unit(c), word, c->n * (bytes / word)};
    return bytes ? 2 : 1;
}

/* Returns values that identify their original position, as far as their size allows. The caller must free them. */
static unsigned char *make_values(size_t n, size_t bytes) {
    unsigned char *values = malloc(n * bytes + 16);
    for (size_t i = 0; values && i < n; i++) {
        const uint64_t halves[2] = {input_random(71, i), i};
        if (bytes > sizeof *halves)
            memcpy(values + i * bytes, halves, bytes);
        else if (bytes > 0)
            bits_store(values + i * bytes, bytes, *halves);
    }
    return values;
}

static weft_status run(const match_case *c, weft_context *ctx, const variant *v, const void *keys, const void *values,
                       void *keys_out, void *values_out) {
    if (c->parameter == BITS)
        return weft_sort_bits(ctx, v->order, c->dtype, v->first_bit, v->bits, c->n, keys, v->value_bytes, values,
                              keys_out, values_out);
    if (c->parameter == PAIRS)
        return weft_sort_pairs(ctx, v->order, c->dtype, c->n, keys, v->value_bytes, values, keys_out, values_out);
    return weft_sort(ctx, v->order, c->dtype, c->n, keys, keys_out);
}

/* In place, keys or values are first copied to the output, since the inputs are used again. */
static weft_status call(const match_case *c, weft_context *ctx, const void *const *inputs, void *out) {
    const variant v = variant_of(c);
    const size_t bytes = c->n * weft_dtype_size(c->dtype);
    const void *keys = inputs[0], *values = NULL;
    void *const values_out = (char *)out + units(c, bytes) * unit(c);
    unsigned char *made = make_values(c->n, v.value_bytes);
    weft_status status = made ? WEFT_OK : WEFT_OUT_OF_MEMORY;
    values = made;
    if (status == WEFT_OK && v.keys_in_place) {
        status = weft_copy(ctx, bytes, keys, out);
        keys = out;
    }
    if (status == WEFT_OK && v.values_in_place) {
        status = weft_copy(ctx, c->n * v.value_bytes, values, values_out);
        values = values_out;
    }
    if (status == WEFT_OK) status = run(c, ctx, &v, keys, values, out, values_out);
    if (status == WEFT_OK) status = weft_synchronize(ctx);
    free(made);
    return status;
}

static void tell(const match_case *c, char text[100]) {
    const variant v = variant_of(c);
    snprintf(text, 100, "%s, values of %zu bytes, bits %u from %u on%s%s",
             v.order == WEFT_DESCENDING ? "descending" : "ascending", v.value_bytes, v.bits, v.first_bit,
             v.keys_in_place ? ", keys in place" : "", v.values_in_place ? ", values in place" : "");
}

const match_shape match_sort = {.inputs = 1,
                                .parameters = PARAMETERS,
                                .accumulates = 1,
                                .halves = true,
                                .values = values_of_output,
                                .out_bytes = out_bytes,
                                .parts = parts,
                                .call = call,
                                .tell = tell};
