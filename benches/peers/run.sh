#!/usr/bin/env bash
# Durable POST /leads, its floor and its peer, in turn. Arguments go to the measuring program, such as --rounds 3 or --dir /mnt/disk.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
environment=$target/peers-python

. "$here/python.sh"
python_of "the packages of the FastAPI peer" "$environment" "$here/fastapi_leads/requirements.txt"

echo "── building the release of the program (the first time takes some minutes)"
cargo build --quiet --locked --release --manifest-path "$root/Cargo.toml" -p stickers --bin stickers --example leads

exec "$target/release/examples/leads" --stickers "$target/release/stickers" \
    --python "$environment/bin/python" --peer "$here/fastapi_leads" "$@"
