#!/usr/bin/env bash
# A provider's sheet to nine stickers: ours, the bare encoding, and scripts of the same work on OpenCV, Pillow and sharp, in turn.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
place=$target/peers-sheets
python=$place/python

. "$here/python.sh"
python_of "OpenCV, Pillow and numpy for the peers" "$python" "$here/sheets/requirements.txt"
if ! cmp -s "$here/sheets/package-lock.json" "$place/scripts/package-lock.json"; then
    echo "── installing sharp for the peers"
    rm -rf "$place/scripts"
    mkdir -p "$place/scripts"
    cp "$here"/sheets/package*.json "$place/scripts/"
    npm --prefix "$place/scripts" ci --no-fund --no-audit --loglevel=error
fi
# Node looks for packages beside the script.
cp "$here"/sheets/*.py "$here"/sheets/*.mjs "$place/scripts/"

cd "$root"
cargo bench --locked -p render --bench sheet -- --peers "$place/scripts" --python "$python/bin/python" --node "$(command -v node)" \
    --out "$place/made" "$@"
