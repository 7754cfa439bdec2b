#!/usr/bin/env bash
# Installs the kiosk on a fresh Debian, starts it there under systemd, upgrades it, lets upgrades fail, and looks at everything. Needs root, some
# minutes, and Debian's packages the first time; it is no part of the test suite (`make test-install`).
#
#   deploy/test/install.sh STICKERS SIMULATOR
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source=$(cd "$here/../.." && pwd)
stickers=$(readlink -f "$1") simulator=$(readlink -f "$2")
work=${CARGO_TARGET_DIR:-$source/target}/test-install
suite=${DEBIAN_SUITE:-bookworm}
[ "$(id -u)" -eq 0 ] || { echo "make test-install: run this as root" >&2; exit 1; }

say() { printf '── %s\n' "$*"; }
good() { passed=$((passed + 1)); printf '   ok: %s\n' "$*"; }
bad() { printf '   NOT OK: %s\n' "$*" >&2; exit 1; }
passed=0
# Reads to the end: a program whose reader has gone would call that a failure.
has() { grep "$@" >/dev/null; }

home=/opt/ai-sticker-pack
root=$work/root booted=""
finish() {
    local status=$?
    if [ -n "$booted" ]; then
        kill -TERM "$booted" 2>/dev/null || true
        wait "$booted" 2>/dev/null || true
    fi
    if [ "$status" -ne 0 ]; then printf '1 failed after %s passed\n' "$passed" >&2; fi
}
trap finish EXIT

# ── a fresh Debian ──────────────────────────────────────────────────────────
base=$work/debian-$suite
if [ ! -e "$base/.whole" ]; then
    say "a fresh Debian $suite (once)"
    rm -rf "$base"
    mkdir -p "$work"
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,caddy,ca-certificates "$suite" "$base" >"$work/debootstrap.log" 2>&1 ||
        { tail -n 20 "$work/debootstrap.log" >&2; bad "debootstrap"; }
    touch "$base/.whole"
fi
rm -rf "$root"
cp -a "$base" "$root"
mkdir -p "$root/src/docs"
cp -r "$source/deploy" "$root/src/deploy"
cp -r "$source/docs/handbook" "$root/src/docs/handbook"
# Debug symbols are nine tenths of a development build.
strip -o "$root/src/stickers" "$stickers"
strip -o "$root/src/simulator" "$simulator"
cp "$source/crates/app/assets/astronaut.png" "$root/src/photo.png"
# What an installer writes and debootstrap does not; the world outside is not there.
printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
rm -f "$root/etc/resolv.conf"

# inside COMMAND…: in the folder, with /proc as an image builder gives it, and gone again behind the command.
inside() {
    # shellcheck disable=SC2016  # the inner shell fills them in
    unshare --mount --propagation private sh -c 'mount -t proc proc "$1/proc" && shift && exec chroot "$0" "$@"' \
        "$root" "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
}

# ── installed in an image: nothing runs ─────────────────────────────────────
say "install.sh in the folder, where no systemd runs"
arguments=(--binary /src/stickers --host kiosk.example.org --landing-host landing.example.org --caddy)
inside /src/deploy/install.sh "${arguments[@]}" >"$work/install-1.log" 2>&1 || { cat "$work/install-1.log"; bad "install.sh"; }
good "install.sh"
# What belongs to the kiosk: names, owners, modes, contents.
picture() {
    (cd "$root" && find .$home ./var/backups/sticker-pack ./var/log/sticker-backup.log ./etc/systemd/system ./etc/tmpfiles.d ./etc/caddy \
        ./usr/local/bin -printf '%p %u %g %m %l\n' | sort &&
        find .$home ./etc/systemd/system ./etc/caddy ./usr/local/bin -type f -exec sha256sum {} + | sort)
}
picture >"$work/picture-1"
inside /src/deploy/install.sh "${arguments[@]}" >"$work/install-2.log" 2>&1 || { cat "$work/install-2.log"; bad "install.sh a second time"; }
picture >"$work/picture-2"
diff "$work/picture-1" "$work/picture-2" >"$work/picture.diff" || { cat "$work/picture.diff"; bad "a second run changed something"; }
good "a second run changes nothing"

