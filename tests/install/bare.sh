#!/bin/sh
# Follows README.md in a bare Debian, as a user with sudo: `./x tour`, the installation, the first program. Then the
# build of `./x test` must find all packages that it has installed: it may leave out only the CUDA plugin. Requires
# root and a mirror of Debian. Usage: bare.sh [SUITE]
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/install/debian.sh"
suite=${1:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
[ "$(id -u)" = 0 ] || { echo "bare.sh: must be run as root" >&2 && exit 1; }
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
# Extracts the C block of the section, whose first line contains the file name; the commands, with or without "$ "
# before them; and the line that README.md shows below the last command.
readme=$source/README.md home=$chroots/$bare/home/user/weft
section() { sed -n '/^## A first program/,/^## /p' "$readme"; }
program=$(section | sed -n 's,^/\* \([a-z_]*\.c\) \*/$,\1,p')
section | sed -n '/^```c$/,/^```$/{/^```/!p;}' >"$home/$program"
section | sed -n 's/^    \(\$ \)\{0,1\}\(cmake\|export\|cc\) /\2 /p' >"$home/first.sh"
shown=$(section | sed -n '/^    \$ cc /{n;s/^    //p;}')
printed=$(as_user 'sudo apt-get install -y --no-install-recommends pkgconf >/dev/null && sh -eu first.sh' | tail -n 1)
[ "$printed" = "$shown" ] || { echo "bare.sh: $program printed '$printed'; README.md shows '$shown'" >&2 && exit 1; }
echo "$printed"

echo "the build of ./x test after it has installed its tools"
# Uses the functions of x without its verbs. cmake configures, but does not build.
sed '/^verb=/,$d' "$source/x" >"$chroots/$bare/home/user/weft/functions"
cat >>"$chroots/$bare/home/user/weft/functions" <<'TEXT'
cmake() { [ "$1" = --build ] || command cmake "$@"; }
need_to_test
configure_and_build default -DWEFT_WERROR=ON $test_parts
TEXT
as_user 'sh ./functions'
left=$(grep -v '(no nvcc)' "$chroots/$bare/home/user/weft/build/left_out.txt" || true)
[ -z "$left" ] || { echo "bare.sh: the build of ./x test leaves out: $left" >&2 && exit 1; }
echo "nothing is left out"
