#!/bin/sh
# Runs a program under mpirun, also with more ranks than cores. Usage: run.sh MPIEXEC RANKS PROGRAM ARGUMENTS... Open
# MPI rejects root and more ranks than cores unless these variables are set; other implementations ignore them.
# WEFT_MPI_LAYER is a library that is preloaded before MPI's, for the ranks only (tests/dist/patient.c).
set -eu
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMP_NUM_THREADS=1
mpiexec=$1 ranks=$2
shift 2
exec "$mpiexec" -n "$ranks" env ${WEFT_MPI_LAYER:+LD_PRELOAD="$WEFT_MPI_LAYER"} "$@"
