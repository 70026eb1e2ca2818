/* Writes the header of a .npy file, and parses the dictionary of a .npy header by recursive descent. The parser is
 * strict: it requires each of the three keys exactly once, allows no other key, and allows only spaces after the
 * closing brace. */
#include "cli/io/npy/npy_header.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool npy_fail(npy_error *error, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return false;
}

typedef struct parser {
    const char *start, *at, *end;
    npy_error *error;
} parser;

static bool expected(const parser *p, const char *what) {
    return npy_fail(p->error, "the header is malformed: expected %s at character %zu", what,
                    (size_t)(p->at - p->start));
}

static void skip_space(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) p->at++;
}

/* Consumes the character `c` if it is next. */
static bool take(parser *p, char c) {
    skip_space(p);
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

/* Consumes the word if it is next. */
static bool take_word(parser *p, const char *word) {
    skip_space(p);
    const size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
    p->at += length;
    return true;
}

/* Parses a string in single or double quotes. NumPy does not write escape sequences, and they are not supported. */
static bool parse_string(parser *p, char *out, size_t size) {
    skip_space(p);
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"')) return expected(p, "a quoted string");
    const char quote = *p->at++;
    const char *close = memchr(p->at, quote, (size_t)(p->end - p->at));
    if (!close || (size_t)(close - p->at) >= size) return expected(p, "a short string and its closing quote");
    for (const char *c = p->at; c < close; c++)
        if (*c < ' ' || *c > '~' || *c == '\\') return expected(p, "a string of plain characters");
    memcpy(out, p->at, (size_t)(close - p->at));
    out[close - p->at] = '\0';
    p->at = close + 1;
    return true;
}

/* ----------------------------------------------------------------------------------- descr */

/* Type codes in the order of weft_dtype, then other spellings. */
static const struct {
    const char *npy;
    weft_dtype dtype;
} TYPES[] = {
#define TYPE(ID, name, ctype, kind, npy) {npy, WEFT_##ID},
#include "core/types.def"
    {"b1", WEFT_U8},
#define HALF(ID, name, npy) {npy, WEFT_##ID},
#include "core/halves.def"
};

/* Codes of complex types, with the type of their parts. */
static const struct {
    const char *npy;
    weft_dtype part;
} COMPLEX_TYPES[] = {{"c8", WEFT_F32}, {"c16", WEFT_F64}};

static bool read_complex(const char *descr, npy_header *header) {
    for (size_t i = 0; i < sizeof COMPLEX_TYPES / sizeof *COMPLEX_TYPES; i++) {
        if (!strchr("<>=", descr[0]) || strcmp(descr + 1, COMPLEX_TYPES[i].npy) != 0) continue;
        header->dtype = COMPLEX_TYPES[i].part;
        header->is_complex = true;
        snprintf(header->descr, sizeof header->descr, "%.7s", descr);
        header->swapped = descr[0] != '=' && descr[0] != NPY_NATIVE;
        return true;
    }
    return false;
}

static bool parse_descr(parser *p, npy_header *header) {
    char descr[64] = "";
    skip_space(p);
    if (p->at < p->end && (*p->at == '[' || *p->at == '('))
        return npy_fail(p->error,
                        "elements of a structured dtype are not supported: save each field as its own array");
    if (!parse_string(p, descr, sizeof descr)) return false;
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++) {
        if (!*descr || strcmp(descr + 1, TYPES[i].npy) != 0) continue;
        const bool one_byte = weft_dtype_size(TYPES[i].dtype) == 1;
        if (!strchr(one_byte ? "|<>=" : "<>=", descr[0])) continue;
        header->dtype = TYPES[i].dtype;
        header->swapped = !one_byte && descr[0] != '=' && descr[0] != NPY_NATIVE;
        return true;
    }
    if (*descr && read_complex(descr, header)) return true;
    return npy_fail(p->error,
                    "elements of dtype \"%s\" are not supported: expected i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 b1 or V2",
                    descr);
}

/* ----------------------------------------------------------------------------------- shape */

/* Parses one dimension: digits, optionally followed by Python 2's L. */
static bool parse_dimension(parser *p, size_t *dimension) {
    const char *first = p->at;
    const bool negative = take(p, '-');
    size_t value = 0;
    bool overflow = false, any = false;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++, any = true)
        overflow |= __builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *p->at - '0', &value);
    if (!any) return expected(p, "a dimension");
    const int shown = (int)(p->at - first > 40 ? 40 : p->at - first);
    if (negative) return npy_fail(p->error, "the shape has a negative dimension, %.*s", shown, first);
    if (overflow) return npy_fail(p->error, "the dimension %.*s of the shape is too large", shown, first);
    if (p->at < p->end && *p->at == 'L') p->at++;
    *dimension = value;
    return true;
}

/* Parses the dimensions in parentheses. Those beyond NPY_RANK are counted but not stored. The product of the
 * dimensions times the size of any element must fit in memory, even if another dimension is 0; otherwise the file is
 * invalid. */
