#include "cli/io/streamed.h"

#include "cli/io/input.h"
#include "cli/io/npy/npy_header.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "core/byte_order.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_BYTES = 1 << 20, /* bytes per read, a multiple of every element size; a signal is checked for after each */
    POLL_MILLISECONDS = 100
};

/* Prints the error for a signal. The process ends by that signal after all resources have been released. */
static int interrupted(const char *command, const char *path, double done, double all) {
    cli_error(command, "%s: interrupted after %.1f of %.1f MB; no result was written", path, done / 1e6, all / 1e6);
    return CLI_FAILED;
}

/* -------------------------------------------------------------------------------- reading */

size_t stream_memory(const cli_options *options) {
    if (options->memory) return options->memory;
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (size_t)pages * (size_t)bytes / 2 : SIZE_MAX;
}

bool stream_wanted(const cli_options *options, const char *path, int passes) {
    const input_format format = input_format_of(path);
    struct stat st;
    if (format == INPUT_COLUMN) return false; /* its elements are in memory after reading */
    if ((strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0) return false;
    if (S_ISREG(st.st_mode)) return (uintmax_t)st.st_size > stream_memory(options);
    return passes == 1 && !S_ISDIR(st.st_mode) && format == INPUT_NPY;
}

/* Waits until the pipe has data or a signal was caught. */
static bool wait_for_pipe(const stream_input *in) {
    struct pollfd wanted = {.fd = in->npy.descriptor, .events = POLLIN};
    while (!signals_caught() && poll(&wanted, 1, POLL_MILLISECONDS) == 0) continue;
    return !signals_caught();
}

static ptrdiff_t read_some(stream_input *in, void *to, size_t bytes) {
    for (;;) {
        if (signals_caught() || (!in->npy.ordinary && !wait_for_pipe(in))) {
            errno = ECANCELED;
            return -1;
        }
        const ssize_t got = read(in->npy.descriptor, to, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) npy_fail(&in->error, "cannot be read: %s", strerror(errno));
        if (got == 0) npy_truncated(&in->npy.array, in->read, &in->error);
        return got;
    }
}

static void tell_progress(const stream_input *in, size_t bytes) {
    stream *s = in->stream;
    if (in != s->inputs) return;
    s->done += (double)bytes;
    progress_at_bytes(s->done, s->bytes);
}

/* Reads bytes. Elements in the other byte order are swapped once they are complete. */
static ptrdiff_t read_input(void *self, void *to, size_t bytes) {
    stream_input *in = self;
    const size_t size = weft_dtype_size(in->npy.array.dtype), wanted = bytes < READ_BYTES ? bytes : READ_BYTES;
    size_t got = 0;
    do {
        const ptrdiff_t more = read_some(in, (char *)to + got, wanted - got);
        if (more < 0) return more;
        if (more == 0) break;
        got += (size_t)more;
        in->read += (size_t)more;
    } while (in->npy.swapped && got % size != 0);
    if (in->npy.swapped) bytes_reverse(to, got / size, size);
    tell_progress(in, got);
    return (ptrdiff_t)got;
}

/* Returns a view of the mapping. Releases the pages before it, so that at most one chunk is resident. */
static const void *view_input(void *self, size_t bytes) {
    stream_input *in = self;
    struct stat st = {0};
    const unsigned char *next = in->npy.mapped + in->npy.start + in->read;
    const uintptr_t page = (uintptr_t)next & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    if (page > (uintptr_t)in->npy.mapped)
        (void)madvise((void *)in->npy.mapped, page - (uintptr_t)in->npy.mapped, MADV_DONTNEED);
    if (signals_caught()) {
        errno = ECANCELED;
        return NULL;
    }
    if (fstat(in->npy.descriptor, &st) != 0 || (uintmax_t)st.st_size < in->npy.mapped_bytes) {
        npy_truncated(&in->npy.array, st.st_size > in->npy.start ? (size_t)(st.st_size - in->npy.start) : 0,
                      &in->error);
        errno = EIO;
        return NULL;
    }
    in->read += bytes;
    tell_progress(in, bytes);
    return next;
}

static int rewind_input(void *self) {
    stream_input *in = self;
    in->read = 0;
    return lseek(in->npy.descriptor, (off_t)in->npy.start, SEEK_SET) < 0 ? -1 : 0;
}

static bool open_input(stream *s, stream_input *in, const char *path) {
    *in = (stream_input){.stream = s, .path = path};
    if (!npy_open(path, &in->npy, &in->error)) {
        cli_error(s->command, "%s: %s", path, in->error.message);
        return false;
    }
    in->source = (weft_source){in->npy.array.dtype,
                               in->npy.array.n,
                               read_input,
                               in->npy.ordinary ? rewind_input : NULL,
                               in->npy.mapped ? view_input : NULL,
                               in};
    return true;
}

int stream_open(stream *s, const char *command, const cli_options *options, const char *const *paths, int count,
                int passes) {
    *s = (stream){.command = command, .options = options, .inputs = calloc((size_t)count, sizeof *s->inputs)};
    if (!s->inputs) {
        cli_error(command, "cannot allocate memory for %d files", count);
        return CLI_FAILED;
    }
    for (; s->count < count; s->count++)
        if (!open_input(s, &s->inputs[s->count], paths[s->count])) return CLI_FAILED;
    const npy_array *first = &s->inputs[0].npy.array;
    s->bytes = (double)passes * (double)first->n * (double)weft_dtype_size(first->dtype);
    signals_defer();
    progress_start(options, command);
    return CLI_DONE;
}

bool stream_rewind(stream *s) {
    for (int i = 0; i < s->count; i++) {
        if (rewind_input(&s->inputs[i]) == 0) continue;
        progress_end();
        cli_error(s->command, "%s: cannot be read again: %s", s->inputs[i].path, strerror(errno));
        return false;
    }
    return true;
}

/* -------------------------------------------------------------------------------- writing */

static int write_output(void *self, const void *from, size_t bytes) {
    stream *s = self;
    const file_part chunk = {from, bytes, s->written};
    if (!signals_caught() && file_put_part(&s->writer, &chunk, &s->error)) return 0;
    if (signals_caught()) errno = ECANCELED;
    return -1;
}

bool stream_write_to(stream *s, const char *to, weft_dtype dtype, const npy_shape *shape) {
    unsigned char header[NPY_HEADER_CAPACITY];
    const size_t length = npy_format_header(dtype, false, shape, header);
    s->to = to;
    s->written = weft_dtype_size(dtype);
    s->sink = (weft_sink){write_output, s};
    unsigned long long bytes = s->written;
    for (size_t i = 0; i < shape->rank; i++) bytes *= shape->dimensions[i];
    s->writing = file_begin(&s->writer, to, length + bytes, &s->error);
    if (s->writing && file_put(&s->writer, header, length, &s->error)) return true;
    progress_end();
    cli_error(s->command, "%s: %s", to, s->error.message);
    return false;
}

/* -------------------------------------------------------------------------------- the end */

bool stream_memory_refused(const stream *s, const weft_context *ctx) {
    const bool refused = s->options->memory && strstr(weft_last_error(ctx), "of memory for buffers");
    if (refused) cli_error(s->command, "--memory %zu: %s", s->options->memory, weft_last_error(ctx));
    return refused;
}

/* Prints the first error: that of a file, or otherwise that of the library's call. */
static int tell(const stream *s, const weft_context *ctx) {
    if (signals_caught()) return interrupted(s->command, s->inputs[0].path, s->done, s->bytes);
    for (int i = 0; i < s->count; i++) {
        if (!s->inputs[i].error.message[0]) continue;
        cli_error(s->command, "%s: %s", s->inputs[i].path, s->inputs[i].error.message);
        return CLI_FAILED;
    }
    if (s->error.message[0])
        cli_error(s->command, "%s: %s", s->to, s->error.message);
    else if (stream_memory_refused(s, ctx))
        return CLI_USAGE;
    else
        cli_error(s->command, "%s: %s", s->inputs[0].path, weft_last_error(ctx));
    return CLI_FAILED;
}

int stream_end(stream *s, const weft_context *ctx, weft_status status) {
    progress_end();
    const bool kept = !s->writing || file_end(&s->writer, status == WEFT_OK && !signals_caught(), &s->error);
    s->writing = false;
    return status == WEFT_OK && kept ? CLI_DONE : tell(s, ctx);
}

void stream_close(stream *s) {
    progress_end();
    if (s->writing) (void)file_end(&s->writer, false, &s->error);
    for (int i = 0; i < s->count; i++) npy_close(&s->inputs[i].npy);
    free(s->inputs);
    *s = (stream){0};
}
