/* Reading .npy: a source (a mapping, or a stream that is read as far as needed), the prelude, the header,
 * the elements. Nothing is allocated on the word of a header: a stream's buffer grows with what arrives. */
#include "cli/npy.h"
#include "cli/npy_header.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_MAX = 1 << 20, FIRST_CHUNK = 1 << 16 };

/* Bytes [0, bytes) of the file are at p. `mapped`: all of the file, for good. Else more may come from fd. */
typedef struct source {
    int fd;
    bool mapped;
    unsigned char *p;
    size_t bytes, capacity;
} source;

/* Opens it, and examines it. */
static bool open_file(const char *path, source *s, struct stat *st, npy_error *error) {
    const bool standard = strcmp(path, "-") == 0;
    *s = (source){.fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)};
    if (s->fd < 0) return npy_fail(error, "cannot be opened: %s", strerror(errno));
    if (fstat(s->fd, st) != 0) return npy_fail(error, "cannot be examined: %s", strerror(errno));
    if (S_ISDIR(st->st_mode)) return npy_fail(error, "is a directory, not a .npy file");
    return true;
}

/* Maps what can be mapped: an ordinary file, from its beginning. */
static bool open_source(const char *path, source *s, npy_error *error) {
    struct stat st = {0};
    if (!open_file(path, s, &st, error)) return false;
    if (!S_ISREG(st.st_mode) || st.st_size <= 0 || lseek(s->fd, 0, SEEK_CUR) != 0) return true;
    if ((uintmax_t)st.st_size > PTRDIFF_MAX) return npy_fail(error, "is too large for this machine's address space");
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, s->fd, 0);
    if (p == MAP_FAILED) return true;
    *s = (source){.fd = s->fd, .mapped = true, .p = p, .bytes = (size_t)st.st_size};
    return true;
}

static void close_source(source *s) {
    if (s->fd > STDIN_FILENO) close(s->fd);
    if (s->mapped)
        munmap(s->p, s->bytes);
    else
        free(s->p);
}

/* Doubles the buffer, but not beyond the `wanted` bytes. */
static bool grow(source *s, size_t wanted, npy_error *error) {
    size_t capacity = s->capacity < FIRST_CHUNK ? FIRST_CHUNK : s->capacity > wanted / 2 ? wanted : s->capacity * 2;
    void *p = realloc(s->p, capacity);
    if (!p) return npy_fail(error, "no memory for %zu bytes of it", capacity);
    s->p = p;
    s->capacity = capacity;
    return true;
}

/* Reads on until `wanted` bytes are there or the file ends; `s->bytes` says which. */
static bool want(source *s, size_t wanted, npy_error *error) {
    while (!s->mapped && s->bytes < wanted) {
        if (s->bytes == s->capacity && !grow(s, wanted, error)) return false;
        const size_t room = s->capacity < wanted ? s->capacity - s->bytes : wanted - s->bytes;
        const ssize_t got = read(s->fd, s->p + s->bytes, room < SSIZE_MAX ? room : SSIZE_MAX);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return npy_fail(error, "cannot be read: %s", strerror(errno));
        if (got == 0) break;
        s->bytes += (size_t)got;
    }
    return true;
}

/* Magic, version and the length of the header; *data is where the elements start. */
static bool read_header(source *s, npy_header *header, size_t *data, npy_error *error) {
    if (!want(s, NPY_MAGIC_BYTES + 4, error)) return false;
    if (s->bytes == 0) return npy_fail(error, "is empty, not a .npy file");
    if (s->bytes < NPY_MAGIC_BYTES || memcmp(s->p, NPY_MAGIC, NPY_MAGIC_BYTES) != 0)
        return npy_fail(error, "is not a .npy file (it does not begin with \\x93NUMPY)");
    if (s->bytes < NPY_MAGIC_BYTES + 4) return npy_fail(error, "ends within its header, after %zu bytes", s->bytes);
    const int version = s->p[NPY_MAGIC_BYTES];
    if (version < 1 || version > 3)
        return npy_fail(error, "is a .npy file of version %d; weft reads versions 1, 2 and 3", version);
    const size_t width = version == 1 ? 2 : 4, start = NPY_MAGIC_BYTES + 2 + width;
    if (!want(s, start, error)) return false;
    if (s->bytes < start) return npy_fail(error, "ends within its header, after %zu bytes", s->bytes);
    size_t length = 0;
    for (size_t i = 0; i < width; i++) length |= (size_t)s->p[NPY_MAGIC_BYTES + 2 + i] << (8 * i);
    if (length > HEADER_MAX)
        return npy_fail(error, "says its header has %zu bytes; more than %d is not believed", length, HEADER_MAX);
    if (!want(s, start + length, error)) return false;
    if (s->bytes < start + length)
        return npy_fail(error, "ends within its header: %zu bytes of header expected, %zu there", length,
                        s->bytes - start);
    *data = start + length;
    return npy_parse_header((const char *)s->p + start, length, header, error);
}

