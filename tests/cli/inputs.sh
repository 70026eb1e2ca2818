#!/bin/sh
# Tests input files that are not .npy: raw elements, columns of tables, formats that are recognized and rejected; weft
# show; and that binary results are not written to a terminal.
. "$(dirname "$0")/check.sh"
tab=$(printf '\t')

# ------------------------------------------------------------------------- raw elements
python3 - "$dir" <<'PY'
import struct, sys
values = [3, 1, 4, 1, 5, 9, 2, 6]
for name, letter in dict(i8="b", i16="h", i32="i", i64="q", u8="B", u16="H", u32="I", u64="Q", f32="f", f64="d").items():
    open(f"{sys.argv[1]}/{name}.bin", "wb").write(struct.pack("<8" + letter, *values))
open(sys.argv[1] + "/long.bin", "wb").write(struct.pack("<20000d", *range(20000)))
PY
for type in i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; do
    raw=$dir/$type.bin
    prints 31 sum --raw $type "$raw"
    prints 9 max --raw=$type - <"$raw"
    is "a pipe of raw $type" 5 "$(cat "$raw" | w argmax --raw $type -)"
done
w scan --raw f32 "$dir/f32.bin" -o "$dir/y.npy"
is "a scan of raw elements" "<f4 (8,) 3.0 4.0 8.0 9.0 14.0 23.0 25.0 31.0" "$(values "$dir/y.npy")"
prints 173 dot --raw f32 "$dir/f32.bin" "$dir/f32.bin"
npy "$dir/x.npy" '<f4' '(8,)' 1 1 1 1 1 1 1 1
prints 31 dot --raw f32 "$dir/f32.bin" "$dir/x.npy"
prints 199990000 sum --raw f64 "$dir/long.bin"
prints 199990000 sum --raw f64 --memory 64K "$dir/long.bin"
is "a raw pipe with a file that is streamed" 2666466670000 \
    "$(cat "$dir/long.bin" | w dot --raw f64 --memory 64K - "$dir/long.bin")"
is "raw elements from the middle of standard input" 22 "$({ dd bs=16 count=1 of=/dev/null 2>/dev/null; w sum --raw f32 -; } <"$dir/f32.bin")"
printf 12345 >"$dir/odd.bin"
refuses 1 "weft sum: $dir/odd.bin: has 5 bytes, which is not a multiple of the 4 bytes of an element of type f32" sum --raw f32 "$dir/odd.bin"
refuses 1 "weft sum: -: has 5 bytes, which is not a multiple of the 8 bytes of an element of type i64" sum --raw i64 - <"$dir/odd.bin"
: >"$dir/none.bin"
prints 0 sum --raw f32 "$dir/none.bin"
prints 0 sum --raw f32 - </dev/null
refuses 2 "weft: --raw f16: expected one of i8, i16, i32, i64, u8, u16, u32, u64, f32, f64" sum --raw f16 "$dir/f32.bin"
refuses 2 "weft sum: --raw cannot be combined with --column" sum --raw f32 --column x "$dir/f32.bin"
for command in "price call" "random uniform --n 1 -o $dir/y.npy" "match --words a" bench; do
    # shellcheck disable=SC2086
    refuses 2 "weft ${command%% *}: --raw: this command does not read arrays" $command --raw f32
done

# ------------------------------------------------------------------------------- tables
t=$dir/t.csv
printf 'a,b,"c ""d"", e"\r\n1,2.5,x\r\n 2 ,"0x1.8p3","y\nz"\r\n\r\n-3,1e-320,""\r\n' >"$t"
prints 0 sum --column a "$t"
prints 14.5 sum --column b "$t"
prints 14.5 sum --column 2 "$t"
prints 1e-320 min --column b "$t"
prints 14.5 sum --column b - <"$t"
is "a table from a pipe" 14.5 "$(cat "$t" | w sum --column b -)"
prints "-3 0xfffffffd" min --column a --as i32 --bits "$t"
prints 14 dot --column a --as i64 "$t" "$t"
prints 14 dot --column a --memory 100K "$t" "$t"
printf '\357\273\277x;y\n1;2\n3;4' >"$dir/semicolon.csv"
prints 4 sum --column x "$dir/semicolon.csv"
printf 'x y\tz, w\n1\t2\n3\t4\n' >"$dir/tabs.tsv"
prints 4 sum --column 'x y' "$dir/tabs.tsv"
prints 6 sum --column 'z, w' "$dir/tabs.tsv"
printf '2020,2021\n1,2\n' >"$dir/years.csv"
prints 2 sum --column 2021 "$dir/years.csv"
is "a number that names no column" "weft sum: $dir/years.csv: warning: its first line is read as the header but has a number in column 2
2" "$(w sum --column 2 "$dir/years.csv" 2>&1)"
printf 'v\n18446744073709551615\n' >"$dir/large.csv"
prints 18446744073709551615 max --column v --as u64 "$dir/large.csv"
# the value nearest to the decimal number, which a sum of rounded parts would not give
printf 'v\n9007199254740993.0000000000000000000000000000000000000000000000000000000000000000000000000000001\n' >"$dir/v.csv"
prints "9007199254740994 0x4340000000000001" max --column v --bits "$dir/v.csv"
printf 'v\n16777217.0000000000000001\n' >"$dir/v.csv"
prints "16777218 0x4b800001" max --column v --as f32 --bits "$dir/v.csv"
printf 'v\n1\n\n2\n' >"$dir/v.csv"
prints nan sum --column v --missing nan "$dir/v.csv"
for locale in C de_DE.UTF-8 $(locale -a 2>/dev/null | head -n 3); do
    is "a table in the locale $locale" 14.5 "$(LC_ALL=$locale w sum --column b "$t")"
