/* Reads .npy files from a source (a mapping, or a stream that is read as far as needed): magic and length, the
 * header, the elements. Nothing is allocated on the basis of a header alone: a stream's buffer grows with the data
 * that arrives. */
#include "cli/io/npy/npy.h"

#include "cli/io/column.h"
#include "cli/io/file.h"
#include "cli/io/foreign.h"
#include "cli/io/input.h"
#include "cli/io/npy/npy_header.h"
#include "cli/io/source.h"
#include "core/byte_order.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_MAX = 1 << 20 };

/* Reads magic, version, length and dictionary of the header. *data is the offset of the elements. */
static bool read_header(source *s, npy_header *header, size_t *data, npy_error *error) {
    if (!source_want(s, NPY_MAGIC_BYTES + 4, error)) return false;
    if (s->bytes == 0) return npy_fail(error, "is empty: expected a .npy file");
    if (s->bytes < NPY_MAGIC_BYTES || memcmp(s->p, NPY_MAGIC, NPY_MAGIC_BYTES) != 0)
        return foreign_fail(s->p, s->bytes, error);
    if (s->bytes < NPY_MAGIC_BYTES + 4) return npy_fail(error, "ends within its header, after %zu bytes", s->bytes);
    const int version = s->p[NPY_MAGIC_BYTES];
    if (version < 1 || version > 3)
        return npy_fail(error, "is a .npy file of version %d: expected version 1, 2 or 3", version);
    const size_t width = version == 1 ? 2 : 4, start = NPY_MAGIC_BYTES + 2 + width;
    if (!source_want(s, start, error)) return false;
    if (s->bytes < start) return npy_fail(error, "ends within its header, after %zu bytes", s->bytes);
    size_t length = 0;
    for (size_t i = 0; i < width; i++) length |= (size_t)s->p[NPY_MAGIC_BYTES + 2 + i] << (8 * i);
    if (length > HEADER_MAX)
        return npy_fail(error, "has a header of %zu bytes: expected at most %d", length, HEADER_MAX);
    if (!source_want(s, start + length, error)) return false;
    if (s->bytes < start + length)
        return npy_fail(error, "ends within its header: expected %zu bytes of header, found %zu", length,
                        s->bytes - start);
    *data = start + length;
    return npy_parse_header((const char *)s->p + start, length, header, error);
}

bool npy_truncated(const npy_array *a, unsigned long long bytes, npy_error *error) {
    return npy_fail(error, "is truncated: %zu elements of type %s%s require %zu bytes, found %llu", a->n,
                    a->is_complex ? "complex " : "", weft_dtype_name(a->dtype),
                    a->n * weft_dtype_size(a->dtype) * (a->is_complex ? 2 : 1), bytes);
}

/* Returns the array described by the header. */
static npy_array describe(const npy_header *header) {
    npy_array a = {.dtype = header->dtype,
                   .is_complex = header->is_complex,
                   .shape = header->shape,
                   .given = header->shape,
                   .fortran = header->fortran,
                   .flat = header->shape.rank > NPY_RANK || (header->fortran && header->shape.rank > 1),
                   .n = header->n};
    if (a.flat) a.shape = (npy_shape){1, {header->n}};
    return a;
}

static size_t header_size(const npy_header *header) {
    return weft_dtype_size(header->dtype) * (header->is_complex ? 2 : 1);
}

/* Provides the elements: in place if they are aligned and in native byte order, otherwise in a copy. */
static bool take_elements(source *s, const npy_header *header, size_t data, npy_array *a, npy_error *error) {
    const size_t size = weft_dtype_size(header->dtype), parts = header->is_complex ? 2 : 1;
    const size_t bytes = header->n * parts * size;
    if (bytes > PTRDIFF_MAX - data) return npy_fail(error, "has %zu elements, which do not fit in memory", header->n);
    if (!source_want(s, data + bytes, error)) return false;
    *a = describe(header);
    if (s->bytes - data < bytes) return npy_truncated(a, s->bytes - data, error);
    a->data = data ? s->p + data : s->p; /* s->p may be NULL */
    if (bytes && (header->swapped || (uintptr_t)a->data % size != 0)) {
        a->owned = malloc(bytes);
        if (!a->owned) return npy_fail(error, "cannot allocate memory for a copy of its %zu bytes", bytes);
        memcpy(a->owned, a->data, bytes);
        if (header->swapped) bytes_reverse(a->owned, a->n * parts, size);
        a->data = a->owned;
    } else if (s->mapped) {
        a->mapped = s->p;
        a->mapped_bytes = s->bytes;
        s->mapped = false;
        s->p = NULL;
    } else {
        a->owned = s->p;
        s->p = NULL;
    }
    return true;
}