mode_of() { inside stat --format '%a %U:%G' "$1"; }
while read -r path wanted; do
    [ "$(mode_of "$path")" = "$wanted" ] || bad "$path is '$(mode_of "$path")', wanted '$wanted'"
done <<TABLE
$home/bot 750 root:sticker
$home/bot/.env 640 root:sticker
$home/bot/data 700 sticker:sticker
$home/logs 750 sticker:sticker
$home/landing 700 root:root
$home/landing/.env 600 root:root
$home/bin 755 root:root
/var/backups/sticker-pack 700 sticker:sticker
/var/log/sticker-backup.log 640 sticker:sticker
TABLE
good "owners and modes of folders, configuration and log"
grep -qx 'PUBLIC_URL=https://kiosk.example.org' "$root$home/bot/.env" || bad "PUBLIC_URL"
for name in KIOSK_KEY LEADS_SECRET LEADS_IP_SALT; do
    grep -qE "^$name=[0-9a-f]{24,}\$" "$root$home/bot/.env" || bad "$name has no fresh value"
done
good "fresh secrets"

say "systemd-analyze"
units=(sticker-api.service sticker-bot.service ai-stickers-landing.service sticker-backup.service sticker-backup.timer
    sticker-privacy-audit.service sticker-privacy-audit.timer)
told=$(inside systemd-analyze verify --man=no "${units[@]/#//etc/systemd/system/}" 2>&1) || bad "verify: $told"
[ -z "$told" ] || bad "verify: $told"
good "verify has nothing to say about ${units[*]}"
for unit in "${units[@]}"; do
    case "$unit" in *.timer) continue ;; esac
    score=$(inside systemd-analyze security --offline=yes --no-pager "/etc/systemd/system/$unit" 2>/dev/null | tail -n 1)
    [[ $score =~ :\ ([0-9.]+)\  ]] || bad "no score of $unit: $score"
    printf '   %s: exposure %s\n' "$unit" "${BASH_REMATCH[1]}"
    # 1.2 is what is left to a network service that may speak to the internet; more means that a line was lost.
    awk -v score="${BASH_REMATCH[1]}" 'BEGIN { exit !(score <= 1.5) }' || bad "$unit is exposed more than it was"
done
good "exposure of every service is 1.5 or less (of 10)"
inside caddy validate --adapter caddyfile --config /etc/caddy/Caddyfile >"$work/caddy.log" 2>&1 || { cat "$work/caddy.log"; bad "caddy validate"; }
good "caddy validate"

# ── booted ──────────────────────────────────────────────────────────────────
say "boot"
for unit in console-getty.service getty.target systemd-logind.service apt-daily.timer apt-daily-upgrade.timer caddy.service; do
    ln -sfn /dev/null "$root/etc/systemd/system/$unit"
done
# What the world outside would be.
cat >"$root/etc/systemd/system/simulator.service" <<UNIT
[Service]
ExecStart=/src/simulator --bind 127.0.0.1:8081 --set-lag-ms 0
[Install]
WantedBy=multi-user.target
UNIT
ln -sfn ../simulator.service "$root/etc/systemd/system/multi-user.target.wants/simulator.service"
sed -i -e 's|^BOT_TOKEN=.*|BOT_TOKEN=123456:TEST|' -e 's|^ADMIN_USER_IDS=.*|ADMIN_USER_IDS=1|' "$root$home/bot/.env"
printf 'TELEGRAM_API_URL=http://127.0.0.1:8081\n' >>"$root$home/bot/.env"
printf 'TELEGRAM_API_URL=http://127.0.0.1:8081\n' >>"$root$home/landing/.env"
rm -f "$work/pid"
"$here/boot.sh" "$root" "$work/pid" >"$work/boot.log" 2>&1 &
booted=$!
for _ in $(seq 100); do [ -s "$work/pid" ] && break; sleep 0.1; done
first=$(cat "$work/pid")
[ -n "$first" ] || { cat "$work/boot.log"; bad "no first process"; }
in_it() { nsenter --target "$first" --mount --pid --uts --ipc --net --cgroup -- env -i -C / PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }
on_its_network() { nsenter --target "$first" --net -- "$@"; }
for _ in $(seq 60); do
    state=$(in_it systemctl is-system-running 2>/dev/null || true)
    case "$state" in running | degraded) break ;; esac
    sleep 1
