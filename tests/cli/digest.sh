#!/bin/sh
# Tests `weft verify --digest`: hashes of some operations on the CPU and of the specification are those of
# tests/golden/digest.txt, and the last line there is the hash of the others. Another test compares all of them.
. "$(dirname "$0")/check.sh"
golden=$root/tests/golden/digest.txt
heading="order $order digest, level tiny: SHA-256 of the results of each operation"

# line OPERATION: prints the line of the operation.
line() { grep "^$1 " "$golden"; }

for op in xor mean sort; do
    prints "$heading
$(line $op)" verify --digest --op $op
done
is "the specification" "$(line xor)" "$("$weft" --device ref verify --digest --op xor | tail -n 1)"
is "one thread" "$(line xor)" "$(w --threads 1 verify --digest --level tiny --op xor | tail -n 1)"
is "more cases" 1 "$(w verify --digest --level quick --op xor | grep -c "^xor *6934 cases  [0-9a-f]\{64\}$")"

if command -v sha256sum >/dev/null 2>&1; then
    all=$(sed -e 1d -e '/^(all)/d' -e 's/ .* / /' "$golden" | sha256sum | cut -d ' ' -f 1)
    is "the hash of all hashes" "$all" "$(sed -n 's/^(all) .* //p' "$golden")"
fi
json=$(w verify --digest --op xor --json)
case $json in
*'"level": "tiny"'*'"op": "xor"'*"\"$(line xor | sed 's/.* //')\""*) ;;
*) failed "verify --digest --json" "$json" ;;
esac
refuses 2 "weft verify: --digest takes no option but --level and --op" verify --digest --every 2
refuses 2 "weft verify: --digest takes no option but --level and --op" verify --digest --golden "$root/tests/golden"

finish