done

# errors contain the line, the column and the text
refuses 1 "weft sum: $t: line 2, column \"c \"d\", e\": \"x\" is not a value of type f64 (numbers up to" sum --column 'c "d", e' "$t"
refuses 1 "$t: line 2, column \"b\": \"2.5\" is not a value of type i32 (-2147483648 to 2147483647)" sum --column b --as i32 "$t"
refuses 1 "$dir/v.csv: line 3, column \"v\": the field is empty (--missing nan reads it as NaN)" sum --column v "$dir/v.csv"
refuses 1 "$dir/v.csv: line 3, column \"v\": the field is empty" sum --column v --as i8 "$dir/v.csv"
refuses 1 "weft sum: $t: has no column \"zz\": its header has 3 columns: a, b, c \"d\", e" sum --column zz "$t"
refuses 1 "has no column \"4\": its header has 3" sum --column 4 "$t"
refuses 1 "has no column \"0\"" sum --column 0 "$t"
table() { printf "$2" >"$dir/w.csv" && refuses 1 "$dir/w.csv: $1" sum --column x "$dir/w.csv"; }
table "its header has two columns \"x\": select one by its number" 'x,x\n1,2\n'
table "line 3 has 1 fields, but the header has 2" 'x,y\n1,2\n3\n'
table "line 2 has 3 fields, but the header has 2" 'x,y\n1,2,3\n'
table "line 3 has an unterminated quote" 'x,y\n1,2\n"3,4\n5,6\n'
table "line 2 has text after a closing quote" 'x,y\n"1"2,3\n'
table "line 2, column \"x\": \"1,5\" is not a value of type f64" 'x;y\n1,5;2\n'
table "line 2, column \"x\": \"1 2\" is not a value" 'x\n1 2\n'
table "line 2, column \"x\": \"1e400\" is not a value of type f64" 'x\n1e400\n'
table "line 4, column \"x\": \"z\" is not a value" 'x,y\n1,"a\nb"\nz,1\n'
table "line 2, column \"x\": \"1\" is not a value" 'x\n1\0002\n'
table "is empty: the first line must be a header" ''
table "is text in UTF-16: convert it to UTF-8" '\377\376x\000'
printf 'x,y' >"$dir/w.csv"
prints 0 sum --column x "$dir/w.csv"
refuses 2 "weft: --missing 0: expected nan" sum --column x --missing 0 "$t"
refuses 2 "weft sum: --missing nan: type i32 has no NaN: use --as f32 or --as f64" sum --column x --missing nan --as i32 "$t"
refuses 2 "weft sum: --as requires --column" sum --as f32 "$t"
refuses 2 "weft sum: --missing requires --column" sum --missing nan "$t"

# randomly truncated and changed tables are rejected or read, without a crash
python3 - "$weft" "$t" "$dir/fuzz.csv" >"$dir/stdout" 2>&1 <<'PY'
import random, subprocess, sys
weft, table, fuzz = sys.argv[1:]
sound, draw, codes = open(table, "rb").read() * 3, random.Random(1), set()
for k in range(150):
    data = bytearray(sound[:draw.randrange(len(sound))])
    for i in range(draw.randrange(4)):
        if data: data[draw.randrange(len(data))] = draw.choice(b'",;\n\r\t\0 1eE.x\xff')
    open(fuzz, "wb").write(data)
    codes.add(subprocess.run([weft, "--device", "cpu", "--threads", "1", "show", "--column", draw.choice("ab3"), fuzz],
                             capture_output=True).returncode)
