#!/usr/bin/env bash
# Durable POST /leads, its floor and its peer, in turn. Arguments go to the measuring program, such as --rounds 3 or --dir /mnt/disk.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
environment=$target/peers-python
wanted=$here/fastapi_leads/requirements.txt

if ! cmp -s "$wanted" "$environment/requirements.txt"; then
    echo "── installing the packages of the FastAPI peer"
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$environment/requirements.txt"
fi

echo "── building the release of the program (the first time takes some minutes)"
cargo build --quiet --locked --release --manifest-path "$root/Cargo.toml" -p stickers --bin stickers --example leads

export PYTHONDONTWRITEBYTECODE=1
exec "$target/release/examples/leads" --stickers "$target/release/stickers" \
    --python "$environment/bin/python" --peer "$here/fastapi_leads" "$@"
