#!/bin/bash
# Proves on a bare Debian 12 (python3, make, git, nothing else) that `make demo` and `make test` set themselves up.
#
#   sudo scripts/bare_debian.sh [STEP...]      default: demo demo test wheel
#
# A step is a make target, a command with a space in it, or `wheel`: build the wheel, install it into an empty
# environment with what it requires, let its doctor mend the machine, and run the demo from there.
#
# MIRROR=http://...  the Debian mirror (default: the first one that this machine's apt uses)
# KEEP=1             leave the root file system where it is, and say where
# ROOT=/folder       build it there (default: a new folder under /var/tmp); one that exists is used again
#
# The committed state of this checkout is cloned into it. Where packages come from (mirror, index, certificates,
# proxies) is taken from this machine at run time. Exit 0: every step did.
set -euo pipefail
cd "$(dirname "$0")/.."
REPO=$PWD
STEPS=("${@:-demo}")
[ $# -gt 0 ] || STEPS=(demo demo test wheel)
LIMIT_S=${LIMIT_S:-1500}
HOME_INSIDE=/root/exactchange
WHEEL='.venv/bin/python -m build --wheel --no-isolation --outdir /root/dist >/root/build.log &&
    rm -rf /root/empty && python3 -m venv /root/empty && /root/empty/bin/pip install -q /root/dist/*.whl &&
    cd / && /root/empty/bin/exactchange doctor --install-browser --quiet && /root/empty/bin/exactchange demo'

need() { command -v "$1" >/dev/null || { echo "bare: $1 is needed: apt install $2" >&2; exit 4; }; }

[ "$(id -u)" = 0 ] || { echo "bare: run this as root: sudo $0" >&2; exit 4; }
need debootstrap debootstrap
need unshare util-linux

host_mirror() {
    cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null |
        awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }'
}

build() {
    mirror=${MIRROR:-$(host_mirror)}
    [ -n "$mirror" ] || { echo "bare: no mirror found; set MIRROR" >&2; exit 4; }
    debootstrap --variant=minbase --include=python3,make,git,ca-certificates bookworm "$ROOT" "$mirror" >"$ROOT.log" 2>&1 ||
        { tail -n 20 "$ROOT.log" >&2; exit 4; }
    if [ -z "${MIRROR:-}" ]; then
        rm -f "$ROOT"/etc/apt/sources.list
        for part in sources.list sources.list.d auth.conf auth.conf.d preferences.d; do
            if [ -e "/etc/apt/$part" ]; then cp -rT "/etc/apt/$part" "$ROOT/etc/apt/$part"; fi
        done
        grep -lE '^Acquire' /etc/apt/apt.conf.d/* 2>/dev/null | xargs -r cp -t "$ROOT/etc/apt/apt.conf.d"
    fi
    cp -L /etc/resolv.conf /etc/hosts "$ROOT/etc/"
    cp -L /etc/ssl/certs/ca-certificates.crt "$ROOT/etc/ssl/certs/"
}

# Proxies, certificates and the package index of this machine, and nothing else of its environment.
environment() {
    printf '%s\n' PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
    env | grep -iE '^(https?_proxy|no_proxy|all_proxy|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|PIP_DEFAULT_TIMEOUT)=' || true
    env | grep -E '=/etc/ssl/certs/ca-certificates.crt$' || true
    for key in index-url trusted-host; do
        value=$(python3 -m pip config get "global.$key" 2>/dev/null) || continue
        name=$(printf 'PIP_%s' "$key" | tr a-z- A-Z_)
        printf '%s=%s\n' "$name" "$value"
    done
}

# Each step has mounts and processes of its own: when it ends, nothing of either is left.
inside() {  # shell command
    mapfile -t settings < <(environment)
    # shellcheck disable=SC2016
    timeout "$LIMIT_S" unshare --mount --pid --fork --kill-child bash -c '
        set -e
        mount --rbind /dev "$0/dev"
        mount --make-rslave "$0/dev"
        mount -t proc proc "$0/proc"
        mount -t sysfs -o ro sysfs "$0/sys"
        exec chroot "$0" env -i "${@:2}" sh -c "$1"
    ' "$ROOT" "$1" "${settings[@]}" </dev/null
}

FIGURES=()
step() {  # name, command...
    name=$1
    shift
    echo "=== $name"
    start=$(date +%s.%N)
    code=0
    "$@" || code=$?
    FIGURES+=("$(printf '%-16s exit %-3s %6.1f s' "$name" "$code" "$(echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }')")")
    return "$code"
}

finish() {
    echo "=== figures"
    printf '%s\n' "${FIGURES[@]}"
    if [ -n "${KEEP:-}" ]; then
        echo "kept: $ROOT"
    elif [ -d "$ROOT" ]; then
        rm -rf --one-file-system "$ROOT" "$ROOT.log"
    fi
}

ROOT=${ROOT:-$(mktemp -d /var/tmp/exactchange-bare.XXXXXX)}
trap finish EXIT
[ -x "$ROOT/bin/sh" ] || step build build
rm -rf --one-file-system "${ROOT:?}$HOME_INSIDE"
git clone --quiet "$REPO" "$ROOT$HOME_INSIDE"
[ -z "$(git status --porcelain)" ] || echo "bare: what is not committed is not in the clone" >&2
for target in "${STEPS[@]}"; do
    case $target in
        wheel) step wheel inside "cd $HOME_INSIDE && $WHEEL" ;;
        *" "*) step "$target" inside "cd $HOME_INSIDE && $target" ;;
        *) step "make $target" inside "cd $HOME_INSIDE && make $target" ;;
    esac
done
