/* Transport between ranks that are processes of MPI, and its opening. */
#include <mpi.h>

#include "dist/dist.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 1 << 30 }; /* maximum size of a message: MPI counts in int */

typedef struct mpi_line {
    MPI_Comm comm;
    bool ends_mpi;
    MPI_Request *requests; /* two for each rank */
    MPI_Status *statuses;  /* statuses of the requests */
    const char *from;      /* source and destination of the current move */
    char *to;
    int started; /* number of requests started in the current round */
} mpi_line;

/* True if this library initialized MPI. The weft_dist on MPI_COMM_WORLD must then finalize it. */
static bool started_here;

/* Converts a return code of MPI to a status. A failure makes the weft_dist unusable. */
static weft_status took(weft_dist *d, int code, const char *doing) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code == MPI_SUCCESS) return WEFT_OK;
    d->broken = true;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
    return weft_fail(&d->error, WEFT_DEVICE_LOST, "MPI failed while %s: %.*s", doing, length, text);
}

/* ---------------------------------------------------------------------------- transport */

static MPI_Comm comm_of(const weft_dist *d) { return ((const mpi_line *)d->line_state)->comm; }

static weft_status gather(weft_dist *d, const void *own, void *all, const int *counts, const int *offsets,
                          const char *doing) {
    return took(d, MPI_Allgatherv(own, counts[d->rank], MPI_BYTE, all, counts, offsets, MPI_BYTE, comm_of(d)), doing);
}

/* Splits the sum into calls whose count fits in int. */
static weft_status add(weft_dist *d, const uint64_t *own, uint64_t *all, size_t n, const char *doing) {
    enum { PART = 1 << 27 };
    for (size_t done = 0; done < n; done += PART) {
        const int part = n - done < PART ? (int)(n - done) : PART;
        RETURN_IF_ERROR(
            took(d, MPI_Allreduce(own + done, all + done, part, MPI_UINT64_T, MPI_SUM, comm_of(d)), doing));
    }
    return WEFT_OK;
}

/* MPI_Exscan leaves the result of rank 0 undefined; it is set to 0 here. */
static weft_status add_before(weft_dist *d, const uint64_t *own, uint64_t *before, size_t n, const char *doing) {
    memset(before, 0, n * sizeof *before);
    RETURN_IF_ERROR(took(d, MPI_Exscan(own, before, (int)n, MPI_UINT64_T, MPI_SUM, comm_of(d)), doing));
    if (d->rank == 0) memset(before, 0, n * sizeof *before);
    return WEFT_OK;
}

static weft_status deal(weft_dist *d, const uint64_t *own, uint64_t *all, const char *doing) {
    return took(d, MPI_Alltoall(own, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, comm_of(d)), doing);
}

/* Returns the size of the message in round `round` and sets *at to its offset. Returns 0 after the last message. */
static int message_bytes(extent bytes, size_t round, uint64_t *at) {
    *at = bytes.first + (uint64_t)round * MESSAGE_BYTES;
    if (*at >= bytes.end) return 0;
    return bytes.end - *at < MESSAGE_BYTES ? (int)(bytes.end - *at) : MESSAGE_BYTES;
}

/* Starts the messages of one round to and from another rank. */
static weft_status start_messages(weft_dist *d, int other, size_t round) {
    mpi_line *const line = d->line_state;
    uint64_t at;
    int bytes = message_bytes(d->in[other], round, &at);
    if (bytes)
        RETURN_IF_ERROR(
            took(d, MPI_Irecv(line->to + at, bytes, MPI_BYTE, other, 0, line->comm, &line->requests[line->started++]),
                 "receiving elements"));
    bytes = message_bytes(d->out[other], round, &at);
    if (bytes)
        RETURN_IF_ERROR(took(
            d, MPI_Isend(line->from + at, bytes, MPI_BYTE, other, 0, line->comm, &line->requests[line->started++]),
            "sending elements"));
    return WEFT_OK;
}

static weft_status start_round(weft_dist *d, size_t round) {
    mpi_line *const line = d->line_state;
    line->started = 0;
    for (int other = 0; other < d->size; other++)
        if (other != d->rank) RETURN_IF_ERROR(start_messages(d, other, round));
    return WEFT_OK;
}

static weft_status begin_move(weft_dist *d, const void *from, void *to) {
    mpi_line *const line = d->line_state;
    const extent here = d->out[d->rank];
    line->from = from;
    line->to = to;
    if (here.first < here.end)
        memcpy(line->to + d->in[d->rank].first, line->from + here.first, (size_t)(here.end - here.first));
    return start_round(d, 0);
}

/* Completes the first round, which has been started, and runs the rounds after it. */
static weft_status end_move(weft_dist *d) {
    const mpi_line *const line = d->line_state;
    for (size_t round = 1; line->started > 0; round++) {
        RETURN_IF_ERROR(took(d, MPI_Waitall(line->started, line->requests, line->statuses), "exchanging elements"));
        RETURN_IF_ERROR(start_round(d, round));
    }
    return WEFT_OK;
}

static void close_line(weft_dist *d) {
    mpi_line *const line = d->line_state;
    const bool ends_mpi = line->ends_mpi;
    if (line->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&line->comm);
    free(line->requests);
    free(line->statuses);
    free(line);
    if (ends_mpi) (void)MPI_Finalize();
}

/* ------------------------------------------------------------------------------ opening */

