#!/usr/bin/env bash
# Runs a command beside a PostgreSQL of its own: in a temporary folder, on a free port, as an unprivileged user.
#
#   tests/with-postgres.sh cargo nextest run -p store
#
# The command finds it in STICKERS_TEST_POSTGRES_URL. The server is stopped and its folder removed when the command ends,
# also when this script is interrupted or killed.
set -euo pipefail

if [ "$#" -eq 0 ]; then
    echo "usage: tests/with-postgres.sh COMMAND [ARGUMENT…]" >&2
    exit 2
fi
# Inside another with-postgres.sh one server is enough.
if [ -n "${STICKERS_TEST_POSTGRES_URL:-}" ]; then
    exec "$@"
fi

bin=""
for initdb in /usr/lib/postgresql/*/bin/initdb "$(command -v initdb || true)"; do
    if [ -x "$initdb" ]; then bin=$(dirname "$initdb"); fi
done
if [ -z "$bin" ]; then
    echo "PostgreSQL is not installed: the tests need its server (Debian: apt-get install postgresql)" >&2
    exit 1
fi

folder=$(mktemp -d "${TMPDIR:-/tmp}/stickers-postgres.XXXXXX")
as=()
if [ "$(id -u)" -eq 0 ]; then
    # The server refuses to run as root.
    user=nobody
    if id postgres >/dev/null 2>&1; then user=postgres; fi
    chown "$user" "$folder"
    as=(setpriv "--reuid=$user" "--regid=$(id -g "$user")" --clear-groups --inh-caps=-all)
fi

stop() {
    # The data is thrown away, so the server need not tidy up.
    (cd / && "${as[@]}" "$bin/pg_ctl" -D "$folder/data" -m immediate -s stop) >/dev/null 2>&1 || true
    rm -rf "$folder"
}
trap stop EXIT

# From within the folder: the user may not enter the one we are in.
cd_as() { (cd "$folder" && "${as[@]}" env HOME="$folder" LC_ALL=C.UTF-8 "$@"); }

if ! cd_as "$bin/initdb" -D "$folder/data" -U stickers --auth=trust --encoding=UTF8 --no-sync \
    >"$folder/initdb.log" 2>&1; then
    cat "$folder/initdb.log" >&2
    exit 1
fi

echo "subjectAltName=IP:127.0.0.1" >"$folder/san.conf"
# A certificate of its own authority, as a hosted database has, so that the tests can ask for TLS.
if ! cd_as openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=stickers test authority" \
        -keyout ca.key -out ca.crt >"$folder/openssl.log" 2>&1 ||
    ! cd_as openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=127.0.0.1" \
        -keyout server.key -out server.csr >>"$folder/openssl.log" 2>&1 ||
    ! cd_as openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out server.crt \
        -extfile san.conf >>"$folder/openssl.log" 2>&1; then
    cat "$folder/openssl.log" >&2
    exit 1
fi

# What a power cut would do does not matter here, so nothing waits for the disk; the engines' own durability is not under test.
cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$folder'
max_connections = 300
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 64MB
ssl = on
ssl_cert_file = '$folder/server.crt'
ssl_key_file = '$folder/server.key'
CONF

# Another program may take a port between the look and the start, hence the tries.
port=""
for _ in $(seq 1 20); do
    try=$((20000 + RANDOM % 20000))
    if (exec 3<>"/dev/tcp/127.0.0.1/$try") 2>/dev/null; then continue; fi
    if cd_as "$bin/pg_ctl" -D "$folder/data" -o "-p $try" -l "$folder/server.log" -w -t 60 -s start; then
        port=$try
        break
    fi
done
if [ -z "$port" ]; then
    tail -n 20 "$folder/server.log" >&2
    echo "PostgreSQL did not start" >&2
    exit 1
fi

# When this script is killed outright no trap runs: a watcher that outlives it does the same.
setsid bash -c '
    tail --pid="$1" -f /dev/null
    if [ -d "$2" ]; then
        kill -QUIT "$(head -n 1 "$2/data/postmaster.pid")" 2>/dev/null
        rm -rf "$2"
    fi
' watcher "$$" "$folder" >/dev/null 2>&1 </dev/null &

export STICKERS_TEST_POSTGRES_CA="$folder/ca.crt"
# Only the test that is about TLS asks for it; a handshake for each of a thousand connections proves nothing more.
export PGSSLMODE=disable
export STICKERS_TEST_POSTGRES_URL="postgres://stickers@127.0.0.1:$port/postgres"

# In the background, so that a signal is passed on at once and not when the command ends.
"$@" <&0 &
command=$!
trap 'kill -TERM "$command" 2>/dev/null || true' TERM INT HUP
status=0
wait "$command" || status=$?
# A signal ends the first wait; the command itself may take a moment longer.
if kill -0 "$command" 2>/dev/null; then wait "$command" || status=$?; fi
exit "$status"
