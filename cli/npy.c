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

/* Maps what can be mapped: an ordinary file, from its beginning. */
static bool open_source(const char *path, source *s, npy_error *error) {
    struct stat st;
    const bool standard = strcmp(path, "-") == 0;
    *s = (source){.fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)};
    if (s->fd < 0) return npy_fail(error, "cannot be opened: %s", strerror(errno));
    if (fstat(s->fd, &st) != 0) return npy_fail(error, "cannot be examined: %s", strerror(errno));
    if (S_ISDIR(st.st_mode)) return npy_fail(error, "is a directory, not a .npy file");
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

static void swap_bytes(unsigned char *p, size_t n, size_t size) {
    for (size_t i = 0; i < n; i++, p += size)
        for (size_t low = 0, high = size - 1; low < high; low++, high--) {
            const unsigned char byte = p[low];
            p[low] = p[high];
            p[high] = byte;
        }
}

/* Hands the elements over: where they lie when that is aligned and in our byte order, else in a copy. */
static bool take_elements(source *s, const npy_header *header, size_t data, npy_array *a, npy_error *error) {
    const size_t size = weft_dtype_size(header->dtype), parts = header->is_complex ? 2 : 1;
    const size_t bytes = header->n * parts * size;
    if (bytes > PTRDIFF_MAX - data) return npy_fail(error, "has too many elements for any memory (%zu)", header->n);
    if (!want(s, data + bytes, error)) return false;
    if (s->bytes - data < bytes)
        return npy_fail(error, "is truncated: %zu elements of %s%s need %zu bytes, and %zu are there", header->n,
                        header->is_complex ? "complex " : "", weft_dtype_name(header->dtype), bytes, s->bytes - data);
    *a = (npy_array){.dtype = header->dtype,
                     .is_complex = header->is_complex,
                     .shape = header->shape,
                     .given = header->shape,
                     .fortran = header->fortran,
                     .flat = header->shape.rank > NPY_RANK || (header->fortran && header->shape.rank > 1),
                     .n = header->n,
                     .data = s->p + data};
    if (a->flat) a->shape = (npy_shape){1, {header->n}};
    if (bytes && (header->swapped || (uintptr_t)a->data % size != 0)) {
        a->owned = malloc(bytes);
        if (!a->owned) return npy_fail(error, "no memory for a copy of its %zu bytes", bytes);
        memcpy(a->owned, a->data, bytes);
        if (header->swapped) swap_bytes(a->owned, a->n * parts, size);
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
