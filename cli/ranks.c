#include "cli/ranks.h"
#include "cli/io/file.h"
#include "cli/io/npy/npy_header.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---------------------------------------------------------------------- supported commands */

bool ranks_spread(const char *operation) {
    static const char *const names[] = {
#define REDUCE(ID, name, domain, result, empty, help) #name,
#include "core/ops.def"
        "variance", "dot", "scan", "sort"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], operation) == 0) return true;
    return false;
}

bool ranks_can(const char *command) {
    if (ranks_spread(command) || strcmp(command, "price") == 0 || strcmp(command, "bench") == 0) return true;
    cli_error(command, "--mpi: only reductions, variance, dot, scan, sort, price and bench support several ranks");
    return false;
}

bool ranks_read(const cli_options *options, const char *command, char *const *files, int count) {
    for (int i = 0; options->mpi && i < count; i++)
        if (strcmp(files[i], "-") == 0) {
            cli_error(command, "-: --mpi requires files, of which each rank reads and writes its part");
            return false;
        }
    return true;
}

/* --------------------------------------------------------------------------------- opening */

/* Loads libweft_dist.so, which is next to libweft.so, by the command's own search path. It stays loaded, because MPI
 * ends with the process. */
static bool load(ranks *r, const char *command) {
    void *const library = dlopen("libweft_dist.so.0", RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        cli_error(command, "--mpi: weft was built without MPI, or its library is not installed: %s", dlerror());
        return false;
    }
#define FUNCTION(name)                                                                                               \
    if (!(r->library.name = (__typeof__(r->library.name))dlsym(library, "weft_dist_" #name))) {                      \
        cli_error(command, "--mpi: libweft_dist.so belongs to another release of weft: it has no weft_dist_" #name); \
        return false;                                                                                                \
    }
#include "cli/ranks.def"
    return true;
}

/* Assigns GPUs to the ranks of a machine in turn, unless the device is fixed by --device. */
static bool choose_device(const ranks *r, const char *command, cli_options *options, char name[32]) {
    const size_t gpus = weft_device_count() - 1; /* device 0 is the CPU */
    const char *const device = options->device ? options->device : "auto";
    int rank;
    if (gpus == 0 || (strcmp(device, "auto") != 0 && strcmp(device, "cuda") != 0)) return true;
    if (r->library.local_rank(&rank) != WEFT_OK) {
        cli_error(command, "--mpi: %s", r->library.last_error(NULL));
        return false;
    }
    snprintf(name, 32, "cuda:%zu", (size_t)rank % gpus);
    options->device = name;
    return true;
}

static int open_rank(ranks *r, const char *command, const cli_options *options, weft_context **ctx) {
    char name[32];
    cli_options own = *options;
    if (!load(r, command) || !choose_device(r, command, &own, name)) return CLI_FAILED;
    const int code = cli_open(command, &own, ctx);
    if (code != CLI_DONE || r->library.open_world(&r->d, *ctx) == WEFT_OK) return code;
    cli_error(command, "--mpi: %s", r->library.last_error(NULL));
    weft_close(*ctx);
    *ctx = NULL;
    return CLI_FAILED;
}

int ranks_open(ranks *r, const char *command, const cli_options *options, weft_context **ctx) {
    *r = (ranks){.d = NULL};
    *ctx = NULL;
    return options->mpi ? open_rank(r, command, options, ctx) : cli_open(command, options, ctx);
}

void ranks_close(ranks *r) {
    if (r->d) r->library.close(r->d);
    r->d = NULL;
}

int ranks_agree(const ranks *r, bool fine) {
    if (r->d) fine = r->library.agree(r->d, fine ? WEFT_OK : WEFT_INVALID, NULL) == WEFT_OK;
    return fine ? CLI_DONE : CLI_FAILED;
}

bool ranks_first(const ranks *r) { return !r->d || r->library.rank(r->d) == 0; }
size_t ranks_count(const ranks *r, size_t n) { return r->d ? r->library.share(r->d, n).count : n; }
const char *ranks_last_error(const ranks *r) { return r->library.last_error(r->d); }

/* --------------------------------------------------------------------------------- calling */

static const void *part(const void *whole, weft_dtype dtype, weft_slice slice) {
    return whole ? (const char *)whole + slice.offset * weft_dtype_size(dtype) : NULL;
}

weft_status ranks_apply(const ranks *r, const operation *operation, const operands *in, value *out,
                        weft_dtype *type) {
    const weft_slice slice = r->library.share(r->d, in->n);
    operands own = *in;
    own.x = part(in->x, in->dtype, slice);
    own.y = part(in->y, in->dtype, slice);
    return ranks_apply_slices(r, operation, &own, slice, out, type);
}

weft_status ranks_apply_slices(const ranks *r, const operation *operation, const operands *in, weft_slice slice,
                               value *out, weft_dtype *type) {
    const ranks_library *const l = &r->library;
    const void *const x = in->x, *const y = in->y;
    const bool variance = operation_is(operation, "variance"), dot = operation_is(operation, "dot");
    const weft_op rule = variance ? WEFT_MEAN : dot ? WEFT_SUM : operation->op;
    if (operation_is(operation, "scan"))
        return l->scan(r->d, in->op, in->kind, in->dtype, in->accumulate, slice, x, in->init, in->to);
    if (operation_is(operation, "sort")) return l->sort(r->d, WEFT_ASCENDING, in->dtype, slice, x, in->to);
    if (weft_reduce_result(rule, in->dtype, in->accumulate, type) != WEFT_OK) *type = WEFT_DEFAULT;
    if (variance) return l->variance(r->d, in->dtype, in->accumulate, slice, in->ddof, x, out);
    if (dot) return l->dot(r->d, in->dtype, in->accumulate, slice, x, y, out);
    return l->reduce(r->d, operation->op, in->dtype, in->accumulate, slice, x, out);
}

weft_status ranks_sort(const ranks *r, weft_dtype dtype, weft_order_of_sort order, size_t n, const void *x,
                       void *sorted) {
    const weft_slice slice = r->library.share(r->d, n);
    return r->library.sort(r->d, order, dtype, slice, part(x, dtype, slice), sorted);
}

weft_status ranks_price(const ranks *r, const weft_option *option, const weft_simulation *simulation,
                        weft_valuation *valuation) {
    return r->library.price(r->d, option, simulation, valuation);
}

/* --------------------------------------------------------------------------------- writing */

typedef struct writing {
    char target[PATH_MAX], temporary[PATH_MAX];
    bool replaces; /* a file called `target` exists; `replaced` is its state */
    struct stat replaced;
    npy_error error;
} writing;

/* Determines the names: the array is written to `temporary`, which is renamed to `target`. Symbolic links are kept.
 */
static bool name_files(writing *w, const char *path) {
    w->replaces = stat(path, &w->replaced) == 0;
    if (w->replaces && !S_ISREG(w->replaced.st_mode))
        return npy_fail(&w->error, "is not a regular file, which the ranks require for writing");
    if (!file_follow_links(path, w->target, &w->error)) return false;
    if (snprintf(w->temporary, sizeof w->temporary, "%s.part", w->target) >= (int)sizeof w->temporary)
        return npy_fail(&w->error, "the file name is too long");
    return true;
}

static bool close_written(int fd, bool written, npy_error *error) {
    if (written && fsync(fd) != 0) written = npy_fail(error, "cannot be written: %s", strerror(errno));
    if (close(fd) == 0 || !written) return written;
    return npy_fail(error, "cannot be written: %s", strerror(errno));
}

/* Creates the file with its full length, on the first rank. */
static bool make_file(writing *w, const unsigned char *header, size_t length, off_t bytes) {
    const int fd = file_make_temporary(w->temporary, false);
    if (fd < 0) return npy_fail(&w->error, "cannot be created: %s", strerror(errno));
    bool made = file_has_space(fd, (unsigned long long)bytes, &w->error) &&
                file_put(&(file_writer){.descriptor = fd}, header, length, &w->error);
    if (made && ftruncate(fd, bytes) != 0) made = npy_fail(&w->error, "cannot be created: %s", strerror(errno));
    return close_written(fd, made, &w->error);
}

static bool write_slice(writing *w, const file_part *slice, off_t at) {
    const int fd = open(w->temporary, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return npy_fail(&w->error, "cannot be opened: %s", strerror(errno));
    const bool written =
        (lseek(fd, at, SEEK_SET) == at || npy_fail(&w->error, "cannot be written: %s", strerror(errno))) &&
        file_put_part(&(file_writer){.descriptor = fd}, slice, &w->error);
    return close_written(fd, written, &w->error);
}

/* Returns true if `fine` is true on all ranks. Otherwise the first rank prints the error of the first rank that
 * failed.
 */
static bool agree_on(const ranks *r, const char *command, const char *path, bool fine, const writing *w) {
    if (r->library.agree(r->d, fine ? WEFT_OK : WEFT_INVALID, w->error.message) == WEFT_OK) return true;
    if (ranks_first(r)) cli_error(command, "%s: %s", path, ranks_last_error(r));
    return false;
}

/* Sets the access rights of the temporary file and renames it. */
static bool rename_file(const writing *w) {
    const int fd = open(w->temporary, O_WRONLY | O_CLOEXEC);
    const bool fine =
        fd >= 0 && (w->replaces ? file_keep_access(fd, w->target, &w->replaced) : file_take_usual_mode(fd));
    if (fd >= 0) close(fd);
    return fine && rename(w->temporary, w->target) == 0;
}

int ranks_write(const ranks *r, const char *command, const char *path, weft_dtype dtype, const npy_array *x,
                const void *slice) {
    writing w = {.error = {""}};
    unsigned char header[NPY_HEADER_CAPACITY];
    const size_t size = weft_dtype_size(dtype), length = npy_format_header(dtype, false, &x->shape, header);
    const weft_slice own = r->library.share(r->d, x->n);
    const bool first = ranks_first(r);
    bool fine = name_files(&w, path);
    if (fine && first) fine = make_file(&w, header, length, (off_t)(length + x->n * size));
    if (!agree_on(r, command, path, fine, &w)) return CLI_FAILED;
    fine = write_slice(&w, &(file_part){slice, own.count * size, size}, (off_t)(length + own.offset * size));
    fine = agree_on(r, command, path, fine, &w);
    if (!first) return fine ? CLI_DONE : CLI_FAILED;
    if (fine && !rename_file(&w)) {
        cli_error(command, "%s: cannot be created: %s", path, strerror(errno));
        fine = false;
    }
    if (!fine) (void)unlink(w.temporary);
    file_release();
    return fine ? CLI_DONE : CLI_FAILED;
}
