/* Opening and closing; what MPI returns; slices. */
#include "dist/dist.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local weft_error thread_error;

weft_status dist_mpi(weft_dist *d, int code, const char *doing) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code == MPI_SUCCESS) return WEFT_OK;
    d->broken = true;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
    return weft_fail(&d->error, WEFT_DEVICE_LOST, "MPI failed while %s: %.*s", doing, length, text);
}

/* ------------------------------------------------------------------------------ opening */

static void release(weft_dist *d) {
    free(d->records);
    free(d->begin);
    free(d->requests);
    free(d->statuses);
    free(d->in);
    free(d->out);
    free(d->counts);
    free(d->places);
    free(d->roots);
    free(d);
}

/* Room for what a call needs of each rank, so that no call fails for it. */
static bool hold_room(weft_dist *d) {
    const size_t ranks = (size_t)d->size;
    d->records = calloc(ranks, sizeof *d->records);
    d->begin = calloc(ranks + 1, sizeof *d->begin);
    d->requests = calloc(2 * ranks, sizeof(MPI_Request));
    d->statuses = calloc(2 * ranks, sizeof *d->statuses);
    d->in = calloc(ranks, sizeof *d->in);
    d->out = calloc(ranks, sizeof *d->out);
    d->counts = calloc(ranks, sizeof *d->counts);
    d->places = calloc(ranks, sizeof *d->places);
    d->roots = calloc(ranks * ROOTS_MAX, sizeof *d->roots);
    return d->records && d->begin && d->requests && d->statuses && d->in && d->out && d->counts && d->places &&
           d->roots;
}

static weft_status join_communicator(weft_dist *d, MPI_Comm comm) {
    FORWARD(dist_mpi(d, MPI_Comm_dup(comm, &d->comm), "duplicating the communicator"));
    FORWARD(dist_mpi(d, MPI_Comm_set_errhandler(d->comm, MPI_ERRORS_RETURN), "setting the error handler"));
    FORWARD(dist_mpi(d, MPI_Comm_rank(d->comm, &d->rank), "asking for the rank"));
    return dist_mpi(d, MPI_Comm_size(d->comm, &d->size), "asking for the number of ranks");
}

static weft_status open_on(weft_dist **out, weft_context *ctx, MPI_Comm comm, bool ends_mpi) {
    weft_error *error = &thread_error;
    int fine, all_fine = 0;
    weft_dist *d = calloc(1, sizeof *d);
    RETURN_IF(!d, WEFT_OUT_OF_MEMORY, "no memory for a distributed context (%zu bytes)", sizeof *d);
    d->ctx = ctx;
    d->ends_mpi = ends_mpi;
    weft_status status = join_communicator(d, comm);
    if (status == WEFT_OK) {
        fine = hold_room(d) && ctx;
        status = dist_mpi(d, MPI_Allreduce(&fine, &all_fine, 1, MPI_INT, MPI_MIN, d->comm), "opening");
        if (status == WEFT_OK && !all_fine)
            status = weft_fail(&d->error, ctx ? WEFT_OUT_OF_MEMORY : WEFT_INVALID, "%s",
                               ctx ? "a rank has no context, or no memory for what it holds of the others"
                                   : "the context is NULL");
    }
    if (status != WEFT_OK) {
        *error = d->error;
        release(d);
        return status;
    }
    error->message[0] = '\0';
    *out = d;
    return WEFT_OK;
}

static weft_status check_opening(weft_dist **d) {
    weft_error *error = &thread_error;
    int running = 0, ended = 0;
    RETURN_IF(!d, WEFT_INVALID, "the place for the distributed context is NULL");
    *d = NULL;
    (void)MPI_Initialized(&running);
    (void)MPI_Finalized(&ended);
    RETURN_IF(!running || ended, WEFT_INVALID, "MPI %s", ended ? "has ended" : "has not been started (MPI_Init)");
    return WEFT_OK;
}

weft_status weft_dist_open(weft_dist **d, weft_context *ctx, MPI_Comm comm) {
    weft_error *error = &thread_error;
    FORWARD(check_opening(d));
    RETURN_IF(comm == MPI_COMM_NULL, WEFT_INVALID, "the communicator is MPI_COMM_NULL");
    return open_on(d, ctx, comm, false);
}

weft_status weft_dist_open_fortran(weft_dist **d, weft_context *ctx, int comm) {
    FORWARD(check_opening(d));
    return weft_dist_open(d, ctx, MPI_Comm_f2c((MPI_Fint)comm));
}

weft_status weft_dist_open_world(weft_dist **d, weft_context *ctx) {
    weft_error *error = &thread_error;
    int running = 0, level = 0;
    (void)MPI_Initialized(&running);
    RETURN_IF(!running && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS, WEFT_DEVICE_LOST,
              "MPI could not be started");
    FORWARD(check_opening(d));
    return open_on(d, ctx, MPI_COMM_WORLD, !running);
}

void weft_dist_close(weft_dist *d) {
    if (!d) return;
    const bool ends_mpi = d->ends_mpi;
    (void)MPI_Comm_free(&d->comm);
    release(d);
    if (ends_mpi) (void)MPI_Finalize();
}

int weft_dist_rank(const weft_dist *d) { return d ? d->rank : 0; }
int weft_dist_size(const weft_dist *d) { return d ? d->size : 0; }
const char *weft_dist_last_error(const weft_dist *d) { return d ? d->error.message : thread_error.message; }

/* ------------------------------------------------------------------------------- slices */

weft_slice weft_slice_of(size_t count) { return (weft_slice){count, WEFT_NOT_GIVEN, WEFT_NOT_GIVEN}; }

weft_slice weft_dist_share(const weft_dist *d, uint64_t total) {
    const uint64_t ranks = (uint64_t)d->size, rank = (uint64_t)d->rank, more = total % ranks;
    const uint64_t offset = total / ranks * rank + (rank < more ? rank : more);
    return (weft_slice){(size_t)(total / ranks + (rank < more)), offset, total};
}
