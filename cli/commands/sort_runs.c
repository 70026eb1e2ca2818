/* An external sort (D. Knuth, The Art of Computer Programming 3, 5.4): runs as long as memory allows are sorted
 * one by one into a temporary file, then merged through a window on each run.
 *
 *     run 0   [.....window 0.....|..... not read yet .....]
 *     run 1   [.....window 1.....|......]
 *     run 2   [.....window 2.....|...........]
 *                               ^ the bound is the least of the last keys of all windows
 *
 * A key before the bound in any window cannot be preceded by a key that has not been read. These keys are gathered,
 * run by run, sorted and written. Keys equal to the bound are included from the runs up to the one that the bound
 * came from. Those of later runs must wait, since that run may have more of them. weft_sort is stable, so equal keys
 * keep the order of the file, and the result has the bits of a sort in memory. Keys are compared by weft_argsort of
 * two keys. */
#include "cli/commands/sort_runs.h"

#include "cli/progress.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW_BYTES = 1 << 12 }; /* minimum */

/* A sorted part of the temporary file. Numbers are in elements. */
typedef struct run {
    uint64_t next, end; /* the part still to be read */
    char *window;
    size_t held; /* number of elements in the window */
} run;

typedef struct sorter {
    stream *s;
    weft_context *ctx;
    weft_dtype dtype;
    weft_order_of_sort order;
    size_t size, memory;
    int descriptor; /* descriptor of the temporary file */
    char folder[PATH_MAX];
    run *runs;
    size_t count, window; /* number of runs; capacity of a window in elements */
    char *workspace;     /* for one run while runs are sorted, then for all windows and the keys gathered from them */
    const char *problem; /* the operation that failed; errno has the reason */
} sorter;

/* -------------------------------------------------------------------------- temporary file */

/* Opens the temporary file in $TMPDIR, or in the directory of the result. It has no name, so it disappears when the
 * process ends. */