void npy_swap(void *elements, size_t n, size_t size) {
    unsigned char *p = elements;
    for (size_t i = 0; i < n; i++, p += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            const unsigned char byte = p[low];
            p[low] = p[high];
            p[high] = byte;
        }
}

bool npy_truncated(const npy_array *a, unsigned long long bytes, npy_error *error) {
    return npy_fail(error, "is truncated: %zu elements of %s%s need %zu bytes, and %llu are there", a->n,
                    a->is_complex ? "complex " : "", weft_dtype_name(a->dtype),
                    a->n * weft_dtype_size(a->dtype) * (a->is_complex ? 2 : 1), bytes);
}

/* What the header says of the array. */
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

/* Hands the elements over: where they lie when that is aligned and in our byte order, else in a copy. */
static bool take_elements(source *s, const npy_header *header, size_t data, npy_array *a, npy_error *error) {
    const size_t size = weft_dtype_size(header->dtype), parts = header->is_complex ? 2 : 1;
    const size_t bytes = header->n * parts * size;
    if (bytes > PTRDIFF_MAX - data) return npy_fail(error, "has too many elements for any memory (%zu)", header->n);
    if (!want(s, data + bytes, error)) return false;
    *a = describe(header);
    if (s->bytes - data < bytes) return npy_truncated(a, s->bytes - data, error);
    a->data = s->p + data;
    if (bytes && (header->swapped || (uintptr_t)a->data % size != 0)) {
        a->owned = malloc(bytes);
        if (!a->owned) return npy_fail(error, "no memory for a copy of its %zu bytes", bytes);
        memcpy(a->owned, a->data, bytes);
        if (header->swapped) npy_swap(a->owned, a->n * parts, size);
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

static bool read_array(const char *path, bool complex_too, npy_array *a, npy_error *error) {
    source s;
    npy_header header = {0};
    size_t data = 0;
    *a = (npy_array){0};
    bool read = open_source(path, &s, error) && read_header(&s, &header, &data, error);
    if (read && header.is_complex && !complex_too)
        read = npy_fail(error, "elements of dtype \"%s\" are not supported here; fft and convolve take complex ones",
                        header.descr);
    read = read && take_elements(&s, &header, data, a, error);
    if (!read) *a = (npy_array){0};
    close_source(&s);
    return read;
}

bool npy_read(const char *path, npy_array *a, npy_error *error) { return read_array(path, false, a, error); }

bool npy_read_numbers(const char *path, npy_array *a, npy_error *error) { return read_array(path, true, a, error); }

void npy_free(npy_array *a) {
    if (a->mapped) munmap(a->mapped, a->mapped_bytes);
    free(a->owned);
    *a = (npy_array){0};
}

/* --------------------------------------------------------------------------------- streams */

/* Behind the header, which has been read to its end and no further. */
static bool take_stream(const source *s, const struct stat *st, const npy_header *header, npy_stream *stream,
                        npy_error *error) {
    const size_t size = weft_dtype_size(header->dtype);
    if (header->is_complex)
        return npy_fail(error, "elements of dtype \"%s\" are not supported here; fft and convolve take complex ones",
                        header->descr);
    if (header->n > PTRDIFF_MAX / size)
        return npy_fail(error, "has too many elements for any memory (%zu)", header->n);
    *stream = (npy_stream){.array = describe(header), .descriptor = s->fd, .swapped = header->swapped};
    stream->ordinary = S_ISREG(st->st_mode) && (stream->start = lseek(s->fd, 0, SEEK_CUR)) >= 0;
    const size_t there = st->st_size > stream->start ? (size_t)(st->st_size - stream->start) : 0;
    return !stream->ordinary || there >= header->n * size || npy_truncated(&stream->array, there, error);
}

/* Maps a file whose elements can be used as they lie. */
static void map_stream(npy_stream *s) {
    const size_t size = weft_dtype_size(s->array.dtype), bytes = s->array.n * size;
    if (!s->ordinary || s->swapped || s->array.n == 0 || (size_t)s->start % size != 0) return;
    void *p = mmap(NULL, (size_t)s->start + bytes, PROT_READ, MAP_PRIVATE, s->descriptor, 0);
    if (p == MAP_FAILED) return;
    s->mapped = p;
    s->mapped_bytes = (size_t)s->start + bytes;
}

bool npy_open(const char *path, npy_stream *stream, npy_error *error) {
    source s;
    struct stat st = {0};
    npy_header header = {0};
    size_t data;
    *stream = (npy_stream){.descriptor = -1};
    const bool opened = open_file(path, &s, &st, error) && read_header(&s, &header, &data, error) &&
                        take_stream(&s, &st, &header, stream, error);
    free(s.p);
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