done
case "$state" in running | degraded) ;; *) cat "$work/boot.log"; bad "systemd is '$state'" ;; esac

# until SECONDS WHAT COMMAND…: waits for a state.
until_true() {
    local end=$((SECONDS + $1)) what=$2
    shift 2
    while ! "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || { in_it journalctl --no-pager -n 60 >&2 || true; bad "$what"; }
        sleep 0.3
    done
}
health() { on_its_network python3 -c 'import sys,urllib.request; print(urllib.request.urlopen("http://127.0.0.1:8000/health", timeout=3).read().decode())'; }
healthy() { health | has '"ok":true'; }
bot_seen() { health | has -E '"bot_seen_seconds":[0-9]'; }
bot_heard() { health | has -E '"bot_seen_seconds":[0-9],'; }
shows() { health | has "\"revision\":\"$1\""; }
active() { in_it systemctl --quiet is-active "$1"; }

until_true 60 "the API answers" healthy
until_true 60 "the bot is seen" bot_seen
for unit in sticker-api sticker-bot ai-stickers-landing; do active "$unit" || bad "$unit does not run"; done
good "after a boot API, bot and landing site run, and $(health)"
in_it systemctl list-timers --no-pager sticker-backup.timer | has 'sticker-backup.service' || bad "the timer is not armed"
good "the timer is armed: $(in_it systemctl list-timers --no-pager --no-legend sticker-backup.timer | sed 's/  */ /g')"
for unit in sticker-api sticker-bot; do
    pid=$(in_it systemctl show --property=MainPID --value $unit)
    in_it sh -c "grep -q '^Seccomp:[[:space:]]*2' /proc/$pid/status && grep -q '^NoNewPrivs:[[:space:]]*1' /proc/$pid/status && grep -q '^CapBnd:[[:space:]]*0*\$' /proc/$pid/status" ||
        bad "$unit is not confined"
    [ "$(in_it stat --format %U /proc/"$pid")" = sticker ] || bad "$unit does not run as sticker"
done
good "API and bot are user sticker, without capabilities, behind a filter of system calls"