print(sorted(codes))
PY
is "exit codes for damaged tables" "[0, 1]" "$(cat "$dir/stdout")"

# -------------------------------------------------------------------------- other formats
f=$dir/other
format() { printf "$2" >"$f" && refuses 1 "weft sum: $f: is not a .npy file: it is $1" sum "$f" && refuses 1 "it is $1" sum - <"$f"; }
format "a zip archive, possibly .npz; unpack it with unzip" 'PK\003\004........'
format "compressed with gzip; pipe the output of 'gzip -dc FILE' and use - as the file" '\037\213\010\000'
format "compressed with zstd; pipe the output of 'zstd -dc FILE'" '\050\265\057\375....'
format "compressed with xz; pipe the output of 'xz -dc FILE'" '\3757zXZ\000....'
format "compressed with bzip2; pipe the output of 'bzip2 -dc FILE'" 'BZh91AY'
format "an HDF5 file" '\211HDF\r\n\032\n....'
format "a PNG picture" '\211PNG\r\n\032\n....'
format "a Parquet file" 'PAR1....'
format "text in UTF-16" '\377\376x\000y\000'
format "text (--column NAME reads a column of a CSV or TSV file)" 'a,b\n1,2\n'
printf '\001\002\003\004\000\000' >"$f"
refuses 1 "$f: is not a .npy file (it does not begin with \\x93NUMPY); --raw TYPE reads an array without a header" sum "$f"

# --------------------------------------------------------------------------------- show
npy "$dir/m.npy" '>f4' '(2, 6)' 1 nan -2.5 0.1 3 inf 7 8 9 10 -0.0 nan --order True
prints "type      f32
shape     (2, 6) in Fortran order
elements  12
first     1 nan -2.5 0.1 3
last      8 9 10 -0 nan
min       -2.5
max       inf
NaN       2" show "$dir/m.npy"
prints '{"command": "show", "file": "-", "dtype": "f32", "shape": [2, 6], "fortran_order": true, "n": 12, "first": [1, "nan", -2.5, 0.1, 3], "last": [8, 9, 10, -0, "nan"], "min": -2.5, "max": "inf", "nan": 2}' \
    show --json - <"$dir/m.npy"
prints "type      i64
shape     (3,)
elements  3
first     1 2 -3
last      1 2 -3
min       -3 0xfffffffffffffffd
max       2 0x0000000000000002
NaN       0" show --column a --as i64 --bits "$t"
npy "$dir/empty.npy" '<f8' '(0, 5)'
is "show of no elements" "first
last
min none
max none" "$(w show "$dir/empty.npy" | sed -n '4,7s/  */ /p' | sed 's/ $//')"
is "show of no elements, --json" null "$(w show --json "$dir/empty.npy" | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["min"]))')"
is "show of raw elements in pieces" "min 0 max 19999" \
    "$(w show --raw f64 --memory 64K "$dir/long.bin" | sed -n 's/^\(min\|max\)  */\1 /p' | paste -sd' ')"
npy "$dir/zeros.npy" '<f4' '(3,)' 0 -0.0 0
is "show of zeros, with the extremes of weft min and weft max" "min -0 max 0" \
    "$(w show "$dir/zeros.npy" | sed -n 's/^\(min\|max\)  */\1 /p' | paste -sd' ')"
refuses 2 "weft show: 0 files given, 1 expected; see 'weft help show'" show
refuses 1 "weft show: $dir/none.npy: cannot be opened: No such file or directory" show "$dir/none.npy"

# ------------------------------------------------------------------------- on a terminal
python3 - "$weft" "$dir/x.npy" >"$dir/stdout" 2>&1 <<'PY'
import os, pty, subprocess, sys
weft, x = sys.argv[1:]
for command in ["scan", x], ["random", "uniform", "--n", "3"], ["sort", x], ["map", "2*x", "x=" + x], ["top_k", x], ["select", "--gt", "0", x], ["recurrence", x, x]:
    master, terminal = pty.openpty()
    child = subprocess.run([weft, *command, "-o", "-"], stdout=terminal, stderr=subprocess.PIPE, timeout=60)
    os.close(terminal)
    try: shown = os.read(master, 100)
    except OSError: shown = b""
    expected = f"weft {command[0]}: -o -: the result is binary and standard output is a terminal: -o must name a file, " \
               "or standard output must be redirected\n"
    print(command[0], child.returncode, shown, child.stderr.decode() == expected)
PY
is "binary results on a terminal" "scan 2 b'' True
random 2 b'' True
sort 2 b'' True
map 2 b'' True
top_k 2 b'' True
select 2 b'' True
recurrence 2 b'' True" "$(cat "$dir/stdout")"
finish
