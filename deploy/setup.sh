#!/bin/sh
# Finds a Python that fits and lets it build the environment (`make setup`).
set -eu
cd "$(dirname "$0")/.."

fits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
python=
for candidate in ${PYTHON:-} python3.11 python3.12 python3.13 python3 python; do
    if "$candidate" -c "$fits" >/dev/null 2>&1; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "Attest needs Python 3.11, 3.12 or 3.13 and found none: install one, or name it: make setup PYTHON=/path/to/python3.11" >&2
    exit 1
fi

# Debian and Ubuntu keep what makes environments in a package of its own.
if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        apt-get update -qq && apt-get install -y -qq "python$version-venv" >/dev/null
    else
        echo "This Python can't make environments: install its venv package (on Debian and Ubuntu: python3-venv)." >&2
        exit 1
    fi
fi
exec "$python" deploy/environment.py
