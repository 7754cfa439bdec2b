#!/usr/bin/env bash
# Makes the Python environment of compose.py, and runs it: deploy/test/compose.sh STICKERS SIMULATOR, inside tests/with-postgres.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
stickers=$(readlink -f "$1") simulator=$(readlink -f "$2")
environment=${CARGO_TARGET_DIR:-$here/../../target}/compose-python
wanted=$here/requirements.txt
if ! cmp -s "$wanted" "$environment/requirements.txt"; then
    echo "── an S3 server from a package (once)"
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$environment/requirements.txt"
fi
echo "── compose.yaml by hand"
PYTHONDONTWRITEBYTECODE=1 exec "$environment/bin/python" "$here/compose.py" "$stickers" "$simulator"
