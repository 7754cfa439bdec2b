#!/usr/bin/env bash
# Brings in another program, and goes back when it does not work: to the program that ran before, and, when the database was changed, to the
# copy that was made right before that.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deploy/lib.sh
. "$here/lib.sh"

usage() {
    cat <<TEXT
Usage: upgrade.sh --binary FILE [--wait SECONDS] [--anyway]
       upgrade.sh --back [--wait SECONDS] [--anyway]
       upgrade.sh --list

  --binary FILE   the new program
  --back          the program that ran before this one; the database stays as it is
  --list          the programs that are kept, newest first
  --wait SECONDS  how long the new program may take until /health shows its revision (60)
  --anyway        also while guests' packs are being made

What happens: the new program is tried; bot and API stop; the database is migrated (a copy of it is made
first when there is something to do); both start; /health must show the new revision and the bot must stay up.
If not, the old program comes back, and with it the copy of the database when it was migrated. Four
programs are kept in $home/bin.
Status 0: the new program runs. 1: it does not, and the old one runs again, or the last lines say what to do.
TEXT
}

binary="" back="" list="" wait=60 anyway=""
while [ "$#" -gt 0 ]; do
    case "$1" in
        --binary | --wait)
            [ "$#" -gt 1 ] || { echo "upgrade.sh: $1 wants a value; see --help" >&2; exit 2; }
            if [ "$1" = --binary ]; then binary=$2; else wait=$2; fi
            shift ;;
        --back) back=yes ;;
        --list) list=yes ;;
        --anyway) anyway=yes ;;
        --help | -h) usage; exit 0 ;;
        *) echo "upgrade.sh: $1 is not known; see --help" >&2; exit 2 ;;
    esac
    shift
done
[[ $wait =~ ^[0-9]{1,4}$ ]] || { echo "upgrade.sh: --wait wants seconds" >&2; exit 2; }
if [ -z "$binary$back$list" ] || { [ -n "$binary" ] && [ -n "$back" ]; }; then
    echo "upgrade.sh: one of --binary, --back, --list is wanted; see --help" >&2
    exit 2
fi

# How many programs stay in $home/bin.
KEPT=4
# Seconds for which the bot has to run without being started again.
BOT_STEADY=8
env_file=$home/bot/.env
previous_note=$home/bin/previous

kept_programs() { find "$home/bin" -maxdepth 1 -type f -name 'stickers-*' ! -name '*.part' -printf '%T@ %p\n' | sort -rn | cut -d' ' -f2-; }

if [ -n "$list" ]; then
    present=$(readlink -f "$program" || true)
    while read -r name; do
        mark="  "
        if [ "$name" = "$present" ]; then mark="* "; fi
        printf '%s%s  %s\n' "$mark" "$(date -u -r "$name" '+%Y-%m-%d %H:%M UTC')" "$name"
    done < <(kept_programs)
    exit 0
fi

need_root
booted || fail "systemd is not running here"
old=$(readlink -f "$program") || fail "nothing is installed yet: deploy/install.sh"

# Never two at once.
exec 9>"$home/bin/.upgrading"
flock -n 9 || fail "another upgrade is under way"

if [ -n "$back" ]; then
    new=$(cat "$previous_note" 2>/dev/null) || fail "there is no earlier program to go back to; see --list"
    [ -x "$new" ] || fail "$new is gone; see --list"
else
    [ -f "$binary" ] || fail "there is no file $binary"
    binary=$(readlink -f "$binary")
    new=$(keep_program "$binary")
fi
[ "$new" != "$old" ] || { say "this program runs already: $new"; exit 0; }
touch "$new"
new_revision=$(revision_of "$new")
old_revision=$(revision_of "$old")
say "from $old_revision to $new_revision"

told=$(as_sticker "$new" config --env-file "$env_file" 2>&1 >/dev/null) ||
    fail "the new program does not accept the configuration; nothing was changed: $told"