static bool parse_shape(parser *p, npy_header *header) {
    if (!take(p, '(')) return expected(p, "the shape, a tuple,");
    size_t product = 1;
    bool zero = false, comma = true;
    size_t rank = 0;
    while (!take(p, ')')) {
        size_t dimension = 0;
        if (!comma) return expected(p, "a comma or ) in the shape");
        skip_space(p);
        if (!parse_dimension(p, &dimension)) return false;
        if (dimension == 0)
            zero = true;
        else if (__builtin_mul_overflow(product, dimension, &product) || product > PTRDIFF_MAX / (2 * sizeof(double)))
            return npy_fail(p->error, "the elements of the shape do not fit in memory (dimension %zu of it is %zu)",
                            rank + 1, dimension);
        comma = take(p, ',');
        if (rank < NPY_RANK) header->shape.dimensions[rank] = dimension;
        rank++;
    }
    if (rank == 1 && !comma) return expected(p, "a comma after the only dimension of the shape before here,");
    header->shape.rank = rank;
    header->n = zero ? 0 : product;
    return true;
}

/* ------------------------------------------------------------------------------ dictionary */

/* Parses the value of fortran_order. It does not change results, since elements are processed in memory order. */
static bool parse_order(parser *p, npy_header *header) {
    header->fortran = take_word(p, "True");
    return header->fortran || take_word(p, "False") || expected(p, "True or False for 'fortran_order'");
}

enum { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
static const char *const KEY_NAMES[KEYS] = {"descr", "fortran_order", "shape"};

static bool parse_item(parser *p, npy_header *header, bool seen[KEYS]) {
    char name[32];
    int key = 0;
    if (!parse_string(p, name, sizeof name)) return false;
    while (key < KEYS && strcmp(name, KEY_NAMES[key]) != 0) key++;
    if (key == KEYS) return npy_fail(p->error, "the header is malformed: it has an unknown key '%s'", name);
    if (seen[key]) return npy_fail(p->error, "the header is malformed: it has the key '%s' twice", name);
    seen[key] = true;
    if (!take(p, ':')) return expected(p, "a colon");
    return key == DESCR ? parse_descr(p, header) : key == SHAPE ? parse_shape(p, header) : parse_order(p, header);
}

bool npy_parse_header(const char *text, size_t length, npy_header *header, npy_error *error) {
    parser p = {text, text, text + length, error};
    bool seen[KEYS] = {false}, comma = true;
    *header = (npy_header){0};
    if (!take(&p, '{')) return expected(&p, "{");
    while (!take(&p, '}')) {
        if (!comma) return expected(&p, "a comma or }");
        if (!parse_item(&p, header, seen)) return false;
        comma = take(&p, ',');
    }
    for (int key = 0; key < KEYS; key++)
        if (!seen[key]) return npy_fail(error, "the header is malformed: it has no key '%s'", KEY_NAMES[key]);
    skip_space(&p);
    return p.at == p.end || expected(&p, "nothing but spaces");
}

/* --------------------------------------------------------------------------------- writing */

static const char *code_of(weft_dtype dtype, bool is_complex) {
    if (is_complex) return COMPLEX_TYPES[dtype == WEFT_F64].npy;
    size_t i = 0;
    while (TYPES[i].dtype != dtype) i++;
    return TYPES[i].npy;
}

npy_shape_text npy_text_of_shape(const npy_shape *shape) {
    npy_shape_text t;
    size_t at = (size_t)snprintf(t.text, sizeof t.text, "(");
    for (size_t k = 0; k < shape->rank && k < NPY_RANK; k++)
        at += (size_t)snprintf(t.text + at, sizeof t.text - at, k ? ", %zu" : "%zu", shape->dimensions[k]);
    snprintf(t.text + at, sizeof t.text - at, "%s)", shape->rank == 1 ? "," : shape->rank > NPY_RANK ? ", ..." : "");
    return t;
}

bool npy_count(const npy_shape *shape, size_t *n) {
    bool fits = true;
    *n = 1;
    for (size_t k = 0; k < shape->rank; k++) fits = !__builtin_mul_overflow(*n, shape->dimensions[k], n) && fits;
    return fits;
}

size_t npy_format_header(weft_dtype dtype, bool is_complex, const npy_shape *shape,
                         unsigned char header[NPY_HEADER_CAPACITY]) {
    enum { PRELUDE = NPY_MAGIC_BYTES + 4, ALIGNMENT = 64 };
    const char *type = code_of(dtype, is_complex);
    char *text = (char *)header;
    size_t used = PRELUDE;
    used += (size_t)snprintf(text + used, NPY_HEADER_CAPACITY - used,
                             "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                             weft_dtype_size(dtype) == 1 ? '|' : '<', type);
    for (size_t i = 0; i < shape->rank; i++)
        used += (size_t)snprintf(text + used, NPY_HEADER_CAPACITY - used, "%s%zu%s", i ? ", " : "",
                                 shape->dimensions[i], shape->rank == 1 ? "," : "");
    used += (size_t)snprintf(text + used, NPY_HEADER_CAPACITY - used, "), }");
    const size_t end = (used + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    memset(text + used, ' ', end - used);
    text[end - 1] = '\n';
    memcpy(header, NPY_MAGIC "\1\0", NPY_MAGIC_BYTES + 2);
    header[NPY_MAGIC_BYTES + 2] = (unsigned char)(end - PRELUDE);
    header[NPY_MAGIC_BYTES + 3] = (unsigned char)((end - PRELUDE) >> 8);
    return end;
}
