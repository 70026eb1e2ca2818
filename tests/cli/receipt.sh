#!/bin/sh
# Tests `weft receipt` and `weft check`: receipts of all operations agree on the CPU and with the specification, each
# change of an input, an output or a result is found, and text that is not a receipt is refused.
. "$(dirname "$0")/check.sh"
cd "$dir" || exit 1
npy x.npy '<f4' '(4, 4)' 0.1 2.5 -3.7 4 5 -6.25 0.7 8 9 1e9 -1000 3 0.3 0.2 0.1 1
npy v.npy '<f4' '(4,)' 0.5 0.25 2 8
npy e.npy '<f4' '(3,)' -1 2 5
npy i.npy '<i8' '(4,)' 2 0 3 1
npy f.npy '|u1' '(4,)' 1 0 1 1
npy o.npy '<i8' '(3,)' 0 1 4
npy g.npy '<f4' '(3, 3, 3)' $(seq 27)
npy d.npy '<f8' '(4,)' 1 2 3 4
npy b.npy '<f8' '(4, 2, 2)' 9 1 0 9 9 1 0 9 9 1 0 9 9 1 0 9
npy a.npy '<f8' '(2, 2)' -1 0 0 -1
npy m.npy '<f8' '(4, 2)' 1 2 3 4 5 6 7 8
printf 'day,price\n1,2.5\n2,\n3,7.25\n' >table.csv
printf 'the quick brown fox jumps over the lazy dog\n' >text.txt

# agrees ARGUMENT...: checks that the receipt of the call agrees on the CPU, and with the specification.
agrees() {
    w receipt "$@" >r.json 2>"$dir/stderr"
    is "weft receipt $*: exit code" 0 $?
    is "weft receipt $*: stderr" "" "$(cat "$dir/stderr")"
    for device in cpu ref; do
        is "weft check, weft $*" "every bit agrees: $1 on $device, order version $order; the receipt is of weft $version on cpu" \
            "$("$weft" --device $device check r.json 2>&1)"
    done
}
version=$(w --version | sed 's/weft \(.*\),.*/\1/')

for op in sum prod min max argmin argmax mean norm1 norm2 norminf any all count_nonzero variance; do agrees $op x.npy; done
for op in and or xor; do agrees $op i.npy; done
agrees sum x.npy --axis 0 -o y.npy
agrees sum x.npy --accumulate exact
agrees dot x.npy x.npy
agrees scan x.npy -o y.npy
agrees recurrence x.npy x.npy --output=y.npy
agrees map 'x + 1' x=x.npy -o y.npy
agrees map_reduce sum 'x * x' x=x.npy
agrees map_scan 'x * x' x=x.npy -o y.npy
agrees select x.npy --gt 1 -o y.npy
agrees partition x.npy --gt 1 -o y.npy
agrees unique x.npy -o y.npy
agrees run_length x.npy --values y.npy --lengths z.npy
agrees segmented_reduce v.npy --offsets o.npy -o y.npy
agrees segmented_scan v.npy --heads f.npy -o y.npy
agrees reduce_by_key i.npy v.npy -o y.npy --keys-out z.npy
agrees histogram x.npy --bins 3
agrees histogram x.npy --edges e.npy -o y.npy
agrees top_k x.npy -k 3
agrees quantile x.npy -q 0.1,0.5
agrees merge v.npy v.npy --no-check-sorted -o y.npy
agrees search_sorted e.npy v.npy
agrees matmul x.npy x.npy -o y.npy
agrees fft x.npy -o y.npy
agrees convolve v.npy v.npy -o y.npy
agrees tridiag -o y.npy -- -1 3 -1 d.npy
agrees tridiag_pivot 1 0 2 d.npy -o y.npy
agrees block_tridiag a.npy b.npy a.npy m.npy -o y.npy
agrees pentadiag -o y.npy -- 1 -4 9 -4 1 d.npy
agrees heat x.npy -o y.npy --png y.png
agrees laplace g.npy --sweeps 2 -o y.npy --history y.svg
agrees sort x.npy -o y.npy
agrees argsort x.npy -o y.npy
agrees random normal --n 100 -o y.npy
agrees sobol --dimensions 3 --n 8 -o y.npy
agrees price call --paths 500 --steps 2 --greeks
agrees scatter_reduce v.npy --index i.npy --targets 5 -o y.npy
agrees gather x.npy --index i.npy -o y.npy
agrees scatter x.npy --index i.npy --targets 5 -o y.npy
agrees match --words the,fox text.txt
agrees sum table.csv --column price --missing nan
agrees sum text.txt --raw u16
agrees sum x.npy --memory 1K

# The members of a receipt.
w receipt scan v.npy -o y.npy --op max >r.json
hash() { sha256sum "$1" | cut -d ' ' -f 1; }
if command -v sha256sum >/dev/null 2>&1; then
    is "a receipt" "{\"receipt\": 1, \"version\": \"$version\", \"order\": $order, \"device\": \"cpu\", \"command\": \"scan\", \
\"arguments\": [\"v.npy\", \"-o\", \"y.npy\", \"--op\", \"max\"], \"format\": {}, \
\"inputs\": [{\"file\": \"v.npy\", \"sha256\": \"$(hash v.npy)\"}], \
\"outputs\": [{\"file\": \"y.npy\", \"sha256\": \"$(hash y.npy)\"}], \
\"result\": {\"command\": \"scan\", \"file\": \"v.npy\", \"output\": \"y.npy\", \"op\": \"max\", \"exclusive\": false, \
\"dtype\": \"f32\", \"n\": 4, \"result\": \"f32\"}}" "$(cat r.json)"
fi

