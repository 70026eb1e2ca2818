/* Fuzzer of the dictionary of .npy files: any bytes either are refused with a sentence or are a shape whose elements
 * fit in memory; what the command writes for that shape is read as the same shape. */
#include "cli/io/npy/npy_header.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_again(const npy_header *first) {
    enum { PREFIX = 10 }; /* magic, version and length of the dictionary */
    unsigned char text[NPY_HEADER_CAPACITY];
    npy_header second;
    npy_error error;
    const size_t bytes = npy_format_header(first->dtype, first->is_complex, &first->shape, text);
    if (bytes % 64 != 0 || !npy_parse_header((const char *)text + PREFIX, bytes - PREFIX, &second, &error) ||
        second.n != first->n || second.dtype != first->dtype || second.is_complex != first->is_complex ||
        second.shape.rank != first->shape.rank ||
        memcmp(second.shape.dimensions, first->shape.dimensions, first->shape.rank * sizeof(size_t)) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    npy_header header;
    npy_error error = {""};
    const bool read = npy_parse_header((const char *)data, size, &header, &error);
    if (!read && !*error.message) abort();
    if (read && header.shape.rank <= NPY_RANK) read_again(&header); /* with more the array is written as a flat one */
    return 0;
}
