# Functions for the scripts that require their own Debian; these source this file. All files are below $chroots
# (default: build/chroots of this checkout; environment variable WEFT_CHROOTS) and are kept for the next run.
chroots=$(mkdir -p "${WEFT_CHROOTS:-$source/build/chroots}" && cd "${WEFT_CHROOTS:-$source/build/chroots}" && pwd)

# minimal SUITE: makes $chroots/SUITE, a minimal Debian, unless it exists. No packages are installed in it.
minimal() {
    [ ! -e "$chroots/$1/.complete" ] || return 0
    rm -rf "${chroots:?}/$1"
    debootstrap --variant=minbase "$1" "$chroots/$1" >"$chroots/$1.log" 2>&1 || {
        tail -n 5 "$chroots/$1.log" >&2
        return 1
    }
    # A mirror of sid may be several weeks old. Its signature is still checked.
    echo 'Acquire::Check-Valid-Until "false";' >"$chroots/$1/etc/apt/apt.conf.d/old-mirror"
    touch "$chroots/$1/.complete"
}

# copy_of SUITE NAME: makes $chroots/NAME, a copy of the minimal Debian, unless it exists.
copy_of() {
    [ ! -e "$chroots/$2/.complete" ] || return 0
    rm -rf "${chroots:?}/$2" "${chroots:?}/$2.new"
    minimal "$1" && cp -a "$chroots/$1" "$chroots/$2.new" && mv "$chroots/$2.new" "$chroots/$2"
}

# inside NAME COMMAND...: runs the command as root in $chroots/NAME, with this checkout, read-only, in /source and the
# directory of ccache in /ccache. The mounts are in a separate namespace and end with the command.
inside() {
    inside_root=$chroots/$1
    shift
    mkdir -p "$chroots/ccache" "$inside_root/source" "$inside_root/ccache"
    # shellcheck disable=SC2016
    unshare --mount sh -euc 'root=$1 source=$2 ccache=$3
        shift 3
        mount -t proc proc "$root/proc" || true # not permitted everywhere; the library does not require it
        mount --bind "$source" "$root/source"
        mount -o remount,bind,ro "$root/source"
        mount --bind "$ccache" "$root/ccache"
        exec chroot "$root" env -i PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
            CCACHE_DIR=/ccache CCACHE_BASEDIR=/ CCACHE_NOHASHDIR=1 DEBIAN_FRONTEND=noninteractive "$@"' \
        sh "$inside_root" "$source" "$chroots/ccache" "$@"
}

# packages NAME PACKAGE...: installs the missing ones of these packages in $chroots/NAME.
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
