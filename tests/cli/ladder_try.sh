#!/bin/sh
# Tests weft ladder new, try, hint and grade: files, errors of the compiler, crashes, endless loops, JSON, --watch.
# Usage: ladder_try.sh WEFT EXERCISES, the directory that ladder/source.py has written.
. "$(dirname "$0")/check.sh"
solutions=$2/solutions
mkdir "$dir/temporary" "$dir/class" "$dir/class/a" "$dir/class/b"
export TMPDIR="$dir/temporary"
my=$dir/my.cu
parameters='(size_t n, const float *a, const float *b, float *c)'

# finds MESSAGE FILE OPTION...: checks that the file is wrong, with this message.
finds() {
    message=$1
    shift
    w ladder try "$@" >"$dir/stdout" 2>"$dir/stderr"
    is "try $*: exit code" 1 $?
    checks=$((checks + 1))
    case $(cat "$dir/stdout" "$dir/stderr") in
    *"$message"*) ;;
    *) failed "try $*" "  expected: $message" "  got:      $(cat "$dir/stdout" "$dir/stderr")" ;;
    esac
}

# own BODY: a file of vector-add/own whose function solve has this body.
own() { printf '/* weft ladder vector-add/own */\n%s\n' "void solve$parameters { $1 }" >"$my"; }

refuses 2 "new: expected TOPIC/EXERCISE or TOPIC/RUNG, and the name of the file to write" ladder new reduce/odd
refuses 2 "reduce has no rung or exercise 'od'; did you mean 'odd'?" ladder new reduce/od "$my"
refuses 2 "unknown topic 'redcue'; did you mean 'reduce'?" ladder new redcue/odd "$my"
prints "" ladder new reduce/odd "$my"
is "the first lines" "/* weft ladder reduce/odd: the sum of any number of elements, by blocks of
 * any size" "$(head -2 "$my")"
is "blanks" 2 "$(grep -c 'WRITE THIS: ' "$my")"
is "markers, hints and checks" 0 "$(grep -c -E 'Blank|Hint|check_exercise|Sizes' "$my")"
refuses 1 "my.cu exists already: choose another name" ladder new reduce/odd "$my"
refuses 1 "No such file or directory" ladder new reduce/odd "$dir/none/my.cu"
prints "$(w ladder new vector-add/own "$dir/1.cu" && cat "$dir/1.cu")" ladder new vector-add -

refuses 2 "try: expected one file, such as my.cu" ladder try
refuses 2 "the ladder supports only cpu (the executor, which simulates a GPU) and cuda" --device ref ladder try "$my"
refuses 1 "none.cu: No such file or directory" ladder try none.cu
echo '__global__ void f() {}' >"$dir/plain.cu"
refuses 1 "expected the first line '/* weft ladder TOPIC/EXERCISE'" ladder try "$dir/plain.cu"
CXX=none++ refuses 1 "CXX is 'none++', which was not found: expected a C++ compiler" ladder try "$my"
PATH=/none "$weft" ladder try "$my" >"$dir/stdout" 2>&1
is "no compiler" 1 "$(grep -c 'no C++ compiler was found: install g++' "$dir/stdout")"

own 'c[0] = q;'
finds "my.cu:2:" "$my"
finds "was not declared in this scope" "$my"
own '<<<1, 1>>>(n);'
finds "my.cu:2: expected a launch: kernel<<<blocks, threads>>>(arguments)" "$my"
own '*(volatile int *)0 = 1;'
finds "n = 1: the host's code was ended by a signal: Segmentation fault" "$my"
own 'exit(3);'
finds "n = 1: the host's code ended the program with the exit code 3" "$my"
own 'cudaFree(c + 1);'
finds "WRONG. n = 1, threads in backward order: cudaFree at my.cu:2: the pointer is not the start of an allocation" "$my"
own 'cudaMemset(c, 0, n * 8);'
finds "WRONG. n = 1, threads in backward order: cudaMemset at my.cu:2: the allocation is smaller than this" "$my"
finds "starts a copy of 12 bytes to shared memory, where 4, 8 or 16 are possible, at twelve-bytes.cu:" \
    "$2/bulk_copies/differences/faults/twelve-bytes.cu"