static void warn_of_extra_bytes(const char *path, size_t bytes) {
    if (bytes) input_warn(path, "%zu bytes after the array are ignored", bytes);
}

static bool check_parts(const npy_header *header, bool complex, npy_error *error) {
    return complex || !header->is_complex ||
           npy_fail(
               error,
               "elements of dtype \"%s\" are not supported here (fft, convolve and matmul support complex elements)",
               header->descr);
}

static bool read_npy(const char *path, bool complex, npy_array *a, npy_error *error) {
    source s;
    npy_header header = {0};
    size_t data = 0;
    bool read =
        source_map(path, &s, error) && read_header(&s, &header, &data, error) && check_parts(&header, complex, error);
    const size_t there = s.mapped ? s.bytes - data : 0;
    read = read && take_elements(&s, &header, data, a, error);
    if (read && there) warn_of_extra_bytes(path, there - header.n * header_size(&header));
    source_close(&s);
    return read;
}

/* Makes the header for `bytes` bytes of raw elements. */
static bool make_raw_header(unsigned long long bytes, npy_header *header, npy_error *error) {
    const weft_dtype dtype = input_get()->dtype;
    const size_t size = weft_dtype_size(dtype);
    if (bytes % size)
        return npy_fail(error, "has %llu bytes, which is not a multiple of the %zu bytes of an element of type %s",
                        bytes, size, weft_dtype_name(dtype));
    *header = (npy_header){.dtype = dtype, .n = (size_t)(bytes / size), .swapped = NPY_NATIVE != '<'};
    header->shape = (npy_shape){1, {header->n}};
    return true;
}

static bool read_raw(const char *path, npy_array *a, npy_error *error) {
    source s;
    npy_header header = {0};
    const bool read = source_map(path, &s, error) && source_read_all(&s, error) &&
                      make_raw_header(s.bytes, &header, error) && take_elements(&s, &header, 0, a, error);
    source_close(&s);
    return read;
}

static bool read_column(const char *path, npy_array *a, npy_error *error) {
    source s;
    const bool read = source_map(path, &s, error) && source_read_all(&s, error) &&
                      column_read(path, s.p, s.bytes, input_get(), a, error);
    source_close(&s);
    return read;
}

static bool read_array(const char *path, bool complex, npy_array *a, npy_error *error) {
    const input_format format = input_format_of(path);
    *a = (npy_array){0};
    const bool read = format == INPUT_RAW      ? read_raw(path, a, error)
                      : format == INPUT_COLUMN ? read_column(path, a, error)
                                               : read_npy(path, complex, a, error);
    if (!read) *a = (npy_array){0};
    return read;
}

bool npy_read(const char *path, npy_array *a, npy_error *error) { return read_array(path, false, a, error); }

bool npy_read_numbers(const char *path, npy_array *a, npy_error *error) { return read_array(path, true, a, error); }

bool npy_broadcast(npy_shape *shape, const npy_shape *added) {
    const size_t rank = shape->rank > added->rank ? shape->rank : added->rank;
    npy_shape common = {.rank = rank};
    for (size_t k = 1; k <= rank; k++) { /* from the last dimension to the first */
        const size_t m = k <= shape->rank ? shape->dimensions[shape->rank - k] : 1;
        const size_t n = k <= added->rank ? added->dimensions[added->rank - k] : 1;
        if (m != n && m != 1 && n != 1) return false;
        common.dimensions[rank - k] = m == 1 ? n : m;
    }
    *shape = common;
    return true;
}

void npy_view(const npy_array *a, weft_view *v) {
    const size_t rank = a->given.rank;
    ptrdiff_t stride = (ptrdiff_t)weft_dtype_size(a->dtype);
    *v = (weft_view){.size = sizeof *v, .dtype = a->dtype, .dimensions = rank, .data = (void *)a->data};
    for (size_t k = 0; k < rank; k++) {
        const size_t axis = a->fortran ? k : rank - 1 - k;
        v->shape[axis] = a->given.dimensions[axis];
        v->stride[axis] = stride;
        if (v->shape[axis]) stride *= (ptrdiff_t)v->shape[axis];
    }
}

void npy_free(npy_array *a) {
    if (a->mapped) munmap(a->mapped, a->mapped_bytes);
    free(a->owned);
    *a = (npy_array){0};
}

/* --------------------------------------------------------------------------------- streams */

