#!/bin/sh
# Sets up an environment; FOLDER/.done appears only when everything worked.
#
#   sh scripts/bootstrap.sh [FOLDER PACKAGE...]    default: .venv, with Exact Change and its tools
#
# PYTHON=/path/to/python3 chooses an interpreter. Exit 4: something is missing that this script cannot supply.
set -eu
cd "$(dirname "$0")/.."
VENV=${1:-.venv}
if [ $# -gt 1 ]; then shift; else set -- --editable '.[dev]'; fi
LOG=$VENV/bootstrap.log

say() { printf 'setup: %s\n' "$*" >&2; }

give_up() {  # what is missing, then one way out per argument
    say "$1"
    shift
    for way in "$@"; do printf '  - %s\n' "$way" >&2; done
    exit 4
}

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {  # an explicit choice is never replaced by another
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        path=$(command -v "$name" 2>/dev/null) || continue
        if new_enough "$path"; then printf '%s\n' "$path"; return; fi
    done
    return 1
}

has() { "$PY" -c "import $1" >/dev/null 2>&1; }

# pip of this interpreter, or any other pip that can install into a foreign environment (pip >= 22.3).
find_pip() {
    if has pip; then printf '%s -m pip\n' "$PY"; return; fi
    for name in pip3 pip; do
        if "$name" --python "$PY" --version >/dev/null 2>&1; then printf '%s\n' "$name"; return; fi
    done
    return 1
}

run_logged() {  # command...: quiet when it works, everything when it does not
    code=0
    "$@" >"$LOG" 2>&1 </dev/null || code=$?
    [ $code != 0 ] || return 0
    tail -n 40 "$LOG" >&2
    return $code
}

install_venv_by_apt() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    case $PY in /usr/bin/python3*) ;; *) return 1 ;; esac
    say "this Python has no pip; installing Debian's python3-venv"
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    run_logged apt-get -qq update && run_logged apt-get -qq install -y --no-install-recommends python3-venv &&
        has ensurepip
}

with_uv() {  # what to install...
    command -v uv >/dev/null || return 1
    say "$("$PY" --version) by uv"
    uv venv --quiet --allow-existing --python "$PY" $VENV || return 1
    run_logged uv pip install --python "$VENV/bin/python" "$@" && return 0
    say "uv could not install; trying pip"
    return 1
}

with_pip() {  # what to install...
    if has ensurepip; then
        say "$("$PY" --version) by its own pip"
        "$PY" -m venv $VENV || return
        run_logged $VENV/bin/python -m pip install --disable-pip-version-check "$@"
    elif pip=$(find_pip) && has venv; then
        say "$("$PY" --version) by $pip (this Python has no ensurepip)"
        "$PY" -m venv --without-pip $VENV || return
        # shellcheck disable=SC2086  # "python -m pip" is three words on purpose
        run_logged $pip --python $VENV/bin/python install --disable-pip-version-check "$@"
    else
        return 3
    fi
}

rm -f $VENV/.done
PY=$(find_python) || give_up "Python 3.11 or newer is needed${PYTHON:+, and PYTHON=$PYTHON is not}" \
    "install it (Debian 12: apt install python3), or" \
    "name one: PYTHON=/path/to/python3.12 make demo"

# A half-made or moved environment is worth nothing: pip and uv would trust it.
if [ -e $VENV ] && ! new_enough $VENV/bin/python; then rm -rf $VENV; fi
mkdir -p $VENV

if ! with_uv "$@"; then
    has ensurepip || find_pip >/dev/null || install_venv_by_apt || give_up \
        "$PY has neither ensurepip nor pip, and there is no uv" \
        "as root on Debian or Ubuntu: apt install python3-venv, or" \
        "install uv, which needs nothing else, or" \
        "name another Python: PYTHON=/path/to/python3.12 make demo"
    with_pip "$@" || give_up "the packages could not be installed (see above; log: $LOG)" \
        "check that pip reaches its package index: $PY -m pip download --no-deps click, then" \
        "run make again: it starts over where it stopped"
fi
touch $VENV/.done