say "a guest, in the confined services"
key=$(sed -n 's/^KIOSK_KEY=//p' "$root$home/bot/.env")
guest() { on_its_network python3 "$here/guest.py" http://127.0.0.1:8000 http://127.0.0.1:8081 123456 "$key" "$root/src/photo.png"; }
job=$(guest) || { in_it journalctl --no-pager -u sticker-bot -n 40 >&2; bad "no pack"; }
good "job $job: from START to the pack"
logs=$(find "$root$home/logs" -name 'app.log.*' -printf '%f %u ')
[ -n "$logs" ] || bad "no log file"
good "log file: $logs"
in_it journalctl --no-pager -u sticker-bot | has -i 'operation not permitted' && bad "the filter refused something"
good "nothing was refused by the filter"

say "through Caddy"
# As installed, but without certificates, which only the internet gives.
sed -i -E 's#^(kiosk|landing)\.example\.org \{#http://\1.example.org {#' "$root/etc/caddy/Caddyfile"
rm -f "$root/etc/systemd/system/caddy.service"
in_it systemctl daemon-reload
in_it systemctl start caddy.service || { in_it journalctl --no-pager -u caddy -n 20 >&2; bad "caddy.service"; }
listening() { on_its_network python3 -c 'import socket; socket.create_connection(("127.0.0.1", 80), 1)'; }
until_true 30 "Caddy listens" listening
token=$(on_its_network python3 "$here/proxy.py" "$key") || { in_it journalctl --no-pager -u caddy -n 20 >&2; bad "proxy.py"; }
good "events come at once, pages packed, /metrics stays inside, no name of the proxy"
access=$root/var/log/caddy/stickers.log
for path in '"uri":"/session/' '"uri":"/metrics"' '"uri":"/ru"' '"remote_ip":"127.0.0.1"'; do
    grep -qF "$path" "$access" || bad "the access log lacks $path"
done
for secret in "$token" "$key" a-name-behind-the-mark 'reason=cancel'; do
    if grep -qF "$secret" "$access"; then bad "the access log holds $secret"; fi
done
good "the access log holds addresses and routes, and no key, no token, nothing behind a question mark"

say "the nightly copy"
in_it systemctl start sticker-backup.service || bad "sticker-backup.service"
line=$(tail -n 1 "$root/var/log/sticker-backup.log")
[[ $line =~ ^[0-9-]+\ [0-9:]+\ UTC\ OK\ (app-[0-9]{8}-[0-9]{6}\.db\.gz)\ .*integrity=ok\ jobs=1\ users=1\  ]] || bad "the line is '$line'"
copy=${BASH_REMATCH[1]}
[ "$(mode_of "/var/backups/sticker-pack/$copy")" = "600 sticker:sticker" ] || bad "mode of the copy"
in_it journalctl --no-pager -u sticker-backup | has -F "$line" || bad "the line is not in the journal"
good "$line"
in_it bash $home/deploy/backup.sh >/dev/null || bad "backup.sh by hand, as root"
[ -z "$(find "$root$home/bot/data" "$root/var/backups/sticker-pack" ! -user "$(inside id -u sticker)")" ] || bad "root left a file behind"
good "a copy made by root belongs to the services"
in_it stickers backups | has "$copy" || bad "stickers backups"
good "the command stickers works on the server"

say "the privacy audit"
in_it systemctl start sticker-privacy-audit.service || { in_it journalctl --no-pager -u sticker-privacy-audit -n 20 >&2; bad "the audit found something"; }
in_it journalctl --no-pager -u sticker-privacy-audit -o cat | grep -qx 'nothing is past its time' || bad "no word in the journal"
sticker=$(find "$root$home/bot/data/sessions" -name '*.webp' | head -n 1)
touch -d '80 hours ago' "$sticker"
if in_it systemctl start sticker-privacy-audit.service 2>/dev/null; then bad "a picture of 80 hours ago is nothing to it"; fi
in_it systemctl --failed --no-legend --no-pager | grep -q sticker-privacy-audit || bad "systemctl --failed does not name it"
rm "$sticker"
in_it systemctl start sticker-privacy-audit.service || bad "the audit does not get well again"
good "a picture that is too old is a failed unit, until it is gone"

say "a full disk"
in_it systemctl stop sticker-api sticker-bot
in_it sh -c "mkdir /var/tmp/kept && cp -a $home/bot/data/app.db /var/tmp/kept/ &&
    mount -t tmpfs -o size=6m,mode=700,uid=\$(id -u sticker),gid=\$(id -g sticker) tmpfs $home/bot/data && cp -a /var/tmp/kept/app.db $home/bot/data/"
in_it systemctl start sticker-api sticker-bot
until_true 60 "the services start on the small disk" bot_seen
# What a tap on START is answered.
tap() {
    on_its_network python3 - "$key" <<'PYTHON'
import sys, urllib.error, urllib.request
try:
    call = urllib.request.Request("http://127.0.0.1:8000/session", b"{}", {"Content-Type": "application/json", "X-Kiosk-Key": sys.argv[1]})
    print(urllib.request.urlopen(call, timeout=20).status)
except urllib.error.HTTPError as error:
    print(error.code)
PYTHON
}
taken() { [ "$(tap)" = 201 ]; }
refused() { [ "$(tap)" = 500 ]; }
until_true 60 "a START is taken" taken
in_it sh -c "dd if=/dev/zero of=$home/bot/data/filler bs=4k 2>/dev/null || true"
until_true 60 "a START is refused" refused
said() { in_it journalctl --no-pager -o cat -u sticker-api -u sticker-bot | has "$1"; }
until_true 60 "the log says that the disk is full" said 'Диск полон'
in_it rm "$home/bot/data/filler"
until_true 60 "a START is taken again" taken
until_true 60 "the log says that it is over" said 'снова'
until_true 60 "the bot is heard again" bot_heard
for unit in sticker-api sticker-bot; do
    [ "$(in_it systemctl show --property=NRestarts --value $unit)" = 0 ] || bad "$unit was started again"
done
in_it systemctl stop sticker-api sticker-bot
in_it umount $home/bot/data
in_it systemctl start sticker-api sticker-bot
until_true 60 "the services are back" bot_seen
good "refused, told, and over by itself when there was room: no restart"

# ── upgrades ────────────────────────────────────────────────────────────────
revision=$(inside /src/stickers --version | sed 's/.*(\(.*\))/\1/')
say "upgrade.sh to another program"
# The same program under another revision of the same length: enough to see that the new one answers.
newer=$(printf '%s' "$revision" | tr '0-9a-f' '1-9a-f0')
python3 - "$root/src/stickers" "$root/src/stickers-newer" "$revision" "$newer" <<'PYTHON'
import pathlib, sys
source, target, old, new = sys.argv[1:]
pathlib.Path(target).write_bytes(pathlib.Path(source).read_bytes().replace(old.encode(), new.encode()))
PYTHON
chmod 755 "$root/src/stickers-newer"
upgrade() { in_it $home/deploy/upgrade.sh "$@" >"$work/upgrade.log" 2>&1; }
upgrade --binary /src/stickers-newer || { cat "$work/upgrade.log"; bad "upgrade.sh"; }
shows "$newer" || bad "/health does not show $newer"
for unit in sticker-bot ai-stickers-landing; do active "$unit" || bad "$unit does not run"; done
good "/health shows the new revision"

say "an upgrade to a program that does not start"
# A program that can be asked, and whose server ends at once.
broken() {
    cat >"$root/src/$1" <<SCRIPT
#!/bin/sh
case "\$*" in
    --version) echo "stickers 9.9.9 ($1)" ;;
    *api*|*bot*) case "\$1" in api|bot) echo "cannot go on" >&2; exit 1 ;; esac ;;
