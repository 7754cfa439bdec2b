#!/usr/bin/env bash
# One copy of the database now: as sticker-backup.timer does it every night. The line that it prints also goes to the log.
set -euo pipefail

home=/opt/ai-sticker-pack
log=${STICKER_BACKUP_LOG:-/var/log/sticker-backup.log}

if [ "${1:-}" = --help ]; then
    cat <<TEXT
Usage: bash $home/deploy/backup.sh [OPTION of stickers backup]…

Makes one checked copy of the database in /var/backups/sticker-pack and prints the line of the log,
which is $log. A run by hand counts toward the 14 copies that stay.
Status 0: a copy was made (OK), or there is no database yet (SKIP). Status 1: no copy (FAIL).
TEXT
    exit 0
fi

run=()
if [ "$(id -u)" -eq 0 ]; then
    # A file of root's beside the database would lock the services out.
    run=(setpriv --reuid=sticker --regid=sticker --init-groups)
fi

status=0
line=$("${run[@]}" "$home/bin/stickers" backup --env-file "$home/bot/.env" "$@") || status=$?
if [ -n "$line" ]; then
    printf '%s\n' "$line"
    # A log that cannot be written is no reason to call the copy a failure.
    printf '%s\n' "$line" >>"$log" || echo "backup.sh: $log cannot be written" >&2
fi
exit "$status"
