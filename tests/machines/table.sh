#!/bin/sh
# Prints the table of tests/machines/results.txt, a line for each machine, or writes it to README.md. An operation is
# counted only if its hash is still that of tests/golden/digest.txt.
# Usage: table.sh SOURCE_DIR [--write]
set -eu
cd "$1"
results=tests/machines/results.txt golden=tests/golden/digest.txt
begin='<!-- tests/machines/table.sh --write -->'

table() {
    echo "| machine | compiler | run by | operations | cases | CPU time |"
    echo "|---|---|---|---|---|---|"
    awk -v all="$(grep -c '^[a-z].* cases  ' $golden)" '
        BEGIN {
            title["aarch64"] = "AArch64"
            title["ppc64le"] = "POWER, little-endian"
            title["riscv64"] = "RISC-V 64"
            title["s390x"] = "z/Architecture (s390x), big-endian"
            title["wasm32"] = "WebAssembly (wasm32, SIMD of 128 bits), 32-bit addresses"
        }
        function title_of(m, variant) {
            if (!match(m, /^x86_64-[a-z]*-/)) return m in title ? title[m] : m
            variant = substr(m, RLENGTH + 1)
            return "x86-64, " (variant ~ /^O/ ? "-" variant : variant == "lto" ? "link-time optimization" : "level " variant)
        }
        function with_commas(n) { return n >= 1000 ? with_commas(int(n / 1000)) sprintf(",%03d", n % 1000) : n }
        FNR == NR { if ($3 == "cases" && $1 != "(all)") hash[$1] = substr($4, 1, 16); next }
        /^#/ || hash[$2] != $4 { next }
        {
            if (!($1 in count)) order[++machines] = $1
            count[$1]++
            cases[$1] += $3
            seconds[$1] += $5
            if (index(compiler[$1], $6) == 0) compiler[$1] = compiler[$1] (compiler[$1] ? ", " : "") $6
            if (index(emulator[$1], $7) == 0) emulator[$1] = emulator[$1] (emulator[$1] ? ", " : "") $7
        }
        END {
            for (i = 1; i <= machines; i++) {
                m = order[i]
                gsub("-", " ", compiler[m])
                gsub("-", " ", emulator[m])
                printf "| %s | %s | %s | %d of %d | %s | %d min |\n", title_of(m), compiler[m], emulator[m],
                    count[m], all, with_commas(cases[m]), int(seconds[m] / 60 + 0.5)
            }
        }' $golden $results
}

[ "${2:-}" = --write ] || { table && exit; }
new=$(mktemp)
trap 'rm -f "$new"' EXIT INT TERM
awk -v begin="$begin" '$0 == begin { skip = 1; print; next } skip && /^\|/ { next } { skip = 0; print }' README.md >"$new.rest"
table >"$new"
awk -v begin="$begin" -v table="$new" '{ print } $0 == begin { while ((getline line < table) > 0) print line }' "$new.rest" >README.md
rm -f "$new.rest"