address=$(setting API_BIND)
database=$(setting DATABASE_URL)
# A database that is a file is copied before it is migrated, and the copy is what we go back to.
file=""
case "$database" in sqlite://*) file=${database#sqlite://} ;; esac

active=$(field "$(health "$address")" active_jobs)
if [ "${active:-0}" != 0 ] && [ -z "$anyway" ]; then
    fail "$active packs are being made; wait until /health says \"active_jobs\":0, or say --anyway"
fi

# Only what ran before is started again.
running=()
for unit in sticker-api sticker-bot ai-stickers-landing; do
    if systemctl --quiet is-active "$unit.service"; then running+=("$unit.service"); fi
done

stop_all() { systemctl stop sticker-bot.service sticker-api.service ai-stickers-landing.service; }

# The newest automatic copy beside the database, if there is one.
newest_copy() {
    [ -n "$file" ] || return 0
    find "${file%/*}" -maxdepth 1 -name "${file##*/}.bak-*" ! -name '*-reset' ! -name '*-wal' ! -name '*-shm' -printf '%T@ %p\n' |
        sort -rn | sed -n 1p | cut -d' ' -f2-
}

start_all() {
    local unit
    for unit in "${running[@]}"; do
        systemctl start "$unit" || return 1
    done
    case " ${running[*]} " in
        *" sticker-api.service "*) answers "$address" "$1" "$wait" || return 1 ;;
    esac
    for unit in "${running[@]}"; do
        [ "$unit" = sticker-api.service ] || stays_up "$unit" "$BOT_STEADY" || { note "$unit does not stay up"; return 1; }
    done
}

# changing is set from the first step that somebody would notice until the new program works: an end in between goes back.
changing="" copy="" migrated=""
go_back() {
    # Whatever fails from here on, the rest is tried; a closed terminal too must not stop it.
    set +e
    changing=""
    trap '' HUP INT TERM PIPE
    say "going back to $old_revision: $1"
    stop_all
    use_program "$old"
    if [ -n "$copy" ]; then
        say "the database goes back to $copy"
        as_sticker "$old" restore "$copy" --env-file "$env_file" ||
            fail "the copy was not restored; the services are stopped. By hand: stickers restore $copy, then systemctl start ${running[*]}"
    elif [ -n "$migrated" ] && [ -z "$file" ]; then
        say "the PostgreSQL database keeps its new columns: the old program works beside them"
    fi
    if start_all "$old_revision"; then
        say "the old program runs again; why the new one did not: journalctl -u sticker-api -u sticker-bot --since '10 min ago'"
    else
        say "THE OLD PROGRAM DOES NOT START EITHER: journalctl -u sticker-api -u sticker-bot -n 100"
    fi
    exit 1
}
trap 'if [ -n "$changing" ]; then go_back "it was interrupted"; fi' EXIT
trap 'exit 1' HUP INT TERM

say "stopping"
changing=yes
stop_all
before=$(newest_copy)
say "migrating the database"
if ! told=$(as_sticker "$new" migrate --env-file "$env_file" 2>&1); then
    printf '%s\n' "$told"
    go_back "the database was not migrated, and is as it was"
fi
# What it says, without its log.
printf '%s\n' "$told" | grep -v '^{' | sed 's/^/   /' || true
if grep -q '^applied ' <<<"$told"; then migrated=yes; fi
after=$(newest_copy)
if [ "$after" != "$before" ]; then
    copy=$after
    note "copy of before: $copy"
fi
use_program "$new"
say "starting: ${running[*]:-nothing, since nothing ran}"
start_all "$new_revision" || go_back "the new program does not work"
changing=""
printf '%s\n' "$old" >"$previous_note"
# Programs beyond the last few go; never the one in use and never the one before it.
kept_programs | tail -n +$((KEPT + 1)) | while read -r name; do
    if [ "$name" != "$new" ] && [ "$name" != "$old" ]; then rm -f "$name"; fi
done
say "$new_revision runs; back to the one before: $here/upgrade.sh --back"
