# Functions for the scripts that need a Debian of their own; these source it. Everything is below $chroots (default:
# build/chroots of this checkout; environment variable WEFT_CHROOTS), where it is kept for the next time.
chroots=$(mkdir -p "${WEFT_CHROOTS:-$source/build/chroots}" && cd "${WEFT_CHROOTS:-$source/build/chroots}" && pwd)

# minimal SUITE: makes $chroots/SUITE, a minimal Debian, unless it is there. Nothing is installed in it.
minimal() {
    [ ! -e "$chroots/$1/.complete" ] || return 0
    rm -rf "${chroots:?}/$1"
    debootstrap --variant=minbase "$1" "$chroots/$1" >"$chroots/$1.log" 2>&1 || {
        tail -n 5 "$chroots/$1.log" >&2
        return 1
    }
    # A mirror of sid may be some weeks old; its signature is checked nevertheless.
    echo 'Acquire::Check-Valid-Until "false";' >"$chroots/$1/etc/apt/apt.conf.d/old-mirror"
    touch "$chroots/$1/.complete"
}

# copy_of SUITE NAME: makes $chroots/NAME, a copy of the minimal Debian, unless it is there.
copy_of() {
    [ ! -e "$chroots/$2/.complete" ] || return 0
    rm -rf "${chroots:?}/$2" "${chroots:?}/$2.new"
    minimal "$1" && cp -a "$chroots/$1" "$chroots/$2.new" && mv "$chroots/$2.new" "$chroots/$2"
}

# inside NAME COMMAND...: runs it as root in $chroots/NAME, with this checkout in /source, which cannot be written, and
# ccache's directory in /ccache. The mounts are in a namespace of their own and end with the command.
inside() {
    inside_root=$chroots/$1
    shift
    mkdir -p "$chroots/ccache" "$inside_root/source" "$inside_root/ccache"
    # shellcheck disable=SC2016
    unshare --mount sh -euc 'root=$1 source=$2 ccache=$3
        shift 3
        mount -t proc proc "$root/proc" || true # not allowed everywhere; the library does without
        mount --bind "$source" "$root/source"
        mount -o remount,bind,ro "$root/source"
        mount --bind "$ccache" "$root/ccache"
        exec chroot "$root" env -i PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
            CCACHE_DIR=/ccache CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1 DEBIAN_FRONTEND=noninteractive "$@"' \
        sh "$inside_root" "$source" "$chroots/ccache" "$@"
}

# packages NAME PACKAGE...: installs in $chroots/NAME those that are not there.
packages() {
    packages_root=$1
    shift
    # shellcheck disable=SC2016
    inside "$packages_root" sh -c 'for package; do dpkg -s "$package" 2>/dev/null | grep -q "^Status: .* installed$" || exit 1
        done' sh "$@" && return 0
    inside "$packages_root" sh -c 'apt-get update && apt-get install -y --no-install-recommends "$@"' sh "$@" \
        >"$chroots/$packages_root.log" 2>&1 || {
        tail -n 5 "$chroots/$packages_root.log" >&2
        return 1
    }
}