/* Initializes the stream after the header. The source must be positioned right after it. */
static bool take_stream(const source *s, const struct stat *st, const npy_header *header, npy_stream *stream,
                        npy_error *error) {
    const size_t size = weft_dtype_size(header->dtype);
    if (!check_parts(header, false, error)) return false;
    if (header->n > PTRDIFF_MAX / size)
        return npy_fail(error, "has %zu elements, which do not fit in memory", header->n);
    *stream = (npy_stream){.array = describe(header), .descriptor = s->fd, .swapped = header->swapped};
    stream->ordinary = S_ISREG(st->st_mode) && (stream->start = lseek(s->fd, 0, SEEK_CUR)) >= 0;
    const size_t there = st->st_size > stream->start ? (size_t)(st->st_size - stream->start) : 0;
    return !stream->ordinary || there >= header->n * size || npy_truncated(&stream->array, there, error);
}

/* Maps a file whose elements can be used in place. */
static void map_stream(npy_stream *s) {
    const size_t size = weft_dtype_size(s->array.dtype), bytes = s->array.n * size;
    if (!s->ordinary || s->swapped || s->array.n == 0 || (size_t)s->start % size != 0) return;
    void *p = mmap(NULL, (size_t)s->start + bytes, PROT_READ, MAP_PRIVATE, s->descriptor, 0);
    if (p == MAP_FAILED) return;
    s->mapped = p;
    s->mapped_bytes = (size_t)s->start + bytes;
}

/* Returns the number of bytes of a regular file from its current position on. */
static unsigned long long bytes_ahead(const source *s, const struct stat *st) {
    const off_t at = lseek(s->fd, 0, SEEK_CUR);
    return at >= 0 && st->st_size > at ? (unsigned long long)(st->st_size - at) : 0;
}

/* Reads all elements into an anonymous file in memory, for formats whose number or position of elements is unknown
 * before. */
static bool open_read(const char *path, source *s, struct stat *st, npy_header *header, npy_error *error) {
    npy_array a;
    *s = (source){.fd = -1};
    if (!read_array(path, false, &a, error)) return false;
    const size_t size = weft_dtype_size(a.dtype);
    const file_writer w = {.descriptor = s->fd = memfd_create("weft", MFD_CLOEXEC)};
    bool made = s->fd >= 0 || npy_fail(error, "cannot create a file in memory for it: %s", strerror(errno));
    made = made && file_put(&w, a.data, a.n * size, error);
    made = made && ((lseek(s->fd, 0, SEEK_SET) == 0 && fstat(s->fd, st) == 0) ||
                    npy_fail(error, "cannot be examined: %s", strerror(errno)));
    *header = (npy_header){.dtype = a.dtype, .n = a.n, .shape = a.shape};
    npy_free(&a);
    return made;
}

static bool open_header(const char *path, source *s, struct stat *st, npy_header *header, npy_error *error) {
    const input_format format = input_format_of(path);
    size_t data;
    if (format == INPUT_COLUMN || (format == INPUT_RAW && !source_is_ordinary(path)))
        return open_read(path, s, st, header, error);
    if (!source_open(path, s, st, error)) return false;
    if (format == INPUT_RAW) return make_raw_header(bytes_ahead(s, st), header, error);
    return read_header(s, header, &data, error);
}

bool npy_open(const char *path, npy_stream *stream, npy_error *error) {
    source s;
    struct stat st = {0};
    npy_header header = {0};
    *stream = (npy_stream){.descriptor = -1};
    const bool opened = open_header(path, &s, &st, &header, error) && take_stream(&s, &st, &header, stream, error);
    free(s.p);
    if (opened && stream->ordinary)
        warn_of_extra_bytes(path, (size_t)(st.st_size - stream->start) - header.n * header_size(&header));
    if (!opened && s.fd > STDIN_FILENO) close(s.fd);
    if (opened)
        map_stream(stream);
    else
        stream->descriptor = -1;
    return opened;
}

void npy_close(npy_stream *s) {
    if (s->mapped) munmap((void *)s->mapped, s->mapped_bytes);
    s->mapped = NULL;
    if (s->descriptor > STDIN_FILENO) close(s->descriptor);
    s->descriptor = -1;
}

bool npy_load(npy_stream *stream, npy_array *a, npy_error *error) {
    source s = {.fd = stream->descriptor};
    const npy_array *from = &stream->array;
    const npy_header header = {.dtype = from->dtype,
                               .shape = from->given,
                               .n = from->n,
                               .fortran = from->fortran,
                               .swapped = stream->swapped};
    if (stream->mapped) {
        *a = *from;
        a->data = stream->mapped + stream->start;
        a->mapped = (void *)stream->mapped;
        a->mapped_bytes = stream->mapped_bytes;
        stream->mapped = NULL;
        return true;
    }
    const bool read = take_elements(&s, &header, 0, a, error);
    if (!read) *a = (npy_array){0};
    free(s.p);
    return read;
}
