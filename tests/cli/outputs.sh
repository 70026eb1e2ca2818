#!/bin/sh
# Tests output files: interruption by a signal, access rights of a replaced file, links, and disk space.
. "$(dirname "$0")/check.sh"
out=$dir/out
mkdir "$out"
x=$dir/x.npy
w random normal --n 100000 --seed 1 -o "$x"

# ------------------------------------------------------------------------------- signals
# A signal ends the writing of a file of 200 MB on the slow device; the old output is unchanged. The shell sees the
# signal.
python3 - "$weft" "$out" "$x" >"$dir/stdout" 2>&1 <<'PY'
import os, pty, signal, subprocess, sys, time
weft, out, x = sys.argv[1:]

def default_signals():
    for name in "INT TERM HUP QUIT XFSZ PIPE".split(): signal.signal(getattr(signal, "SIG" + name), signal.SIG_DFL)

def wait_until(true):
    end = time.monotonic() + 20
    while not true():
        if time.monotonic() > end: return
        time.sleep(0.01)

def partial(): return [name for name in os.listdir(out) if name.startswith("q.npy.")]

for command in ["random", "normal", "--n", "5e7"], ["sobol", "--dimensions", "10", "--scramble", "owen", "--n", "5e6"]:
    for name in "INT", "TERM", "HUP", "QUIT":
        with open(out + "/q.npy", "w") as old: old.write("old")
        child = subprocess.Popen([weft, "--device", "ref", *command, "-o", out + "/q.npy"],
                                 stderr=subprocess.PIPE, preexec_fn=default_signals)
        wait_until(lambda: partial() and os.path.getsize(out + "/" + partial()[0]) > 0)
        child.send_signal(getattr(signal, "SIG" + name))
        said = child.communicate(timeout=60)[1].decode()
        print(command[0], name, -child.returncode == getattr(signal, "SIG" + name), os.listdir(out),
              open(out + "/q.npy").read(), said)

# The progress bar is removed from the terminal's line: that of writing a file, and that of a library call.
for device, *arguments in ["ref", "random", "normal", "--n", "5e7", "-o", out + "/q.npy"], \
        ["cpu", "price", "asian-call", "--paths", "1e9"]:
    bar, terminal = pty.openpty()
    child = subprocess.Popen([weft, "--device", device, *arguments], stderr=terminal, preexec_fn=default_signals)
    os.close(terminal)
    seen = b""
    while b"%" not in seen: seen += os.read(bar, 1000)
    child.send_signal(signal.SIGINT)
    try:
        while more := os.read(bar, 1000): seen += more
    except OSError: pass
    print("bar", child.wait(), seen.endswith(b"\r\033[K"), os.listdir(out))

