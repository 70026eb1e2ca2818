/* Writes .npy files: header and elements. */
#include "cli/io/file.h"
#include "cli/io/npy/npy_header.h"

bool npy_write_numbers(const char *path, weft_dtype dtype, bool is_complex, const npy_shape *shape, const void *data,
                       npy_error *error) {
    unsigned char header[NPY_HEADER_CAPACITY];
    const size_t length = npy_format_header(dtype, is_complex, shape, header);
    const size_t size = weft_dtype_size(dtype);
    size_t bytes = size * (is_complex ? 2 : 1);
    for (size_t i = 0; i < shape->rank; i++) bytes *= shape->dimensions[i];
    return file_write(path, (const file_part[]){{header, length, 1}, {data, bytes, size}}, 2, error);
}

bool npy_write(const char *path, weft_dtype dtype, const npy_shape *shape, const void *data, npy_error *error) {
    return npy_write_numbers(path, dtype, false, shape, data, error);
}
