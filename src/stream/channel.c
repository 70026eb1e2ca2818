/* Sources and sinks provided by the library: arrays and file descriptors. */
#include "stream/channel.h"

#include "core/copy.h"
#include "stream/transfer.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static ptrdiff_t read_memory(void *self, void *to, size_t bytes) {
    weft_channel *c = self;
    const uint64_t left = c->bytes - c->at;
    const size_t taken = bytes < left ? bytes : (size_t)left;
    if (taken) weft_copy_on_threads(to, (const char *)c->memory + c->at, taken);
    c->at += taken;
    return (ptrdiff_t)taken;
}

static const void *view_memory(void *self, size_t bytes) {
    weft_channel *c = self;
    c->at += bytes;
    return (const char *)c->memory + c->at - bytes;
}

static int rewind_memory(void *self) {
    ((weft_channel *)self)->at = 0;
    return 0;
}

weft_source weft_source_memory(weft_channel *channel, weft_dtype dtype, uint64_t n, const void *x) {
    *channel = (weft_channel){.descriptor = -1, .start = -1, .memory = x, .bytes = n * weft_dtype_size(dtype)};
    return (weft_source){dtype, n, read_memory, rewind_memory, view_memory, channel};
}

bool channel_is_array(const weft_source *source) { return source->view == view_memory; }

static ptrdiff_t read_descriptor(void *self, void *to, size_t bytes) {
    const weft_channel *c = self;
    for (;;) {
        const ssize_t got = read(c->descriptor, to, bytes < SSIZE_MAX ? bytes : SSIZE_MAX);
        if (got >= 0 || errno != EINTR) return got;
    }
}

static int rewind_descriptor(void *self) {
    const weft_channel *c = self;
    return lseek(c->descriptor, (off_t)c->start, SEEK_SET) < 0 ? -1 : 0;
}

weft_source weft_source_descriptor(weft_channel *channel, weft_dtype dtype, uint64_t n, int descriptor) {
    *channel = (weft_channel){.descriptor = descriptor, .start = lseek(descriptor, 0, SEEK_CUR)};
    return (weft_source){dtype, n, read_descriptor, channel->start < 0 ? NULL : rewind_descriptor, NULL, channel};
}

static int write_descriptor(void *self, const void *from, size_t bytes) {
    const weft_channel *c = self;
    for (const char *p = from; bytes > 0;) {
        const ssize_t put = write(c->descriptor, p, bytes < SSIZE_MAX ? bytes : SSIZE_MAX);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return -1;
        p += put;
        bytes -= (size_t)put;
    }
    return 0;
}

weft_sink weft_sink_descriptor(weft_channel *channel, int descriptor) {
    *channel = (weft_channel){.descriptor = descriptor, .start = -1};
    return (weft_sink){write_descriptor, channel};
}

static int write_memory(void *self, const void *from, size_t bytes) {
    weft_channel *c = self;
    if (bytes > c->bytes - c->at) {
        errno = ENOSPC;
        return -1;
    }
    if (bytes) weft_copy_on_threads((char *)c->to + c->at, from, bytes);
    c->at += bytes;
    return 0;
}

void *channel_workspace(const weft_sink *sink, uint64_t *bytes) {
    const weft_channel *c = sink->self;
    if (sink->write != write_memory) return NULL;
    *bytes = c->bytes - c->at;
    return (char *)c->to + c->at;
}

void channel_advance(const weft_sink *sink, uint64_t bytes) { ((weft_channel *)sink->self)->at += bytes; }

weft_sink weft_sink_memory(weft_channel *channel, uint64_t bytes, void *y) {
    *channel = (weft_channel){.descriptor = -1, .start = -1, .to = y, .bytes = bytes};
    return (weft_sink){write_memory, channel};
}