finds "shared memory before the copy to it at no-wait.cu:" "$2/bulk_copies/differences/faults/no-wait.cu"
own 'for (volatile int i = 0;;) i = 1;'
finds "n = 1: not finished after 1 seconds" "$my" --limit 1
echo '/* weft ladder vector-add/own */ void solve(int n) {}' >"$my"
finds "my.cu: solve(unsigned long, float const*, float const*, float*) is not defined" "$my"
# Two kernels with dynamic shared memory of one name and two types, and a variable of that name.
cat >"$my" <<'TEXT'
// weft ladder vector-add/own
__global__ void f(size_t n, const float *a, const float *b, float *c) {
    extern __shared__ float tile[];
    tile[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x < n) c[threadIdx.x] = tile[threadIdx.x] + b[threadIdx.x];
}
__global__ void g(int *x) {
    extern __shared__ __align__(16) int tile[];
    *x = tile[0];
}
void solve(size_t n, const float *a, const float *b, float *c) {
    const int tile = 32;
    const char *const text = "a <<< b"; // not a launch: <<<
    if (*text == 'a') f<<<1, tile, tile * sizeof(float)>>>(n, a, b, c);
}
TEXT
finds "n = 1, threads in backward order: block 0: thread 31 reads byte 124 of an allocation of 4" "$my"
w ladder try "$my" --n 32 >"$dir/stdout"
is "one size" 1 "$(grep -c '^Right\. Hash of the results: [0-9a-f]*\. Traffic: 10 of 10 points\.$' "$dir/stdout")"
is "temporary files" "" "$(ls "$dir/temporary")"

# A hash depends on the results only.
hash() { w ladder try "$@" | sed -n 's/.*Hash of the results: \([0-9a-f]*\).*/\1/p'; }
sed 's/256/128/g' "$solutions/vector_add/own.cu" >"$dir/other.cu"
is "equal results" "$(hash "$solutions/vector_add/own.cu")" "$(hash "$dir/other.cu")"
checks=$((checks + 1))
[ "$(hash "$dir/other.cu")" != "$(hash "$dir/other.cu" --seed 2)" ] || failed "another seed gives the same hash"

# Clang reports copies of structures in another way.
if command -v clang++ >/dev/null; then
    w ladder new vector-add/sixteen-bytes "$dir/sixteen.cu"
    is "clang++" "$(CXX=g++ w ladder try "$dir/sixteen.cu")" "$(CXX=clang++ w ladder try "$dir/sixteen.cu")"
else
    echo "left out: clang++ is not installed"
fi

prints "Hint 4 of 4: \`*sum\` must be 0 before the kernel adds to it:
\`cudaMemset(sum, 0, sizeof *sum)\`." ladder hint reduce/odd 4
is "hint of a file" "$(w ladder hint vector-add/own 2)" "$(w ladder hint "$solutions/vector_add/own.cu" 2)"
is "all hints" 4 "$(w ladder hint reduce/odd --all | grep -c '^Hint [1-4] of 4: ')"
refuses 2 "hint 5: expected an integer from 1 to 4" ladder hint reduce/odd 5
refuses 2 "reduce/shuffles is a rung: only exercises have hints" ladder hint reduce/shuffles
is "exercises of a topic" 1 "$(w ladder reduce --exercises | grep -c '^  reduce/odd  *the sum of any number of elements')"

cp "$solutions/vector_add/own.cu" "$dir/class/a"
cp "$dir/1.cu" "$dir/class/b/own.cu"
w ladder grade "$dir/class" >"$dir/stdout"
is "grade: exit code" 1 $?
is "grade" "right WRONG 1 of 2 files are right" "$(echo $(grep -Eo ' right  | WRONG |^1 of 2.*' "$dir/stdout"))"
w --json ladder grade "$dir/class" >"$dir/json"
is "grade --json" "True 10 False 1 2" "$(python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
a, b = o["files"]
assert a["topic"] == "vector-add" and a["name"] == "own" and len(a["hash"]) == 16 and b["hash"] is None
assert b["said"].startswith("n = 1, ") and len(b["sizes"]) == len(a["sizes"]) > 5
print(a["right"], a["traffic_points"], b["right"], o["right"], o["count"])' "$dir/json")"
w --json ladder try "$solutions/reduce/odd.cu" >"$dir/json"
is "try --json" "reduce odd True" "$(python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
print(*(o["results"][0][key] for key in ("topic", "name", "right")))' "$dir/json")"
refuses 1 "contains no file *.cu" ladder grade "$dir/temporary"
refuses 1 "none: No such file or directory" ladder grade none

# --watch tries the file again when it is saved.
cp "$dir/1.cu" "$my"
: >"$dir/watched"
"$weft" --device cpu ladder try "$my" --watch >"$dir/watched" 2>&1 &
watcher=$!
said() { for _ in $(seq 200); do grep -q "$1" "$dir/watched" && return; sleep 0.1; done; failed "--watch: $1"; }
said '^WRONG'
cp "$solutions/vector_add/own.cu" "$my"
said '^Right'
kill "$watcher"
wait "$watcher" 2>/dev/null
is "temporary files at the end" "" "$(ls "$dir/temporary")"
finish
