#!/bin/sh
# Tests weft matmul: products known by hand, its options and shapes, the check against a plain loop, and the output
# file.
. "$(dirname "$0")/check.sh"
c=$y

npy "$dir/a.npy" '<f4' '(2, 3)' 1 2 3 4 5 6
npy "$dir/b.npy" '<f4' '(3, 2)' 1 0 0 2 -1 1
npy "$dir/af.npy" '<f4' '(2, 3)' 1 4 2 5 3 6 --order True
npy "$dir/bf.npy" '<f4' '(3, 2)' 1 0 -1 0 2 1 --order True
npy "$dir/a8.npy" '>f8' '(2, 3)' 1 2 3 4 5 6
npy "$dir/b8.npy" '<f8' '(3, 2)' 1 0 0 2 -1 1
npy "$dir/a2.npy" '<f2' '(2, 3)' 1 2 3 4 5 6
npy "$dir/b2.npy" '>f2' '(3, 2)' 1 0 0 2 -1 1
npy "$dir/v.npy" '<f4' '(3,)' 1 10 100
npy "$dir/i.npy" '<i4' '(3, 2)' 1 2 3 4 5 6
npy "$dir/cube.npy" '<f4' '(1, 3, 2)' 1 2 3 4 5 6
npy "$dir/none.npy" '<f4' '(3, 0)'
npy "$dir/empty.npy" '<f4' '(0, 2)'

gives "<f4 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/a.npy" "$dir/b.npy"
gives "<f4 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/a.npy" "$dir/b.npy" --accumulate f64
gives "<f4 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/a.npy" "$dir/b.npy" --accumulate exact
gives "<f8 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/a8.npy" "$dir/b8.npy" --accumulate exact
gives "<f2 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/a2.npy" "$dir/b2.npy" --accumulate exact
gives "<f4 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/af.npy" "$dir/b.npy"
gives "<f4 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/a.npy" "$dir/bf.npy"
gives "<f4 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/af.npy" "$dir/bf.npy"
gives "<f8 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/a8.npy" "$dir/b8.npy"
gives "<f4 (3, 3) 1.0 8.0 3.0 2.0 10.0 3.0 3.0 12.0 3.0" matmul "$dir/a.npy" "$dir/b.npy" --transpose ab
gives "<f4 (3, 3) 1.0 8.0 3.0 2.0 10.0 3.0 3.0 12.0 3.0" matmul "$dir/af.npy" "$dir/bf.npy" --transpose ab
gives "<f4 (2, 2) 14.0 32.0 32.0 77.0" matmul "$dir/a.npy" "$dir/a.npy" --transpose b
gives "<f4 (3, 3) 17.0 22.0 27.0 22.0 29.0 36.0 27.0 36.0 45.0" matmul "$dir/a.npy" "$dir/a.npy" --transpose a
gives "<f4 (2,) 321.0 654.0" matmul "$dir/a.npy" "$dir/v.npy"
gives "<f4 (2,) -99.0 120.0" matmul "$dir/v.npy" "$dir/b.npy"
gives "<f4 () 10101.0" matmul "$dir/v.npy" "$dir/v.npy"
gives "<f4 (2, 0)" matmul "$dir/a.npy" "$dir/none.npy"
gives "<f4 (3, 2) 0.0 0.0 0.0 0.0 0.0 0.0" matmul "$dir/none.npy" "$dir/empty.npy"
is "from a pipe" "<f4 (2, 2) -2.0 7.0 -2.0 16.0" \
    "$(w matmul - "$dir/b.npy" -o - <"$dir/a.npy" >"$dir/piped"; values "$dir/piped")"
for device in ref cpu; do
    for threads in 1 2 7; do
        w matmul "$root/examples/data/co2.npy" "$root/examples/data/co2.npy" -o "$dir/$device$threads.npy" \
            --device $device --threads $threads
        is "co2 on $device, $threads threads" same "$(cmp "$dir/ref1.npy" "$dir/$device$threads.npy" && echo same)"
    done
done

