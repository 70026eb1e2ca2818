#!/bin/sh
# Tests that one rank is an error if the launcher started several processes, and is accepted if it started one. Usage:
# launcher.sh WEFT [MPIEXEC of another MPI]
set -u
weft=$1 other=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
unset PMI_SIZE PMI_RANK OMPI_COMM_WORLD_SIZE SLURM_STEP_NUM_TASKS SLURM_NTASKS
failed=0
"$weft" --device cpu random normal --n 1000 -o x.npy
sum=$("$weft" --device cpu sum x.npy)

# one VARIABLE=VALUE...: runs without a launcher, in that environment
one() { env "$@" "$weft" --device cpu --mpi sum x.npy >out 2>err; }
refuses() {
    one "$@" && { echo "launcher: $*: no error" && failed=1; }
    grep -q "MPI_COMM_WORLD has 1 rank, but the launcher started 3 processes ($1)" err ||
        { echo "launcher: $*:" && cat err && failed=1; }
}
accepts() {
    if ! one "$@" || [ "$(cat out)" != "$sum" ]; then
        echo "launcher: $*:" && cat out err && failed=1
    fi
}
accepts NOTHING=1
refuses OMPI_COMM_WORLD_SIZE=3
refuses SLURM_STEP_NUM_TASKS=3
accepts SLURM_NTASKS=3 SLURM_NPROCS=3
accepts OMPI_COMM_WORLD_SIZE=1
accepts OMPI_COMM_WORLD_SIZE=1 SLURM_STEP_NUM_TASKS=3
accepts OMPI_COMM_WORLD_SIZE=3 PMI_SIZE=1
if [ -n "$other" ]; then
    "$other" -n 3 "$weft" --device cpu --mpi sum x.npy >out 2>err && { echo "launcher: $other: no error" && failed=1; }
    if [ -s out ] || ! grep -q "MPI_COMM_WORLD has 1 rank, but the launcher started 3 processes" err; then
        echo "launcher: $other:" && cat out err && failed=1
    fi
fi
exit $failed
