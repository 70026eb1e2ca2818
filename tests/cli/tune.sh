#!/bin/sh
# Tests weft tune: measurements, stored choices and their location, and files that are not valid.
. "$(dirname "$0")/check.sh"
XDG_CACHE_HOME=$dir/cache
export XDG_CACHE_HOME

file() { ls "$XDG_CACHE_HOME"/weft/tune-*.txt 2>/dev/null; }

# Every variant, on every instruction set and number of threads, has the bits of the specification.
w tune --list --check --every 10 >"$dir/list" 2>"$dir/stderr"
is "weft tune --list --check: exit code" 0 $?
is "weft tune --list --check: stderr" "" "$(cat "$dir/stderr")"
is "tunables" 5 "$(grep -Ec '^(laplace|matmul) +f(32|64) in f(32|64): [0-9x]+\* ' "$dir/list")"
checks=$((checks + 1))
grep -Eq '^[0-9]{4,} answers of all variants have the bits' "$dir/list" || failed "--check" "$(cat "$dir/list")"
is "a folder after --list" no "$([ -e "$XDG_CACHE_HOME" ] && echo yes || echo no)"

w tune --dry-run --size 24 >"$dir/table" 2>"$dir/stderr"
is "weft tune --dry-run: exit code" 0 $?
is "winners" 5 "$(grep -Ec '^  \* [0-9x]+ +[0-9.]+ +[0-9.]+ +100 %  yes$' "$dir/table")"
is "rows" 44 "$(grep -Ec ' %  yes$' "$dir/table")"
is "a folder after --dry-run" no "$([ -e "$XDG_CACHE_HOME" ] && echo yes || echo no)"

# Stored choices are used, and kept when other operations are tuned later.
w tune matmul --size 24 >"$dir/table" 2>"$dir/stderr"
is "weft tune matmul: exit code" 0 $?
is "the stored file" 8 "$(wc -l <"$(file)" | tr -d ' ')"
is "a temporary file" 1 "$(ls "$XDG_CACHE_HOME/weft" | wc -l | tr -d ' ')"
sed 's/^laplace f32 .*/laplace f32 f32 32x128x8/; s/^\(matmul f32 f..\) .*/\1 192x384x1536/; s/^matmul f64 .*/matmul f64 f64 96x384x1536/' \
    "$(file)" >"$dir/other"
cp "$dir/other" "$(file)"
w tune --list >"$dir/list"
is "what the file chooses" 2 "$(grep -Ec ' (32x128x8|96x384x1536)\*' "$dir/list")"
is "WEFT_TUNING=off" 0 "$(WEFT_TUNING=off w tune --list | grep -Ec ' (32x128x8|96x384x1536)\*')"
is "bits with another way" "$(WEFT_TUNING=off w laplace --grid 20 --sweeps 9 --bits)" "$(w laplace --grid 20 --sweeps 9 --bits)"
w tune matmul --size 24 >/dev/null
is "laplace after tuning matmul" "laplace f32 f32 32x128x8" "$(grep '^laplace f32' "$(file)")"
is "JSON" "tune True 5" "$(w tune --size 24 --json |
    python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["command"], d["stored"], len(d["tunables"]))')"

# An invalid file is not used, and one line reports that.
for fault in 's/^device .*/device another/' 's/^version .*/version 9.9.9/' '1s/1/2/' 's/96x384x1536/1x1x1/' 's/f64 f64/f64/' \
    's/^laplace f32/laplace i32/' '$s/$/ more/' '2,$d' 's/^/\n/'; do
    sed "$fault" "$dir/other" >"$(file)"
    w tune --list >"$dir/list" 2>"$dir/stderr"
    is "a file with $fault: exit code" 0 $?
    is "a file with $fault: stderr" 1 "$(grep -Ec '^weft tune: warning: .*/tune-.*\.txt is ignored: ' "$dir/stderr")"
    is "a file with $fault: not used" 0 "$(grep -Ec ' (32x128x8|96x384x1536)\*' "$dir/list")"
done
head -c 9000 /dev/zero >"$(file)"
is "a file of zeros" 1 "$(w tune --list 2>&1 >/dev/null | grep -c 'is ignored: the file is not a tuning file')"
: >"$(file)"
is "an empty file" 1 "$(w tune --list 2>&1 >/dev/null | grep -c 'is ignored: the file is empty')"
is "--quiet" "" "$(w --quiet tune --list 2>&1 >/dev/null)"
w tune laplace --size 24 >/dev/null 2>&1
is "a damaged file is replaced" "" "$(w tune --list 2>&1 >/dev/null)"

w tune --reset >"$dir/reset"
is "weft tune --reset: exit code" 0 $?
is "a file after --reset" "" "$(file)"
w tune --reset >"$dir/reset"
is "weft tune --reset again: exit code" 0 $?

refuses 2 "dot cannot be tuned: expected laplace or matmul" tune dot
refuses 2 "cannot be combined with the operation" tune --all matmul
refuses 2 "expected an integer from 3 to" tune --size 2
refuses 1 "expected tiny, quick or full" tune --list --check --level much
refuses 1 "ref has no tunable operations" --device ref tune
XDG_CACHE_HOME=/dev/null/cache
refuses 1 "/dev/null" tune laplace --size 8
unset XDG_CACHE_HOME
HOME=nowhere
export HOME
refuses 1 "neither XDG_CACHE_HOME nor HOME is an absolute path" tune laplace --size 8
finish