static weft_status combine_communicator(weft_dist *d, mpi_line *line, MPI_Comm comm) {
    weft_error *error = &d->error;
    RETURN_IF_ERROR(took(d, MPI_Comm_dup(comm, &line->comm), "duplicating the communicator"));
    RETURN_IF_ERROR(took(d, MPI_Comm_set_errhandler(line->comm, MPI_ERRORS_RETURN), "setting the error handler"));
    RETURN_IF_ERROR(took(d, MPI_Comm_rank(line->comm, &d->rank), "asking for the rank"));
    RETURN_IF_ERROR(took(d, MPI_Comm_size(line->comm, &d->size), "asking for the number of ranks"));
    line->requests = calloc(2 * (size_t)d->size, sizeof(MPI_Request));
    line->statuses = calloc(2 * (size_t)d->size, sizeof *line->statuses);
    RETURN_IF(!line->requests || !line->statuses, WEFT_OUT_OF_MEMORY,
              "cannot allocate memory for the messages of %d ranks", d->size);
    return WEFT_OK;
}

static weft_status open_on(weft_dist **out, weft_context *ctx, MPI_Comm comm, bool ends_mpi) {
    weft_error *error = dist_thread_error();
    weft_dist *const d = calloc(1, sizeof *d);
    mpi_line *const line = calloc(1, sizeof *line);
    if (!d || !line) {
        free(d);
        free(line);
        return weft_fail(error, WEFT_OUT_OF_MEMORY, "cannot allocate a distributed context of %zu bytes", sizeof *d);
    }
    *line = (mpi_line){.comm = MPI_COMM_NULL, .ends_mpi = ends_mpi};
    d->line_state = line;
    d->line = (transport){gather, add, add_before, deal, begin_move, end_move, close_line};
    weft_status status = combine_communicator(d, line, comm);
    if (status == WEFT_OK) status = dist_open(d, ctx);
    if (status != WEFT_OK) {
        *error = d->error;
        line->ends_mpi = false; /* the caller may try again, so MPI stays initialized */
        dist_release(d);
        return status;
    }
    error->message[0] = '\0';
    *out = d;
    return WEFT_OK;
}

static weft_status check_opening(weft_dist **d) {
    weft_error *error = dist_thread_error();
    int running = 0, ended = 0;
    RETURN_IF(!d, WEFT_INVALID, "d is NULL");
    *d = NULL;
    (void)MPI_Initialized(&running);
    (void)MPI_Finalized(&ended);
    RETURN_IF(!running || ended, WEFT_INVALID, "MPI is %s", ended ? "finalized" : "not initialized (MPI_Init)");
    return WEFT_OK;
}

/* Returns the number in the environment variable, or 0. */
static long number_of(const char *variable) {
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : 0;
}

/* Returns the environment variable in which the launcher states the number of processes that it started. Returns
 * NULL if this number is 1 or unknown. Jobs can be started within jobs, so the smaller of MPICH's and Open MPI's
 * numbers counts. Slurm's counts only if both are absent, and only that of a step: srun sets it, and a batch script
 * does not have it. */
static const char *launcher_variable(void) {
    static const char *const launchers[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"};
    const char *least = NULL;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (number_of(launchers[i]) < 1) continue;
        if (!least || number_of(launchers[i]) < number_of(least)) least = launchers[i];
    }
    if (!least) least = "SLURM_STEP_NUM_TASKS";
    return number_of(least) > 1 ? least : NULL;
}

/* Fails if MPI_COMM_WORLD has one rank although the launcher started several processes. The launcher then does not
 * belong to the MPI library, and each process would do the whole work. */
static weft_status check_launcher(void) {
    weft_error *error = dist_thread_error();
    const char *const variable = launcher_variable();
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int size = 0, length = 0;
    if (!variable || MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS || size != 1) return WEFT_OK;
    (void)MPI_Get_library_version(version, &length);
    return weft_fail(
        error, WEFT_INVALID,
        "MPI_COMM_WORLD has 1 rank, but the launcher started %ld processes (%s=%s): the launcher does not belong "
        "to the MPI library in use, %.*s",
        number_of(variable), variable, getenv(variable), (int)strcspn(version, ",\n"), version);
}

weft_status weft_dist_open(weft_dist **d, weft_context *ctx, MPI_Comm comm) {
    weft_error *error = dist_thread_error();
    RETURN_IF_ERROR(check_opening(d));
    RETURN_IF(comm == MPI_COMM_NULL, WEFT_INVALID, "comm is MPI_COMM_NULL");
    if (comm == MPI_COMM_WORLD) RETURN_IF_ERROR(check_launcher());
    return open_on(d, ctx, comm, false);
}

weft_status weft_dist_open_fortran(weft_dist **d, weft_context *ctx, int comm) {
    RETURN_IF_ERROR(check_opening(d));
    return weft_dist_open(d, ctx, MPI_Comm_f2c((MPI_Fint)comm));
}

static weft_status start_mpi(void) {
    weft_error *error = dist_thread_error();
    int running = 0, level = 0;
    (void)MPI_Initialized(&running);
    if (running) return WEFT_OK;
    RETURN_IF(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS, WEFT_DEVICE_LOST,
              "cannot initialize MPI");
    started_here = true;
    return WEFT_OK;
}

weft_status weft_dist_open_world(weft_dist **d, weft_context *ctx) {
    RETURN_IF_ERROR(start_mpi());
    RETURN_IF_ERROR(check_opening(d));
    RETURN_IF_ERROR(check_launcher());
    return open_on(d, ctx, MPI_COMM_WORLD, started_here);
}

weft_status weft_dist_local_rank(int *rank) {
    weft_error *error = dist_thread_error();
    MPI_Comm near;
    RETURN_IF(!rank, WEFT_INVALID, "rank is NULL");
    RETURN_IF_ERROR(start_mpi());
    RETURN_IF(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near) != MPI_SUCCESS,
              WEFT_DEVICE_LOST, "MPI cannot determine the ranks on this machine");
    (void)MPI_Comm_rank(near, rank);
    (void)MPI_Comm_free(&near);
    return WEFT_OK;
}