# stacks, in both orders, which are broadcast as in NumPy; complex numbers
npy "$dir/pair.npy" '<f4' '(2, 2, 3)' 1 2 3 4 5 6 0 1 0 2 0 3
npy "$dir/pair_f.npy" '<f4' '(2, 2, 3)' --order True 1 0 4 2 2 1 5 0 3 0 6 3
npy "$dir/column.npy" '<f4' '(2, 1, 3, 2)' 1 0 0 2 -1 1 1 1 1 1 1 1
for pair in pair pair_f; do
    gives "<f4 (2, 2, 2) -2.0 7.0 -2.0 16.0 0.0 2.0 -1.0 3.0" matmul "$dir/$pair.npy" "$dir/b.npy"
    gives "<f4 (2, 2, 2) -2.0 7.0 -2.0 16.0 0.0 2.0 -1.0 3.0" matmul "$dir/$pair.npy" "$dir/bf.npy" --accumulate exact
    gives "<f4 (2, 2, 2, 2) -2.0 7.0 -2.0 16.0 0.0 2.0 -1.0 3.0 6.0 6.0 15.0 15.0 1.0 1.0 5.0 5.0" \
        matmul "$dir/$pair.npy" "$dir/column.npy"
    gives "<f4 (2, 2) 321.0 654.0 10.0 302.0" matmul "$dir/$pair.npy" "$dir/v.npy"
    gives "<f4 (2, 3, 3) 17.0 22.0 27.0 22.0 29.0 36.0 27.0 36.0 45.0 4.0 0.0 6.0 0.0 1.0 0.0 6.0 0.0 9.0" \
        matmul "$dir/$pair.npy" "$dir/$pair.npy" --transpose a
done
gives "<f4 (2, 1, 2) -99.0 120.0 111.0 111.0" matmul "$dir/v.npy" "$dir/column.npy"
gives "<f4 (1, 2, 2) 22.0 28.0 49.0 64.0" matmul "$dir/a.npy" "$dir/cube.npy"
npy "$dir/nothing.npy" '<f4' '(1, 3, 0)'
gives "<f4 (1, 2, 0)" matmul "$dir/a.npy" "$dir/nothing.npy"
npy "$dir/z.npy" '<c8' '(2, 2)' 1 2 0 1 3 -1 0.5 0
npy "$dir/zf.npy" '<c8' '(2, 2)' --order True 1 2 3 -1 0 1 0.5 0
npy "$dir/w.npy" '<c16' '(2,)' 0 1 1 1
npy "$dir/w3.npy" '<c16' '(1, 2, 1)' 0 1 1 1
for z in z zf; do
    gives "<c8 (2, 2) -2.0 7.0 -2.0 1.5 6.5 4.5 1.25 3.0" matmul "$dir/$z.npy" "$dir/z.npy"
    gives "<c8 (2, 2) -4.0 4.0 5.0 5.5 5.0 5.5 8.25 -6.0" matmul "$dir/z.npy" "$dir/$z.npy" --transpose b --accumulate exact
done
gives "<c16 () -1.0 2.0" matmul "$dir/w.npy" "$dir/w.npy"
gives "<c16 (1, 1) -1.0 2.0" matmul "$dir/w.npy" "$dir/w3.npy"

# the check
prints "passed: the relative Euclidean norm of the difference to a plain loop is 0, the pass mark 1e-06" \
    matmul "$dir/a.npy" "$dir/bf.npy" --check
is "--check with -o" "<f4 (2, 2) -2.0 7.0 -2.0 16.0" \
    "$(w matmul "$dir/a.npy" "$dir/b.npy" --check -o "$c" >"$dir/stdout"; values "$c")"
npy "$dir/far.npy" '<f4' '(2, 3)' 100000000 1 -100000000 1 1 1
npy "$dir/ones.npy" '<f4' '(3, 2)' 1 1 1 2 1 1
w matmul "$dir/far.npy" "$dir/ones.npy" --check -o "$dir/far_c.npy" >"$dir/stdout"
is "a product that lost everything: exit code" 1 $?
is "a product that lost everything" \
    "FAILED: the relative Euclidean norm of the difference to a plain loop is 0.408, the pass mark 1e-06
  C[0, 0] = 0, a plain loop gives 1
  C[0, 1] = 0, a plain loop gives 2
  2 of 4 entries have a relative difference greater than 1e-06" "$(cat "$dir/stdout")"
is "a product that failed is not written" "" "$(ls "$dir" | grep far_c)"
prints "passed: the relative Euclidean norm of the difference to a plain loop is 0, the pass mark 1e-06" \
    matmul "$dir/far.npy" "$dir/ones.npy" --check --accumulate f64

