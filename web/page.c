/* The module of the page (page.html): reads the numbers in a file, adds and sorts them, and computes the digest of
 * the operations. The page calls one function at a time and reads the result at page_text(). */
#include "cli/io/npy/npy_header.h"
#include "core/byte_order.h"
#include "core/types.h"
#include "verify/digest.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { TEXT_BYTES = 1024 };
static char text[TEXT_BYTES]; /* result or error of the last call */

static unsigned char *contents; /* of the file */
static struct {
    weft_dtype dtype;
    size_t n;
    void *elements;
} numbers;
static struct {
    unsigned char *bytes; /* a .npy file of the sorted numbers */
    size_t count;
} sorted;

__attribute__((format(printf, 1, 2))) static bool fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return false;
}

static weft_context *context(void) {
    static weft_context *ctx;
    if (!ctx && weft_open(&ctx, "cpu") != WEFT_OK) fail("%s", weft_last_error(NULL));
    return ctx;
}

const char *EXPORT(page_text)(void) { return text; }

/* ------------------------------------------------------------------------------- reading */

/* Returns memory for a file of so many bytes, or NULL. The file before it is released. */
unsigned char *EXPORT(page_reserve)(size_t bytes) {
    free(contents);
    free(numbers.elements);
    free(sorted.bytes);
    memset(&numbers, 0, sizeof numbers);
    memset(&sorted, 0, sizeof sorted);
    contents = bytes < SIZE_MAX ? malloc(bytes + 1) : NULL; /* with a final 0 */
    return contents;
}

/* Copies the elements, so that they are aligned. */
static bool take_elements(const unsigned char *from, size_t n, weft_dtype dtype, bool swapped) {
    const size_t size = weft_dtype_size(dtype);
    numbers.dtype = dtype;
    numbers.n = n;
    numbers.elements = malloc(n * size + 1);
    if (!numbers.elements) return fail("there is no memory for %zu numbers", n);
    memcpy(numbers.elements, from, n * size);
    if (swapped) bytes_reverse(numbers.elements, n, size);
    return true;
}

static bool read_npy(size_t bytes) {
    npy_header header;
    npy_error error;
    const int version = bytes > NPY_MAGIC_BYTES ? contents[NPY_MAGIC_BYTES] : 1;
    const size_t width = version == 1 ? 2 : 4, begin = NPY_MAGIC_BYTES + 2 + width;
    const size_t length = bytes < begin ? 0 : (size_t)bits_load(contents + begin - width, width);
    if (version < 1 || version > 3) return fail("the .npy file has version %d: expected 1, 2 or 3", version);
    if (bytes < begin || bytes - begin < length) return fail("the file ends within its header");
    if (!npy_parse_header((const char *)contents + begin, length, &header, &error)) return fail("%s", error.message);
    if (header.is_complex) return fail("the elements are complex: expected real numbers or integers");
    const size_t there = (bytes - begin - length) / weft_dtype_size(header.dtype);
    if (there < header.n) return fail("the file has %zu of %zu elements", there, header.n);
    return take_elements(contents + begin + length, header.n, header.dtype, header.swapped);
}

static bool is_text(size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        if (!isprint(contents[i]) && !isspace(contents[i])) return false;
    return true;
}

static bool separates(char c) { return isspace((unsigned char)c) || c == ','; }

/* Reads numbers that are separated by white space and commas. */
static bool read_text(size_t bytes) {
    const char *at = (const char *)contents, *const end = at + bytes;
    double *const values = malloc(((bytes + 1) / 2 + 1) * sizeof *values);
    size_t n = 0;
    if (!values) return fail("there is no memory for the numbers");
    contents[bytes] = '\0';
    numbers.dtype = WEFT_F64;
    numbers.elements = values;
    for (;;) {
        char *stop;
        while (at < end && separates(*at)) at++;
        if (at == end) break;
        values[n] = strtod(at, &stop);
        if (stop == at || (stop < end && !separates(*stop)))
            return fail("number %zu is invalid: %.*s", n + 1, (int)strcspn(at, " \t\r\n,") % 40, at);
        at = stop;
        n++;
    }
    numbers.n = n;
    return true;
}

/* Reads the file: .npy, or text if all bytes are characters, else f64. Writes the number and the type of the elements
 * to the text. Returns false and writes a sentence there if the file cannot be read. */
