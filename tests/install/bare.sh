#!/bin/sh
# Does in a bare Debian, as a user with sudo, what README.md says: `./x tour`, the installation, the first program. Then
# `./x test` must find all that it installs: nothing but the CUDA plugin may be left out of its build. Needs root and a
# mirror of Debian. Usage: bare.sh [SUITE]
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/install/debian.sh"
suite=${1:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
[ "$(id -u)" = 0 ] || { echo "bare.sh: only root can make a new Debian" >&2 && exit 1; }
bare=bare-$suite.$$
trap 'rm -rf "${chroots:?}/$bare"' EXIT INT TERM

echo "a bare Debian $suite"
copy_of "$suite" "$bare"
packages "$bare" git sudo
inside "$bare" sh -euc 'useradd --create-home --shell /bin/sh user
    echo "user ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/user
    mkdir /home/user/weft'
(cd "$source" && git ls-files -z | xargs -0 cp --parents -t "$chroots/$bare/home/user/weft")
inside "$bare" chown -R user: /home/user
as_user() { inside "$bare" su - user -c "cd weft && $1"; }

echo "./x tour"
as_user './x tour >tour.txt && tail -n 1 tour.txt'

echo "README.md's first program"
readme=$source/README.md
sed -n '/^## A first program/,/^## /{/^```c$/,/^```$/{/^```/!p;};}' "$readme" >"$chroots/$bare/home/user/weft/first.c"
sed -n '/^## A first program/,/^## /s/^    \(cmake\|export\|cc\) /\1 /p' "$readme" >"$chroots/$bare/home/user/weft/first.sh"
as_user 'sudo apt-get install -y --no-install-recommends pkgconf >/dev/null && sh -eux first.sh'

echo "what ./x test builds after it has installed its tools"
# The functions of x, without its verb; cmake configures and builds nothing.
sed '/^verb=/,$d' "$source/x" >"$chroots/$bare/home/user/weft/functions"
cat >>"$chroots/$bare/home/user/weft/functions" <<'TEXT'
cmake() { [ "$1" = --build ] || command cmake "$@"; }
need_to_test
configure_and_build default -DWEFT_WERROR=ON $test_parts
TEXT
as_user 'sh ./functions'
left=$(grep -v '(no nvcc)' "$chroots/$bare/home/user/weft/build/left_out.txt" || true)
[ -z "$left" ] || { echo "bare.sh: ./x test leaves out: $left" >&2 && exit 1; }
echo "nothing is left out"