static bool open_temporary(sorter *o) {
    const char *chosen = getenv("TMPDIR");
    char target[PATH_MAX];
    snprintf(target, sizeof target, "%s", o->s->writer.target ? o->s->writer.target : "/tmp/");
    snprintf(o->folder, sizeof o->folder, "%s", chosen && *chosen ? chosen : dirname(target));
    o->descriptor = open(o->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (o->descriptor >= 0) return true;
    char name[PATH_MAX + 16];
    snprintf(name, sizeof name, "%s/weft.XXXXXX", o->folder);
    o->descriptor = mkstemp(name);
    if (o->descriptor >= 0) return unlink(name) == 0;
    o->problem = "a temporary file cannot be created";
    return false;
}

static bool put_run(sorter *o, uint64_t first, size_t n) {
    const char *p = o->workspace;
    uint64_t at = first * o->size;
    for (size_t bytes = n * o->size; bytes > 0;) {
        const ssize_t put = pwrite(o->descriptor, p, bytes < SSIZE_MAX ? bytes : SSIZE_MAX, (off_t)at);
        if (put < 0 && errno == EINTR && !signals_caught()) continue;
        if (put < 0) {
            o->problem = "a temporary file cannot be written";
            return false;
        }
        p += put;
        at += (uint64_t)put;
        bytes -= (size_t)put;
    }
    return true;
}

/* Refills the run's window. */
static bool refill(sorter *o, run *r) {
    while (r->held < o->window && r->next < r->end) {
        const uint64_t left = r->end - r->next, capacity = o->window - r->held;
        const size_t n = (size_t)(left < capacity ? left : capacity);
        const ssize_t got =
            pread(o->descriptor, r->window + r->held * o->size, n * o->size, (off_t)(r->next * o->size));
        if (got < 0 && errno == EINTR && !signals_caught()) continue;
        if (got < (ssize_t)o->size) {
            if (got >= 0) errno = EIO;
            o->problem = "a temporary file cannot be read";
            return false;
        }
        r->next += (uint64_t)got / o->size;
        r->held += (size_t)got / o->size;
    }
    return true;
}

/* ------------------------------------------------------------------------------------ runs */

/* Reads up to n elements of the input. */
static bool read_run(sorter *o, size_t n) {
    const weft_source *x = &o->s->inputs[0].source;
    for (size_t bytes = n * o->size, got = 0; got < bytes;) {
        const ptrdiff_t more = x->read(x->self, o->workspace + got, bytes - got);
        if (more <= 0) return false;
        got += (size_t)more;
    }
    return true;
}

static bool make_runs(sorter *o, uint64_t n, size_t longest) {
    for (uint64_t first = 0; first < n; first += longest) {
        const size_t taken = n - first < longest ? (size_t)(n - first) : longest;
        if (!read_run(o, taken) ||
            weft_sort(o->ctx, o->order, o->dtype, taken, o->workspace, o->workspace) != WEFT_OK ||
            !put_run(o, first, taken))
            return false;
        o->runs[o->count++] = (run){.next = first, .end = first + taken};
    }
    return true;
}

/* --------------------------------------------------------------------------------- merging */

/* Returns true if a precedes b in sort order and is not equal to it. */
static bool precedes(const sorter *o, const void *a, const void *b) {
    uint64_t pair[2], first[2] = {0, 0};
    memcpy(pair, b, o->size);
    memcpy((char *)pair + o->size, a, o->size);
    (void)weft_argsort(o->ctx, o->order, o->dtype, WEFT_U64, 2, pair, first);
    return first[0] == 1;
}

/* Returns the number of keys in a window that precede the bound. With `equal`, keys equal to the bound count too. */
static size_t count_before(const sorter *o, const run *r, const void *bound, bool equal) {
    size_t low = 0, high = r->held;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *key = r->window + middle * o->size;
        if (equal ? !precedes(o, bound, key) : precedes(o, key, bound))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the run whose window has the least last key, among the runs that are not read to their end. Returns the
 * first of several such runs, and o->count if all runs are read. */
static size_t find_bound(const sorter *o, void *bound) {
    size_t least = o->count;
    for (size_t i = 0; i < o->count; i++) {
        const run *r = &o->runs[i];
        if (r->next == r->end) continue;
        const char *last = r->window + (r->held - 1) * o->size;
        if (least < o->count && !precedes(o, last, bound)) continue;
        memcpy(bound, last, o->size);
        least = i;
    }
    return least;
}

/* Moves the keys that can be written from the windows to `gathered`. Returns their number. */
static size_t gather(sorter *o, char *gathered) {
    uint64_t bound;
    const size_t from = find_bound(o, &bound);
    size_t n = 0;
    for (size_t i = 0; i < o->count; i++) {
        run *r = &o->runs[i];
        const size_t taken = from == o->count ? r->held : count_before(o, r, &bound, i <= from);
        memcpy(gathered + n * o->size, r->window, taken * o->size);
        memmove(r->window, r->window + taken * o->size, (r->held - taken) * o->size);
        r->held -= taken;
        n += taken;
    }
    return n;
}

static bool merge_runs(sorter *o, uint64_t n) {
    char *const gathered = o->workspace + o->count * o->window * o->size;
    for (size_t i = 0; i < o->count; i++) o->runs[i].window = o->workspace + i * o->window * o->size;
    for (uint64_t done = 0; done < n;) {
        for (size_t i = 0; i < o->count; i++)
            if (!refill(o, &o->runs[i])) return false;
        const size_t taken = gather(o, gathered);
        if (weft_sort(o->ctx, o->order, o->dtype, taken, gathered, gathered) != WEFT_OK) return false;
        if (o->s->sink.write(o->s->sink.self, gathered, taken * o->size) != 0) return false;
        done += taken;
        o->s->done += (double)(taken * o->size);
        progress_at_bytes(o->s->done, o->s->bytes);
    }
    return true;
}

/* -------------------------------------------------------------------------------- the sort */

/* Sorts n keys. A sort takes as much memory again as its keys, so a run takes half of the memory. All windows
 * together take a quarter. */
static bool sort(sorter *o, uint64_t n, size_t longest) {
    const size_t count = (size_t)((n + longest - 1) / longest);
    o->window = o->memory / 4 / o->size / (count ? count : 1);
    o->runs = calloc(count ? count : 1, sizeof *o->runs);
    o->workspace = malloc(o->memory / 2);
    errno = ENOMEM;
    o->problem = "cannot allocate memory for a sorted run";
    if (!o->runs || !o->workspace || !open_temporary(o)) return false;
    o->problem = "a temporary file cannot be written";
    if (!file_has_space(o->descriptor, n * o->size, &o->s->error)) return false;
    o->problem = NULL;
    return make_runs(o, n, longest) && merge_runs(o, n);
}

static int tell(const sorter *o, bool sorted) {
    stream *s = o->s;
    const char *const why = s->error.message[0] ? s->error.message : strerror(errno);
    if (sorted || !o->problem || signals_caught()) return stream_end(s, o->ctx, sorted ? WEFT_OK : WEFT_IO);
    progress_end();
    cli_error(s->command, "%s: %s (in %s): %s", s->inputs[0].path, o->problem, o->folder, why);
    return CLI_FAILED;
}

int sort_runs(stream *s, weft_context *ctx, weft_order_of_sort order) {
    const npy_array *x = &s->inputs[0].npy.array;
    sorter o = {.s = s, .ctx = ctx, .dtype = x->dtype, .order = order, .descriptor = -1};
    o.size = weft_dtype_size(x->dtype);
    o.memory = stream_memory(s->options);
    const size_t longest = o.memory / 2 / o.size;
    const double runs = longest ? (double)x->n / (double)longest + 1 : (double)x->n;
    if (longest == 0 || (double)o.memory / 4 < runs * WINDOW_BYTES) {
        cli_error(s->command, "%s: --memory %zu is too small to merge %.0f sorted runs", s->inputs[0].path, o.memory,
                  runs);
        return s->options->memory ? CLI_USAGE : CLI_FAILED;
    }
    snprintf(o.folder, sizeof o.folder, "memory");
    const int code = tell(&o, sort(&o, x->n, longest));
    if (o.descriptor >= 0) close(o.descriptor);
    free(o.runs);
    free(o.workspace);
    return code;
}
