/* For MPICH, whose calls wait in a busy loop without yielding. With more ranks than cores, each rank uses its whole
 * time slice only to find that nothing has arrived. This layer sleeps between tests instead. It is loaded before the
 * MPI library (run.sh), whose calls may be replaced by such a profiling layer (MPI 3.1, 14.2). */
#include <mpi.h>

#include <time.h>

/* Waits until `request` is complete. `code` is the status of the call that started it. */
static int wait_for(int code, MPI_Request *request) {
    const struct timespec nap = {.tv_nsec = 1000};
    int done = 0;
    for (int looks = 0; code == MPI_SUCCESS && !done; looks++) {
        if (looks > 10) (void)nanosleep(&nap, NULL);
        code = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    return code;
}

int MPI_Allgatherv(const void *own, int count, MPI_Datatype type, void *all, const int *counts, const int *offsets,
                   MPI_Datatype all_type, MPI_Comm comm) {
    MPI_Request r;
    return wait_for(PMPI_Iallgatherv(own, count, type, all, counts, offsets, all_type, comm, &r), &r);
}

int MPI_Allreduce(const void *own, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    MPI_Request r;
    return wait_for(PMPI_Iallreduce(own, all, count, type, op, comm, &r), &r);
}

int MPI_Exscan(const void *own, void *before, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    MPI_Request r;
    return wait_for(PMPI_Iexscan(own, before, count, type, op, comm, &r), &r);
}

int MPI_Alltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                 MPI_Comm comm) {
    MPI_Request r;
    return wait_for(PMPI_Ialltoall(from, count, type, to, to_count, to_type, comm, &r), &r);
}

int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    MPI_Request r;
    return wait_for(PMPI_Ibcast(bytes, count, type, root, comm, &r), &r);
}

/* Leaves `statuses` unchanged: the callers read them only after a failure. */
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    int code = MPI_SUCCESS;
    (void)statuses;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) code = wait_for(MPI_SUCCESS, &requests[i]);
    return code;
}
