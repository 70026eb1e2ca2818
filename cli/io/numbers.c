#include "cli/io/numbers.h"
#include "cli/io/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool numbers_read(const char *command, const char *path, npy_array *a) {
    npy_error error;
    if (!npy_read_numbers(path, a, &error))
        cli_error(command, "%s: %s", path, error.message);
    else if (a->dtype != WEFT_F32 && a->dtype != WEFT_F64)
        cli_error(command, "%s: has elements of type %s: %s requires real or complex elements (<f4, <f8, <c8, <c16)",
                  path, weft_dtype_name(a->dtype), command);
    else
        return true;
    return false;
}

bool numbers_to_complex(const char *command, const char *path, npy_array *a) {
    if (a->is_complex) return true;
    const size_t size = weft_dtype_size(a->dtype);
    char *numbers = a->n <= SIZE_MAX / 2 / size ? calloc(a->n ? 2 * a->n : 1, size) : NULL;
    if (!numbers) {
        cli_error(command, "%s: cannot allocate memory for its %zu elements as complex numbers", path, a->n);
        return false;
    }
    for (size_t i = 0; i < a->n; i++) memcpy(numbers + 2 * i * size, (const char *)a->data + i * size, size);
    const npy_array made = {.dtype = a->dtype,
                            .is_complex = true,
                            .flat = a->flat,
                            .fortran = a->fortran,
                            .shape = a->shape,
                            .given = a->given,
                            .n = a->n,
                            .data = numbers,
                            .owned = numbers};
    npy_free(a);
    *a = made;
    return true;
}

weft_view numbers_with_parts(weft_view v, bool is_complex) {
    if (!is_complex) return v;
    for (size_t k = 0; k < v.dimensions; k++) v.stride[k] *= 2;
    v.stride[v.dimensions] = (ptrdiff_t)weft_dtype_size(v.dtype);
    v.shape[v.dimensions++] = 2;
    return v;
}

bool numbers_output(const cli_options *options, const char *command, const char *to) {
    if (!to)
        cli_error(command, "option -o Y.npy is required: the file for the result (- for standard output)");
    else
        return file_takes_result(options, command, "-o", to);
    return false;
}

void *numbers_allocate(const char *command, const npy_array *like, bool is_complex, size_t count) {
    const size_t size = weft_dtype_size(like->dtype) * (is_complex ? 2 : 1);
    void *p = count <= SIZE_MAX / size ? malloc(count ? count * size : 1) : NULL;
    if (!p) cli_error(command, "cannot allocate memory for the %zu values of the result", count);
    return p;
}

const char *numbers_type(weft_dtype dtype, bool is_complex) {
    if (!is_complex) return weft_dtype_name(dtype);
    return dtype == WEFT_F32 ? "complex f32" : "complex f64";
}
