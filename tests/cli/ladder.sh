#!/bin/sh
# Tests weft ladder: a topic at two sizes and in two schedules; every faulty rung must be detected; output and errors
# of the command. Usage: ladder.sh WEFT TOPIC, or ladder.sh WEFT for the command itself.
. "$(dirname "$0")/check.sh"

# rows SAID: prints the rungs of the last table with this verdict.
rows() { sed -n "s/^  \([a-z0-9-]*\) .*  $1  .*/\1/p" "$dir/table"; }

# climbs TOPIC OPTION...: checks that no rung is wrong.
climbs() {
    w ladder "$@" >"$dir/table" 2>"$dir/stderr"
    is "weft ladder $*: exit code" 0 $?
    is "weft ladder $*: stderr" "" "$(cat "$dir/stderr")"
    is "weft ladder $*: wrong" "" "$(rows WRONG)"
    checks=$((checks + 1))
    [ -n "$(rows right)" ] || failed "weft ladder $*: nothing is right" "$(cat "$dir/table")"
}

if [ $# -gt 1 ]; then
    for schedule in backward random; do
        climbs "$2" --faulty --schedule $schedule
        is "faulty rungs of $2 that are not found, $schedule" "" "$(rows lucky)"
    done
    # Each rung has a row.
    shown=$(grep -cE '^  [a-z0-9-]+ .*  (right|faulty|not run) ' "$dir/table")
    is "rungs of $2" "$(w ladder | sed -n "s/^  $2 .* \([0-9]*\) rungs; .*/\1/p")" "$shown"
    for type in $(w ladder | sed -n "s/^  $2 .* rungs; //p"); do climbs "$2" --dtype "$type" --n 257; done
    finish
fi

refuses 2 "unknown topic 'redcue'; did you mean 'reduce'?" ladder redcue
refuses 2 "unknown topic 'zzzzzz'; 'weft ladder' lists the topics" ladder zzzzzz
refuses 2 "reduce has no rung 'shufles'; did you mean 'shuffles'?" ladder reduce --show shufles
refuses 2 "reduce has no rung 'zzzzzz': expected one of one-thread, " ladder reduce --rung zzzzzz
refuses 2 "--dtype i8: reduce supports only f32 f64 i32" ladder reduce --dtype i8
refuses 2 "--n 0: expected an integer from 1 to 10000000000" ladder reduce --n 0
refuses 2 "--schedule sideways: expected forward, backward or random" ladder reduce --schedule sideways
refuses 2 "--rung and --show require a topic" ladder --show shuffles
refuses 2 "unexpected argument scan: expected one topic or --all" ladder reduce scan
refuses 2 "--all cannot be combined with a topic" ladder --all reduce
refuses 2 "the ladder supports only cpu (the executor, which simulates a GPU) and cuda" --device ref ladder reduce
is "--show" 1 "$(w ladder reduce --show shuffles | grep -c '^/\* Rung shuffles: a warp adds in registers$')"
is "--show has the kernel" 1 "$(w ladder reduce --show shuffles | grep -c '__global__ void fold_by_shuffles')"
w ladder reduce --rung no-barrier >"$dir/table"
is "a race is told" 1 "$(grep -c 'a race in shared memory, block [0-9]*: thread [0-9]* ' "$dir/table")"
is "one rung" no-barrier "$(rows faulty)"
w ladder reduce --faulty >"$dir/table"
is "who does not reach a barrier is told" 1 "$(grep -c 'block 39 stands still: .* threads wait for lanes of their warp' "$dir/table")"
is "a mask of lanes that are not there is told" 1 "$(grep -c 'block 0 stands still: 16 threads wait for lanes' "$dir/table")"
is "a read of unwritten shared memory is reported" 1 "$(grep -c 'thread 8 reads.* shared memory that no thread of the block has written' "$dir/table")"
w ladder one-pass-scan --rung not-reset >"$dir/table"
is "a rung that is right only once" 1 "$(grep -c 'in the second run element 0 is .* and not ' "$dir/table")"
refuses 2 "--accesses requires --rung" ladder reduce --accesses
w ladder monte-carlo --rung strided --accesses --plot "$dir/accesses.svg" >"$dir/accesses"
is "accesses: a strided load" 1 "$(grep -m1 -c 'load from global memory at monte_carlo.cu:[0-9]*, 4 bytes a lane: 32 sectors, of which 4 would be enough' "$dir/accesses")"
python3 -c 'import sys, xml.etree.ElementTree as x
boxes = [e for e in x.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}rect")]
assert len(boxes) >= 33, len(boxes)' "$dir/accesses.svg" || failed "the drawing of accesses"
w --json ladder monte-carlo >"$dir/monte-carlo"
w --json ladder scan >"$dir/scan"
is "counts of requests" "sectors and banks" "$(python3 -c 'import json, sys
def per_request(file, rung, which):
    for r in json.load(open(file))["results"][0]["rungs"]:
        if r["rung"] == rung:
            return r[which]["moved"] / r[which]["requests"]
assert per_request(sys.argv[1], "strided", "loads") > 4 * per_request(sys.argv[1], "coalesced", "loads")
assert per_request(sys.argv[2], "tree", "banks") > 1.5 * per_request(sys.argv[2], "no-conflicts", "banks")
print("sectors and banks")' "$dir/monte-carlo" "$dir/scan")"
climbs reduce --plot "$dir/stairs.svg"
python3 -c 'import sys, xml.etree.ElementTree as x
bars = [e for e in x.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}rect")]
assert len(bars) == 1 + 9, len(bars)' "$dir/stairs.svg" || failed "the staircase"
# The heights of the bars are proportional to the shares above them. A height has one decimal, a share three digits.
python3 -c 'import sys, xml.etree.ElementTree as x
svg = "{http://www.w3.org/2000/svg}"
drawing = x.parse(sys.argv[1])
bars = [float(e.get("height")) for e in drawing.iter(svg + "rect") if not e.get("height").endswith("%")]
shares = [float(e.text.split()[0]) for e in drawing.iter(svg + "text") if e.get("text-anchor") == "middle"]
assert len(bars) == len(shares) == 9 and max(shares) > 2 * min(shares), shares
scale = bars[0] / shares[0]
assert all(abs(bar - scale * share) < 0.2 + 0.01 * bar for bar, share in zip(bars, shares)), (bars, shares)
' "$dir/stairs.svg" || failed "the bars are not linear"
is "too small a size" 1 "$(w ladder reduce --rung three-warps --n 95 | grep -c 'n = 95 is too small for it: it takes 96 or more')"
w --json ladder --all --n 1000 >"$dir/json"
is "--all --json" "every topic" "$(python3 -c 'import json, sys
o = json.load(open(sys.argv[1]))
names = [r["topic"] for r in o["results"]]
assert o["command"] == "ladder" and len(set(names)) == len(names) > 1
assert o["version"] and o["date"].count("-") == 2
assert all(rung["verdict"] in ("right", "not run") for r in o["results"] for rung in r["rungs"])
print("every topic")' "$dir/json")"

# Measurements of a GPU are stored and shown in the pages. Here the executor replaces the GPU, with invented times.
mkdir "$dir/results" "$dir/pages"
cp "$root/docs/ladder/README.md" "$root/docs/ladder/exercises.md" "$dir/pages"
python3 -c 'import json, sys
run = json.load(open(sys.argv[1]))
for result in run["results"]:
    result |= {"gpu": True, "machine": "NVIDIA G1 80GB", "copy_gigabytes_a_second": 4000, "gigaflops_of_f32": 60000}
    for i, rung in enumerate(result["rungs"]):
        rung |= {"seconds": 1e-3 / (i + 1), "rate": 10.0 + i, "share": 0.01 * (i + 1), "step": 2.0}
json.dump(run, open(sys.argv[2], "w"))' "$dir/json" "$dir/raw.json"
python3 -B "$root/ladder/measured.py" "$dir/raw.json" "$dir/results" abc1234 >"$dir/said"
is "a run is kept" "$dir/results/ladder-g1-80gb.json: now ./x ladder-docs puts it into the pages" "$(cat "$dir/said")"
python3 -B "$root/ladder/source.py" pages "$root/ladder" "$dir/pages" "$dir/results" || failed "pages of what was measured"
is "a rung's row" 1 "$(grep -c '^| \[one-thread\](#one-thread) |  |  |  |  | 1 | 1 % |$' "$dir/pages/reduce.md")"
is "whose it is" 1 "$(grep -c '^Measured on an NVIDIA G1 80GB, 20..-..-.., commit abc1234, for n = 1,000, f32' "$dir/pages/reduce.md")"
is "a rung's speed" 1 "$(grep -c '^\*G1 80GB:\* 1 ms, 10 GB/s, 1 % of the ceiling\.$' "$dir/pages/reduce.md")"
is "weft compared with the others" 1 "$(grep -c '^| \[vector-add\].* | [0-9]* % of the ceiling |$' "$dir/pages/README.md")"
python3 -c 'import sys, xml.etree.ElementTree as x
bars = [e for e in x.parse(sys.argv[1]).iter("{http://www.w3.org/2000/svg}rect")]
assert len(bars) == 1 + 10, len(bars)' "$dir/pages/reduce_g1-80gb.svg" || failed "the picture of what was measured"
sed 's/"verdict": "right"/"verdict": "WRONG"/' "$dir/raw.json" >"$dir/wrong.json"
python3 -B "$root/ladder/measured.py" "$dir/wrong.json" "$dir/results" abc1234 2>"$dir/stderr"
is "a wrong run" 1 $?
is "is not kept" 1 "$(grep -c 'wrong, and not kept: first-steps thread-index$' "$dir/stderr")"
finish
