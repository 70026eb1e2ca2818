#!/bin/sh
# Tests names of commands and values: misspellings, synonyms, names of features that weft does not have, and '-' for
# '_'.
. "$(dirname "$0")/check.sh"
x=$dir/x.npy
npy "$x" '<f4' '(3,)' 1 2 4

# says NAME SENTENCE: checks that the name is not a command and that the message contains the sentence.
says() { refuses 2 "weft: unknown command '$1'; $2" "$1"; }

# Synonyms of features that weft has.
says std "use 'weft variance'; the standard deviation is the square root of the variance"
says var "use 'weft variance'"
says AVG "use 'weft mean'"
says average "use 'weft mean'"
says cumsum "use 'weft scan'"
says CumSum "use 'weft scan'"
says prefix-sum "use 'weft scan'"
says exclusive_scan "use 'weft scan --exclusive'"
says dot-product "use 'weft dot'"
says product "use 'weft prod'"
says rand "use 'weft random uniform'"
says arg-max "use 'weft argmax'"
says hist "use 'weft histogram'"
says searchsorted "use 'weft search_sorted'"
says norm "use 'weft norm2'"
says ifft "use 'weft fft --inverse'"
says sqrt "use 'weft map'"
says median "use 'weft quantile X.npy' for the median"
says PERCENTILE "use 'weft quantile X.npy'"
says medain "did you mean 'median'? use 'weft quantile X.npy'"
says medan "did you mean 'median'? use 'weft quantile X.npy'"
says quantlie "did you mean 'quantile'?"
refuses 2 "unknown command 'cumsum'; use 'weft scan'" help cumsum

# Features that weft does not have: the message says so, and does not suggest a command that computes something else.
says nand "weft has no such operation"
for name in SUM Sum smu summ sm; do says "$name" "did you mean 'sum'?"; done
for name in prodd MEAN maen veriance Top-K matmull tuor argmx historgam partitoin; do
    got=$(w "$name" 2>&1)
    case $got in
    *"; did you mean '"*"'?") ;;
    *) failed "weft $name: $got" ;;
    esac
done

# Names of other computations in NumPy, BLAS, shells, ... and words similar to a command's name do not suggest another
# command.
for name in mode mad ptp nanmean nanmedian nor nand xnor not sub mul mod abs dct dst det inv cov head heap scal swap copy \
    fft2 fftn norm0 norm4 norm7 rank prime slice covariance deconvolve trace mask mark tan sinh axpy argmix reject diff \
    outer seat bap mop sun tort fit fat day ant mix mux port sold match2 sort3 hash roll flip stack tile; do
    checks=$((checks + 1))
    case $(w "$name" 2>&1) in
    *"did you mean"*) failed "weft $name: $(w "$name" 2>&1)" ;;
    esac
done

# No alias is a command, occurs twice or is too long for the table.
aliases=$(python3 -c 'import re, sys
for names in re.findall(r"ALIAS\(((?:\s*\"[^\"]*\")+)\s*,", open(sys.argv[1]).read()):
    print("\n".join("".join(re.findall(r"\"([^\"]*)\"", names)).split()))' "$root/cli/aliases.def" | sort)
is "the longest alias fits the table" "" "$(echo "$aliases" | grep '.\{24\}')"
is "aliases fit the table" yes "$([ "$(echo "$aliases" | wc -l)" -le "$(sed -n 's/.*ALIAS_COUNT = \([0-9]*\).*/\1/p' "$root/cli/verbs.c")" ] && echo yes)"
is "aliases that are there twice" "" "$(echo "$aliases" | uniq -d)"
for verb in $(w help --list); do
    checks=$((checks + 1))
    echo "$aliases" | grep -qx "$verb" && failed "$verb is a command, and an alias too"
done

# '-' and '_' are equivalent in commands and values.
prints 3 count-nonzero "$x"
prints 3 count_nonzero "$x"
is "weft help top-k" "$(w help top_k)" "$(w help top-k)"
is "weft top-k --help" "$(w top_k --help)" "$(w top-k --help)"
prints 3 map-reduce count-nonzero 'x' x="$x"
for payoff in digital-call digital_call floating_asian-put; do
    is "price $payoff" "$(w price "$(echo $payoff | tr _ -)" --paths 1000 --steps 2)" "$(w price $payoff --paths 1000 --steps 2)"
done
case $(w --json price digital_call --paths 1000 --steps 2) in
*'"payoff": "digital-call"'*) ;;
*) failed "price --json digital_call does not print the payoff's own name" ;;
esac
is "price --barrier" "$(w price call --barrier up-out --level 2 --paths 1000 --steps 2)" \
    "$(w price call --barrier up_out --level 2 --paths 1000 --steps 2)"
prints "$(w heat "$x" --method crank-nicolson -o "$dir/y.npy")" heat "$x" --method crank_nicolson -o "$dir/z.npy"
is "heat --method" "$(values "$dir/y.npy")" "$(values "$dir/z.npy")"
is "ladder first_steps" "$(w ladder first-steps --show thread-index)" "$(w ladder first_steps --show thread_index)"
w bench --size 10 --op count-nonzero,run-length >/dev/null 2>"$dir/stderr"
is "bench --op count-nonzero" 0 $?
w verify --level tiny --op count-nonzero --every 50 >/dev/null 2>"$dir/stderr"
is "verify --op count-nonzero" 0 $?
refuses 2 "weft verify: --every 2x: expected an integer from 1 to" verify --every 2x
refuses 2 "weft verify: --every -1: expected an integer from 1 to" verify --every -1
refuses 2 "weft verify: --jobs 0: expected an integer from 1 to 4096" verify --jobs 0
finish
