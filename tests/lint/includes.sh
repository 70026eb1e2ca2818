#!/bin/sh
# Checks which directories a file may include (docs/dev/ADD_AN_OPERATION.md). Usage: includes.sh SOURCE_DIR
set -u
cd "$1" || exit 1
failed=0

# only WHO PATTERN FILE...: every include in the files must match the extended regular expression.
only() {
    who=$1
    pattern=$2
    shift 2
    for file in "$@"; do
        [ -f "$file" ] || continue
        bad=$(grep -nE '^[[:space:]]*#[[:space:]]*include' "$file" | sed -E 's/#[[:space:]]+include/#include/' |
            grep -vE "#include ($pattern)" || true)
        [ -z "$bad" ] || { echo "$file: $who may not include:" && echo "$bad" && failed=1; }
    done
}

# <anything.h> of C and POSIX, which is whatever does not come from a GPU toolkit or another library
std='<(sys/|arpa/|linux/)?[a-z_]+\.h>'
own_def='"core/(ops|types|halves|status|distributions|sobol)\.def"'

only "the public header" '<std(def|int)\.h>' include/weft.h
only "the public header of libweft_dist" '"weft\.h"' include/weft_dist.h
only "src/core" "$std|\"(core/[a-z_]+\.(h|def)|formula/(expr|formula)\.h|weft\.h)\"" $(ls src/core/*.[ch] src/core/api/*.c | grep -vE '/(bindings|exact_state|fft_plan|half_random)\.c$|/reals\.h$')
only "reals" '<string\.h>|"(arith/formats|weft)\.h"' src/core/reals.h
only "bindings and half_random" "$std|\"(core/[a-z_]+\.(h|def)|formula/expr\.h|arith/halves\.h)\"" src/core/bindings.c src/core/half_random.c
only "fft_plan" "$std|\"(core/[a-z_]+\.h|arith/turns\.h)\"" src/core/fft_plan.c
only "exact_state" "$std|\"(core/[a-z_]+\.h|arith/exact\.h|weft\.h)\"" src/core/api/exact_state.c
only "src/formula" "$std|\"(formula/[a-z_]+\.(h|def)|core/[a-z_]+\.(h|def)|weft\.h)\"" src/formula/*.[ch]
only "src/ref" "$std|\"(ref/[a-z_/]+\.h|core/(order|backend|offsets|indices|elementary|exact_ops|types)\.h|weft\.h)\"|$own_def" src/ref/*.[ch] src/ref/*/*.[ch]
only "src/arith" "$std|\"(arith/[a-z_]+|core/(order|elementary)|formula/formula)\.h\"" src/arith/*.h
only "src/stream" "$std|\"((stream|core|formula|arith)/[a-z_]+\.(h|def)|weft\.h)\"" src/stream/*.[ch]
only "src/cpu" "$std|\"((cpu|cpu/common|cpu/runtime|core|formula|arith)/[a-z_]+\.(h|def)|cpu/kernels/(bodies/each_type|bodies/each_half|bodies/key_body|vectors)\.h|weft\.h)\"|BODY" src/cpu/*.[ch] src/cpu/*.def src/cpu/common/* src/cpu/runtime/*
only "src/cpu/kernels" "$std|BODY|\"((cpu|cpu/common|cpu/runtime|cpu/kernels|cpu/kernels/bodies|core|formula|arith)/[a-z_]+\.(h|def)|weft\.h)\"" src/cpu/kernels/*.[ch] src/cpu/kernels/*.def src/cpu/kernels/bodies/*
only "src/cuda" "$std|<cuda[a-z_0-9]*\.h>|<cub/[a-z_/]+\.cuh>|\"(cuda/[a-z_]+/[a-z_0-9]+\.(h|cuh|def)|(core|formula|arith)/[a-z_0-9]+\.(h|def)|weft\.h)\"" src/cuda/*/*.*
only "cli" "$std|\"(cli/[a-z_/]+\.(h|def)|ladder/ladder\.h|ladder/executor/translate\.h|core/byte_order\.h|weft(_dist)?\.h)\"|$own_def" $(ls cli/*.[ch] cli/*/*.[ch] cli/*/*/*.[ch] | grep -Ev '/(verify|tune_check|record).c$')
only "verify and tune" "$std|\"(cli/[a-z_/]+\.h|verify/(digest|match)\.h|weft\.h)\"" cli/commands/verify.c cli/bench/tune_check.c
only "record" "$std|\"(cli/[a-z_/]+\.h|verify/sha256\.h)\"" cli/io/record.c
only "ladder" "$std|<[a-z_]+>|<(cuda[a-z_0-9]*\.h|cu(b|blas|sparse|fft|rand|blas)[a-z_/0-9]*\.(h|cuh)|thrust/[a-z_/]+\.h)>|\"(climb|ladder|weft)\.h\"|\"executor\.h\"|\"linking/squares\.h\"|\"topics\.def\"" ladder/*.cu ladder/*.h
only "ladder/linking" "$std|\"squares\.h\"" ladder/linking/*
only "ladder/executor" "$std|<[a-z_]+>|\"(executor|translate|bulk_copies|cuda|cuda_runtime|cuda_fp16|cuda_pipeline|cooperative_groups)\.h\"" ladder/executor/*.c ladder/executor/*.cc ladder/executor/*.h ladder/executor/*/*.h
only "src/dist" "$std|\"(dist/[a-z_]+|core/(byte_order|order|error|exact_ops|fpmode|indices|parts|reals|types)|arith/[a-z_]+|weft_dist)\.h\"" src/dist/*.c src/dist/*.h
only "examples" "$std|<(weft(_dist)?|mpi)\.h>" examples/*.c

# Only src/cuda and src/dist/nccl.c include CUDA's headers. <cuda.h> matches the pattern of the standard ones above.
bad=$(grep -nE '#include <(cu[a-z]*|cub/.*|nccl|nv[a-z_]*)(_[a-z0-9_]+)?\.(h|cuh)>' -r include src verify cli examples tests |
    grep -vE '^(src/cuda/|tests/cuda/|tests/executor/|tests/dist/gpus\.c|src/dist/nccl\.c)' | grep -vE '<curses' || true)
[ -z "$bad" ] || { echo "CUDA outside src/cuda and src/dist/nccl.c:" && echo "$bad" && failed=1; }
[ $failed = 0 ] && echo "includes: in order"
exit $failed
