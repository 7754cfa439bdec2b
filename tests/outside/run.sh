#!/usr/bin/env bash
# A client that others wrote talks to the simulator over a socket. Exit status 0: everything was as Telegram has it.
#
#   tests/outside/run.sh              builds the simulator and makes a Python environment under target/
#   SIMULATOR=path tests/outside/run.sh   takes this program instead of building one
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
environment=$target/outside-python
wanted=$here/requirements.txt

if ! cmp -s "$wanted" "$environment/requirements.txt"; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$environment/requirements.txt"
fi

if [ -z "${SIMULATOR:-}" ]; then
    cargo build --quiet --package simulator --manifest-path "$root/Cargo.toml"
    SIMULATOR=$target/debug/simulator
fi

export PYTHONDONTWRITEBYTECODE=1
exec "$environment/bin/python" "$here/check.py" "$SIMULATOR"
