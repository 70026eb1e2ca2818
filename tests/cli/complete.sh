#!/bin/sh
# Tests that the man page and the three completions contain every verb of the command, and that the pages are valid.
. "$(dirname "$0")/check.sh"
pages=$(dirname "$weft")/pages

for verb in $(w help --list); do
    for file in weft.1 weft.bash _weft weft.fish; do
        checks=$((checks + 1))
        grep -Eq "(^|[^a-z0-9_-])$verb([^a-z0-9_-]|\$)" "$pages/$file" || failed "$verb is not in $file"
    done
    checks=$((checks + 1))
    grep -Eq "^\.It .*Cm .*\b$verb\b" "$pages/weft.1" || failed "$verb has no item in weft.1"
done

# The completions offer all options of the command and no others.
for option in $({ w help && for verb in $(w help --list); do w help "$verb"; done; } | grep -Eo '^  (-[a-z], )?--[a-z-]+' | sed 's/.*--/--/' | sort -u); do
    for file in weft.1 weft.bash _weft weft.fish; do
        checks=$((checks + 1))
        grep -Eq -- "(--|Fl -|-l )${option#--}" "$pages/$file" || failed "$option is not in $file"
    done
done

if command -v groff >/dev/null; then
    is "groff's warnings about weft.1" "" "$(groff -ww -mdoc -Tascii "$pages/weft.1" 2>&1 >/dev/null)"
else
    echo "left out: groff is not installed, so weft.1 was not formatted"
fi

# Runs the bash completion if there is a bash.
if command -v bash >/dev/null; then
    completions() {
        bash -c '. "$1"; shift; COMP_WORDS=(weft "$@"); COMP_CWORD=$#; _weft; echo "${COMPREPLY[@]}"' - \
            "$pages/weft.bash" "$@"
    }
    is "weft su<TAB>" sum "$(completions su)"
    is "weft --device cpu va<TAB>" variance "$(completions --device cpu va)"
    is "weft --device c<TAB>" "cpu cuda" "$(completions --device c)"
    is "weft variance --d<TAB>" "--device --ddof" "$(completions variance --d)"
    is "weft scan --op m<TAB>" "min max" "$(completions scan --op m)"
    is "weft matmul --t<TAB>" "--threads --transpose" "$(completions matmul --t)"
    is "weft sum data/co2.<TAB>" co2.npy "$(cd "$root/examples/data" && completions sum co2.)"
else
    echo "left out: bash is not installed, so its completion did not run"
fi
finish