esac
$2
[ "\$1" = --version ] || exec /src/stickers "\$@"
SCRIPT
    chmod 755 "$root/src/$1"
}
broken broken-start ""
if upgrade --binary /src/broken-start --wait 8; then cat "$work/upgrade.log"; bad "it was taken"; fi
grep -q 'the old program runs again' "$work/upgrade.log" || { cat "$work/upgrade.log"; bad "no way back"; }
until_true 30 "the old revision answers" shows "$newer"
active sticker-bot || bad "the bot does not run"
good "the old program runs again"

say "an upgrade that changes the database and does not start"
# It does what a migration does: the copy first, then the database. Here what comes after the copy is a ruin.
broken broken-schema "if [ \"\$1\" = migrate ]; then
    cd $home/bot/data
    cp -p app.db app.db.bak-\$(date -u +%Y%m%d-%H%M%S)
    echo ruined >app.db
    rm -f app.db-wal app.db-shm
    echo applied 9999_ruin
    exit 0
fi"
if upgrade --binary /src/broken-schema --wait 5; then cat "$work/upgrade.log"; bad "it was taken"; fi
grep -q 'the database goes back to' "$work/upgrade.log" || { cat "$work/upgrade.log"; bad "the copy was not used"; }
until_true 30 "the old revision answers" shows "$newer"
until_true 30 "the database is back" healthy
in_it stickers backup | has 'jobs=1 users=1' || bad "the guest is gone"
good "the old program runs again on the copy: one job, one guest"

say "a program that does not know the configuration"
broken broken-configuration "if [ \"\$1\" = config ]; then echo 'PACK_LIMIT is not known' >&2; exit 2; fi"
if upgrade --binary /src/broken-configuration; then bad "it was taken"; fi
grep -q 'nothing was changed: PACK_LIMIT' "$work/upgrade.log" || { cat "$work/upgrade.log"; bad "no word why"; }
shows "$newer" || bad "the old program was touched"
good "refused before anything was stopped"

say "back by hand"
upgrade --back || { cat "$work/upgrade.log"; bad "--back"; }
shows "$revision" || bad "/health does not show $revision"
good "upgrade.sh --back: the program before this one"
second=$(guest) || { in_it journalctl --no-pager -u sticker-bot -n 40 >&2; bad "no pack"; }
good "job $second: a guest after all that gets a pack"

say "a word that is wrong in the configuration"
sed -i 's/^PACK_LIMIT=.*/PACK_LIMIT=many/' "$root$home/bot/.env"
in_it systemctl restart sticker-api 2>/dev/null || true
until_true 10 "the API has ended" in_it systemctl --quiet is-failed sticker-api
[ "$(in_it systemctl show --property=NRestarts --value sticker-api)" = 0 ] || bad "it is started again and again"
in_it journalctl --no-pager -u sticker-api -n 5 | has 'PACK_LIMIT is "many"' || bad "no word in the journal"
good "one line in the journal, no crash loop"

printf '%s passed, 0 failed\n' "$passed"