# JSON
got=$(w matmul "$dir/a.npy" "$dir/b.npy" --check -o "$c" --json | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(*o.values())')
is "--json" "matmul $dir/a.npy $dir/b.npy $c f32 2 2 3 0 cpu $order" "$got"

is "--json of stacks of complex matrices" '"dtype": "complex f64", "m": 1, "n": 1, "k": 2, "stack": [1], "device": "cpu"' \
    "$(w matmul "$dir/w.npy" "$dir/w3.npy" -o "$c" --json | sed 's/.*"dtype"/"dtype"/; s/, "order.*//')"

# shapes that do not match
refuses 1 "$dir/a.npy is 2 x 3 and $dir/a.npy is 2 x 3: the columns of the first must equal the rows of the second" \
    matmul "$dir/a.npy" "$dir/a.npy" -o "$c"
refuses 1 "$dir/v.npy is 1 x 3 and $dir/a.npy is 2 x 3" matmul "$dir/v.npy" "$dir/a.npy" -o "$c"
refuses 1 "$dir/a.npy has elements of type f32 and $dir/b8.npy of type f64: both must have the same type" \
    matmul "$dir/a.npy" "$dir/b8.npy" -o "$c"
refuses 1 "$dir/i.npy: has elements of type i32: expected f32, f64, f16, bf16 or complex" matmul "$dir/a.npy" "$dir/i.npy" -o "$c"

npy "$dir/three.npy" '<f4' '(3, 1, 1, 3)' 1 2 3 4 5 6 7 8 9
npy "$dir/two.npy" '<f4' '(2, 2, 3, 1)' 1 2 3 4 5 6 7 8 9 10 11 12
refuses 1 "$dir/three.npy has shape (3, 1, 1, 3) and $dir/two.npy has shape (2, 2, 3, 1): the stacks cannot be broadcast to one shape" \
    matmul "$dir/three.npy" "$dir/two.npy" -o "$c"
refuses 1 "$dir/pair.npy: has 3 dimensions: --check supports 1 and 2" matmul "$dir/pair.npy" "$dir/b.npy" --check
refuses 1 "$dir/z.npy: has elements of type complex f32: --check supports f32 and f64" matmul "$dir/z.npy" "$dir/z.npy" --check
refuses 1 "$dir/z.npy has elements of type complex f32 and $dir/a.npy of type f32: both must have the same type" \
    matmul "$dir/z.npy" "$dir/a.npy" -o "$c"
npy "$dir/scalar.npy" '<f4' '()' 1
refuses 1 "$dir/scalar.npy: has 0 dimensions: expected 1 (a vector) to 16" matmul "$dir/scalar.npy" "$dir/a.npy" -o "$c"
npy "$dir/deep.npy" '<c8' "($(printf '1, %.0s' $(seq 16)))" 1 2
refuses 1 "$dir/deep.npy: has 16 dimensions: expected 1 (a vector) to 15" matmul "$dir/deep.npy" "$dir/z.npy" -o "$c"

# bfloat16 has the code of 2 raw bytes: 1 2 3 times 1 0 -1 is -2
npy "$dir/a16.npy" '<V2' '(3,)' 0x3f80 0x4000 0x4040
npy "$dir/b16.npy" '<V2' '(3,)' 0x3f80 0 0xbf80
gives "<V2 () 49152" matmul "$dir/a16.npy" "$dir/b16.npy" --accumulate exact # 0xc000
gives "<V2 () 49152" matmul "$dir/a16.npy" "$dir/b16.npy"
gives "<f2 (2, 2) -2.0 7.0 -2.0 16.0" matmul "$dir/a2.npy" "$dir/b2.npy"
refuses 1 "weft matmul: $dir/a2.npy: matmul of f16 can accumulate only in f32 or exact" \
    matmul "$dir/a2.npy" "$dir/b2.npy" --accumulate f64 -o "$c"
refuses 1 "weft matmul: $dir/a16.npy: has elements of type bf16: --check supports f32 and f64" \
    matmul "$dir/a16.npy" "$dir/b16.npy" --accumulate exact --check

# wrong calls
refuses 2 "weft matmul: $dir/a.npy: option -o C.npy is required" matmul "$dir/a.npy" "$dir/b.npy"
refuses 2 "weft matmul: 1 files given, 2 expected" matmul "$dir/a.npy" -o "$c"
refuses 2 "weft matmul: --transpose c: expected a, b or ab" matmul "$dir/a.npy" "$dir/b.npy" --transpose c -o "$c"
refuses 2 "weft matmul: --accumulate i64: expected f64 or exact" matmul "$dir/a.npy" "$dir/b.npy" --accumulate i64 -o "$c"
refuses 2 "weft matmul: -: only one of the two arrays can be read from standard input" matmul - - -o "$c"
refuses 2 "weft matmul: --json cannot be combined with" matmul "$dir/a.npy" "$dir/b.npy" -o - --json
refuses 2 "weft matmul: --check cannot be combined with -o -" matmul "$dir/a.npy" "$dir/b.npy" -o - --check
refuses 1 "weft matmul: $dir/missing.npy: cannot be opened" matmul "$dir/missing.npy" "$dir/b.npy" -o "$c"
refuses 1 "weft matmul: /dev/full: cannot be written" matmul "$dir/a.npy" "$dir/b.npy" -o /dev/full
finish