bool EXPORT(page_read)(size_t bytes) {
    const bool is_npy = bytes >= NPY_MAGIC_BYTES && memcmp(contents, NPY_MAGIC, NPY_MAGIC_BYTES) == 0;
    const char *const kind = is_npy ? ".npy" : is_text(bytes) ? "text" : "binary";
    bool good;
    if (is_npy)
        good = read_npy(bytes);
    else if (is_text(bytes))
        good = read_text(bytes);
    else
        good = bytes % sizeof(double)
                   ? fail("the file is no text and no .npy file, and has %zu bytes: not whole f64", bytes)
                   : take_elements(contents, bytes / sizeof(double), WEFT_F64, false);
    if (good) snprintf(text, sizeof text, "%zu %s %s", numbers.n, weft_dtype_name(numbers.dtype), kind);
    return good;
}

/* ------------------------------------------------------------------------- sum, sort, hash */

/* Adds the numbers, floats in f64. Writes the type and the bits of the sum, and the sum of floats with %a. */
bool EXPORT(page_sum)(void) {
    const bool is_short = type_is_real(numbers.dtype) && weft_dtype_size(numbers.dtype) < sizeof(double);
    const weft_dtype accumulate = is_short ? WEFT_F64 : WEFT_DEFAULT;
    weft_dtype result;
    uint64_t bits = 0;
    double value;
    if (!context()) return false;
    if (weft_reduce_result(WEFT_SUM, numbers.dtype, accumulate, &result) != WEFT_OK)
        return fail("%s", weft_last_error(NULL));
    if (weft_reduce(context(), WEFT_SUM, numbers.dtype, accumulate, numbers.n, numbers.elements, &bits) != WEFT_OK)
        return fail("%s", weft_last_error(context()));
    memcpy(&value, &bits, sizeof value);
    const int length = snprintf(text, sizeof text, "%s %016llx", weft_dtype_name(result), (unsigned long long)bits);
    if (result == WEFT_F64) snprintf(text + length, sizeof text - (size_t)length, " %a", value);
    return true;
}

/* Makes a .npy file of the sorted numbers, as `weft sort` does. Writes its number of bytes to the text. Returns its
 * address, or NULL and writes a sentence. */
const unsigned char *EXPORT(page_sort)(void) {
    unsigned char header[NPY_HEADER_CAPACITY];
    const npy_shape shape = {.rank = 1, .dimensions = {numbers.n}};
    const size_t head = npy_format_header(numbers.dtype, false, &shape, header);
    const size_t bytes = numbers.n * weft_dtype_size(numbers.dtype);
    if (!context()) return NULL;
    free(sorted.bytes);
    sorted.count = head + bytes;
    sorted.bytes = malloc(sorted.count);
    if (!sorted.bytes) return fail("there is no memory for the sorted numbers"), NULL;
    memcpy(sorted.bytes, header, head);
    if (weft_sort(context(), WEFT_ASCENDING, numbers.dtype, numbers.n, numbers.elements, sorted.bytes + head) !=
        WEFT_OK)
        return fail("%s", weft_last_error(context())), NULL;
    snprintf(text, sizeof text, "%zu", sorted.count);
    return sorted.bytes;
}

/* Writes the SHA-256 hash of bytes to the text. */
void EXPORT(page_hash)(const unsigned char *bytes, size_t count) {
    sha256 s;
    sha256_begin(&s);
    sha256_add(&s, bytes, count);
    sha256_end(&s, text);
}

/* -------------------------------------------------------------------------------- digest */

/* Writes the line of `weft verify --digest` for an operation, whose cases it computes. Returns false and writes a
 * sentence, which is empty after the last operation. */
bool EXPORT(page_digest)(size_t operation) {
    text[0] = '\0';
    if (operation >= MATCH_OPERATION_COUNT) return false;
    digest_line *const lines = calloc(MATCH_OPERATION_COUNT, sizeof *lines);
    const match_operation *const only = &MATCH_OPERATIONS[operation];
    const digest_options options = {.level = MATCH_TINY, .device = "cpu", .threads = 1, .only = only};
    char problem[512] = "there is no memory for the digest";
    const bool good = lines && digest_run(&options, lines, problem);
    if (good)
        snprintf(text, sizeof text, "%-16s %8zu cases  %s", only->name, lines[operation].cases,
                 lines[operation].hash);
    else
        fail("%s", problem);
    free(lines);
    return good;
}