# An ignored signal stays ignored, as under nohup.
child = subprocess.Popen([weft, "--device", "cpu", "random", "uniform", "--n", "5e6", "-o", out + "/q.npy"],
                         preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
wait_until(partial)
child.send_signal(signal.SIGHUP)
print("nohup", child.wait(), os.path.getsize(out + "/q.npy"))

# A second signal, during work that ends by itself after the first one, leaves no file either.
child = subprocess.Popen([weft, "--device", "cpu", "scan", "-", "-o", out + "/y.npy"], stdin=subprocess.PIPE,
                         stderr=subprocess.PIPE, preexec_fn=default_signals)
child.stdin.write(open(x, "rb").read()[:100000])
child.stdin.flush()
wait_until(lambda: len(os.listdir(out)) == 2)
for name in "QUIT", : child.send_signal(getattr(signal, "SIG" + name))
print("quit", -child.wait(), os.listdir(out))
PY
is "signals" "random INT True ['q.npy'] old 
random TERM True ['q.npy'] old 
random HUP True ['q.npy'] old 
random QUIT True ['q.npy'] old 
sobol INT True ['q.npy'] old 
sobol TERM True ['q.npy'] old 
sobol HUP True ['q.npy'] old 
sobol QUIT True ['q.npy'] old 
bar -2 True ['q.npy']
bar -2 True ['q.npy']
nohup 0 20000128
quit 3 ['q.npy']" "$(cat "$dir/stdout")"
(ulimit -f 100 && w random uniform --n 1e6 -o "$out/f.npy") 2>"$dir/stderr"
is "a file past the limit of its size: exit code" 1 $?
is "a file past the limit of its size" "weft random: $out/f.npy: cannot be written: File too large" "$(cat "$dir/stderr")"
is "a file past the limit of its size: what is left" q.npy "$(ls -A "$out")"

# --------------------------------------------------------------------------------- space
w random uniform --n 1e18 -o "$out/large.npy" 2>"$dir/stderr"
is "10^18 samples: exit code" 1 $?
is "10^18 samples" "weft random: $out/large.npy: requires 4000000000000000128 bytes, but its file system has N free" \
    "$(sed 's/has [0-9]* free/has N free/' "$dir/stderr")"
w random uniform --n 9e18 --dtype f64 -o "$out/large.npy" 2>"$dir/stderr"
is "9 10^18 samples of 8 bytes" "weft random: $out/large.npy: requires 18446744073709551615 bytes, but its file system has N free" \
    "$(sed 's/has [0-9]* free/has N free/' "$dir/stderr")"
is "no space: what is left" q.npy "$(ls -A "$out")"

# ------------------------------------------------------------------------- access rights
for mode in 600 640 604 666 400 755; do
    chmod "$mode" "$out/q.npy"
    w random uniform --n 3 -o "$out/q.npy"
    is "the mode of a file that is replaced, $mode" "$mode" "$(stat -c %a "$out/q.npy")"
done
(umask 027 && w random uniform --n 3 -o "$out/new.npy")
is "the mode of a new file" 640 "$(stat -c %a "$out/new.npy")"
chmod 4755 "$out/new.npy"
w random uniform --n 3 -o "$out/new.npy"
is "the mode of a file that is replaced, without setuid" 755 "$(stat -c %a "$out/new.npy")"
if [ "$(id -u)" = 0 ]; then
    chown 1234:2345 "$out/q.npy" && chmod 640 "$out/q.npy"
    w random uniform --n 3 -o "$out/q.npy"
    is "the owner of a file that is replaced" "1234 2345 640" "$(stat -c '%u %g %a' "$out/q.npy")"
else
    echo "left out: an owner that is kept, which takes root"
fi
if command -v setfacl >/dev/null && setfacl -m u:1234:r "$out/new.npy" 2>/dev/null; then
    before=$(getfacl -cp "$out/new.npy")
    w random uniform --n 3 -o "$out/new.npy"
    is "the access list of a file that is replaced" "$before" "$(getfacl -cp "$out/new.npy")"
else
    echo "left out: access lists, which there are none of here"
fi

# --------------------------------------------------------------------------------- links
mkdir "$dir/data"
ln -s ../data/target.npy "$out/relative.npy"
ln -s "$out/relative.npy" "$out/chain.npy"
for step in dangling good; do
    w random uniform --n 3 -o "$out/chain.npy"
    is "a $step link: exit code" 0 $?
    is "a $step link stays" "$out/relative.npy" "$(readlink "$out/chain.npy")"
    is "a $step link's target" "<f4 (3,)" "$(values "$dir/data/target.npy" | cut -d' ' -f1-2)"
    is "a $step link: what is in the target's folder" target.npy "$(ls -A "$dir/data")"
done
ln -s loop.npy "$out/loop.npy"
refuses 1 "weft random: $out/loop.npy: cannot be created: Too many levels of symbolic links" random uniform --n 3 -o "$out/loop.npy"
ln -s "$dir/none/y.npy" "$out/astray.npy"
refuses 1 "weft random: $out/astray.npy: cannot be created: No such file or directory" random uniform --n 3 -o "$out/astray.npy"
finish
