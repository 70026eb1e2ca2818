#include "cli/commands/index_file.h"

#include <stdlib.h>

bool index_file_read_array(const char *command, const char *name, npy_array *a) {
    npy_error error;
    if (npy_read(name, a, &error)) return true;
    cli_error(command, "%s: %s", name, error.message);
    return false;
}

/* Converts indices of one or two bytes. */
static bool widen(const char *command, index_file *f) {
    const npy_array *a = &f->array;
    f->wide = malloc((a->n ? a->n : 1) * sizeof *f->wide);
    if (!f->wide) {
        cli_error(command, "%s: cannot allocate memory for %zu indices", f->name, a->n);
        return false;
    }
    for (size_t i = 0; i < a->n; i++) {
#define TYPE(ID, name, ctype, kind, npy) \
    if (a->dtype == WEFT_##ID) f->wide[i] = (int64_t)((const ctype *)a->data)[i];
#include "core/types.def"
    }
    f->dtype = WEFT_I64;
    f->data = f->wide;
    return true;
}

bool index_file_read(const char *command, index_file *f) {
    return index_file_read_array(command, f->name, &f->array) && index_file_use(command, f);
}

bool index_file_use(const char *command, index_file *f) {
    f->dtype = f->array.dtype;
    f->data = f->array.data;
    if (f->dtype < WEFT_F32) return weft_dtype_size(f->dtype) >= 4 || widen(command, f);
    cli_error(command, "%s has elements of type %s: indices must be integers", f->name, weft_dtype_name(f->dtype));
    return false;
}

void index_file_free(index_file *f) {
    free(f->wide);
    npy_free(&f->array);
}

bool index_file_fits(const char *command, const index_file *f, const char *x, size_t rows) {
    if (f->array.n == rows) return true;
    cli_error(command, "%s has %zu elements and %s has %zu rows: both must have the same length", f->name, f->array.n,
              x, rows);
    return false;
}

bool index_file_has_rows(const char *command, const char *name, const npy_array *a) {
    if (!a->fortran || a->given.rank < 2) return true;
    cli_error(command, "%s is in Fortran order: a matrix must be in C order", name);
    return false;
}
