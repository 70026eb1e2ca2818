#!/bin/sh
# Kills a rank: the job must end with an error within 30 seconds. Usage: death.sh MPIEXEC FAULTS
set -u
start=$(date +%s)
timeout 60 sh "$(dirname "$0")/run.sh" "$1" 3 "$2" death >/dev/null 2>&1
code=$?
seconds=$(($(date +%s) - start))
[ $code -ne 0 ] && [ $seconds -le 30 ] || { echo "death: exit code $code after $seconds seconds" && exit 1; }
echo "death: the job ended with exit code $code after $seconds seconds"