# check writes no output, also with white space between the tokens of the receipt.
rm y.npy
python3 -c 'import json; print(json.dumps(json.load(open("r.json")), indent=2))' >indented.json
mkdir temporary
TMPDIR=$dir/temporary
export TMPDIR
prints "every bit agrees: scan on cpu, order version $order; the receipt is of weft $version on cpu" check indented.json
is "check writes no output" "" "$(ls y.npy* temporary/* 2>/dev/null)"
TMPDIR=$dir/none refuses 1 "no temporary file can be created" check r.json 2>/dev/null
prints "{\"command\": \"check\", \"file\": \"r.json\", \"agrees\": true, \"differences\": [], \"order\": $order}" check r.json --json

# finds SENTENCE [EXPRESSION]: checks that weft check prints the sentence, with the receipt changed by sed.
finds() {
    sed "${2:-}" r.json >changed.json
    got=$(w check changed.json 2>&1)
    is "weft check, $1: exit code" 1 $?
    checks=$((checks + 1))
    case $got in
    "$1"*) ;;
    *) failed "weft check: sentence" "  expected: $1" "  got:      $got" ;;
    esac
}
zeros=$(printf '%064d' 0)
finds "output y.npy differs: SHA-256 " "s/\(outputs.*sha256\": \"\)[0-9a-f]*/\1$zeros/"
finds "input v.npy differs: SHA-256 " "s/\(inputs.*\)\"sha256\": \"[0-9a-f]*\(.*outputs\)/\1\"sha256\": \"$zeros\2/"
finds "result differs: \"op\":\"max\"" 's/"op": "max"/"op": "min"/'
finds "output y.npy differs: SHA-256 " 's/"--op", "max"/"--op", "min"/'
finds "output 1 of the operation is y.npy, z.npy in the receipt" 's/\(outputs.*\)y.npy\(", "sha\)/\1z.npy\2/'
finds "output 1 of the operation is y.npy, none in the receipt" 's/"outputs": \[.*\], "result/"outputs": [], "result/'
finds "input 1 of the operation is v.npy, none in the receipt" 's/"inputs": \[.*\], "outputs/"inputs": [], "outputs/'
npy v.npy '<f4' '(4,)' 0.5 0.25 2 9
finds "input v.npy differs: SHA-256 "
rm v.npy
finds "weft check: input v.npy cannot be opened: No such file or directory"
npy v.npy '<f4' '(4,)' 0.5 0.25 2 8
finds "weft scan: --op median: " 's/"max"\]/"median"]/'
w receipt sum x.npy >r.json
finds "result differs: \"value\":" 's/\("value": \)[-0-9.]*/\14/'
finds "result differs: \"bits\":\"0x" 's/\("bits": \)"0x[0-9a-f]*/\1"0x40000000/'
finds "weft check: changed.json: command \"bench\": expected an operation" 's/"command": "sum", "arg/"command": "bench", "arg/'
finds "weft: unknown command 'summe'" 's/"command": "sum", "arg/"command": "summe", "arg/'
finds "weft check: changed.json: order 1: this library has order version $order" 's/"order": [0-9]*/"order": 1/'
finds "weft check: changed.json: receipt 2: expected format 1" 's/"receipt": 1/"receipt": 2/'
finds "weft check: changed.json: byte 15: expected the member \"version\"" 's/"version": "[^"]*", //'
finds "weft check: changed.json: sha256 \"12\": expected 64 hexadecimal digits" 's/"sha256": "[0-9a-f]*"/"sha256": "12"/'
finds "weft check: changed.json: byte " 's/"format": {}/"format": {"encoding": "x"}/'
finds "weft sum: --as requires --column" 's/"format": {}/"format": {"as": "f32"}/'
finds "weft check: changed.json: byte " 's/}$/} x/'
finds "weft check: changed.json: byte " 's/}$//'
finds "weft check: changed.json: byte " 's/"arguments": \[/"arguments": [7, /'
finds "weft check: changed.json: byte 0: expected '{'" 's/.*/a receipt/'

refuses 1 "none.json: cannot be opened: No such file or directory" check none.json
refuses 1 "x.npy: is not a text of a receipt" check x.npy
refuses 2 "0 files given, 1 receipt expected" check
refuses 2 "unknown option --first" check --first r.json
refuses 2 "weft check: --raw: this command does not read arrays" check r.json --raw f32
refuses 2 "an operation is missing" receipt
refuses 2 "weft receipt: verify: expected an operation" receipt verify
refuses 2 "unknown command 'summe'" receipt summe x.npy
refuses 2 "weft random: --raw: this command does not read arrays" receipt random normal --n 3 -o y.npy --raw f32
refuses 2 "weft scan: --json cannot be combined with -o -" receipt scan x.npy -o -
refuses 1 "/dev/null: a receipt requires a regular file" receipt scan x.npy -o /dev/null
w sum - <x.npy >/dev/null
w receipt sum - <x.npy >out.json 2>"$dir/stderr"
is "standard input: exit code" "1 " "$? $(cat out.json)"
is "standard input" "weft sum: -: a receipt requires a regular file" "$(cat "$dir/stderr")"

finish
