#!/bin/sh
# Tests weft match: words known by hand and as found by grep, texts longer than a piece, options, and errors.
. "$(dirname "$0")/check.sh"
tab=$(printf '\t')

# lines EXPECTED ARGUMENT...: compares the output, with a slash for each line end and a colon for each tab.
lines() {
    expected=$1
    shift
    is "weft match $*" "$expected" "$(w match "$@" 2>&1 | tr '\n\t' '/:')"
}

printf 'The cat and the data: warp, catalog, THE end\n' >"$dir/text"
printf 'aaaaaaa' >"$dir/as"
printf 'the\na b\n\303\251\n' >"$dir/words"
printf 'a b\000the\303\251 the' >"$dir/bytes"
: >"$dir/none"

lines "the:1/cat:2/warp:1/" --words the,cat,warp "$dir/text"
lines "the:3/cat:2/" --words the,cat -i "$dir/text"
lines "the:3/cat:1/the:3/" --words the,cat,the --fold-case --whole-word "$dir/text"
lines "a:7/aa:6/aaa:5/aaaaaaaa:0/" --words a,aa,aaa,aaaaaaaa "$dir/as"
lines "the:2/a b:1/$(printf '\303\251'):1/" --words-file "$dir/words" "$dir/bytes"
lines "a:8/" --words a "$dir/as" "$dir/none" "$dir/bytes"
lines "4:cat/12:the/28:cat/" --words the,cat --list "$dir/text"
lines "$dir/bytes:4:the/$dir/bytes:10:the/$dir/text:12:the/" --words the --list "$dir/bytes" "$dir/text"
is "standard input" "the${tab}1" "$(w match --words the <"$dir/text")"
is "standard input, named" "1${tab}aa" "$(printf 'xaab' | w match --words aa --list -)"
is "json" "match 45 the 1 \"\\ 0 cpu" "$(w match --json --words 'the,"\' "$dir/text" | python3 -c 'import json, sys
o = json.load(sys.stdin)
assert 0 <= o.pop("seconds") < 60
print(o["command"], o["bytes"], *(v for word in o["words"] for v in word.values()), o["device"])')"

# Natural text, and words that do not overlap themselves, since grep does not count overlaps.
text=/usr/share/common-licenses/GPL-3
[ -r "$text" ] || text=$root/README.md
for word in software License a e_; do
    is "grep: $word" "$(grep -a -o -b -F -- "$word" "$text" | tr ':' '\t')" "$(w match --list --words "$word" "$text")"
    is "grep -w -i: $word" "$word$tab$(grep -a -o -w -i -F -- "$word" "$text" | wc -l | tr -d ' ')" \
        "$(w match -i --whole-word --words "$word" "$text")"
done

# Words across the boundaries of pieces (2^25 bytes, and 2^22 for a list), at the start and at the end.
python3 -c 'import sys
size, word = (1 << 25) + 70000, b"needle in a haystack"
text = bytearray(b"-") * size
positions = [0, size - len(word)] + [edge + i * 21 for edge in (1 << 22, 1 << 23, 1 << 25) for i in range(-3, 2)]
for p in positions: text[p:p + len(word)] = word
open(sys.argv[1], "wb").write(text)
open(sys.argv[2], "w").writelines("%d\tneedle in a haystack\n" % p for p in sorted(positions))' "$dir/long" "$dir/positions"
lines "needle in a haystack:17/n:34/-n:16/" --words 'needle in a haystack,n,-n' "$dir/long"
lines "needle in a haystack:17/" --whole-word --words 'needle in a haystack' "$dir/long"
is "a list across chunks" "$(cat "$dir/positions")" "$(cat "$dir/long" | w match --list --words 'needle in a haystack')"

# More matches than the capacity of a list.
head -c 600000 /dev/zero | tr '\0' a >"$dir/many"
is "a long list" "1199999 599999 a" "$(w match --list --words a,aa "$dir/many" | awk -F '\t' '
    $1 != int((NR - 1) / 2) || $2 != (NR % 2 ? "a" : "aa") {exit}
    {last = $1 " " $2} END {print NR, last}')"

# Errors: one line, and nothing on stdout.
refuses 2 "neither is given: expected either --words or --words-file" match "$dir/text"
refuses 2 "both are given" match --words a --words-file "$dir/words" "$dir/text"
refuses 2 "--words a,,b: word 2 is empty" match --words a,,b "$dir/text"
refuses 2 "word 1 is empty" match --words "" "$dir/text"
refuses 2 "--json cannot be combined with --list" match --words a --list --json "$dir/text"
refuses 2 "unknown option -x" match --words a -x "$dir/text"
refuses 1 "$dir/missing: cannot be read: No such file" match --words a "$dir/text" "$dir/missing"
refuses 1 "$dir/missing: cannot be read: No such file" match --words-file "$dir/missing" "$dir/text"
refuses 1 "$dir: cannot be read: Is a directory" match --words a "$dir"
refuses 1 "$dir/none: has no words" match --words-file "$dir/none" "$dir/text"
printf 'a\n\nb\n' >"$dir/gap"
refuses 1 "$dir/gap: line 2 is empty" match --words-file "$dir/gap" "$dir/text"
seq 1 10001 >"$dir/numbers"
refuses 1 "numbers: has more than 10000 words: expected at most that many" match --words-file "$dir/numbers" "$dir/text"
head -c 257 "$dir/many" >"$dir/word"
refuses 1 "word: line 1 has 257 bytes: a word must have 1 to 256" match --words-file "$dir/word" "$dir/text"
refuses 2 "--words: word 2 has 257 bytes: expected at most 10000 words of at most 256 bytes" match --words "a,$(cat "$dir/word")" "$dir/text"
finish
