#!/usr/bin/env bash
# Installs the sticker kiosk on a Debian server. It can be run again at any time: what is there and belongs to you stays.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=deploy/lib.sh
. "$here/lib.sh"

usage() {
    cat <<TEXT
Usage: deploy/install.sh --binary FILE [--host NAME] [--landing-host NAME] [--caddy] [--keep-journal] [--no-start]

  --binary FILE        the program, for example target/release/stickers
  --host NAME          where tablets reach it; goes into PUBLIC_URL and the Caddyfile
  --landing-host NAME  where visitors reach the landing site; without it the site is installed but not started
  --caddy              also put the Caddyfile in its place (Debian's package caddy must be installed)
  --keep-journal       leave the journal's retention alone, on a server that others use too
  --no-start           install, and start nothing

It makes: the user sticker; $home with program, configuration, data and logs; $backups;
systemd units, timers of the nightly copy and of the privacy audit; the command /usr/local/bin/stickers. The configuration
$home/bot/.env is written once, with fresh secrets, and never touched again.
A newer program is brought in by deploy/upgrade.sh.

Example: deploy/install.sh --binary target/release/stickers --host kiosk.example.org --caddy
TEXT
}

binary="" host="" landing_host="" caddy="" keep_journal="" starting=yes
while [ "$#" -gt 0 ]; do
    case "$1" in
        --binary | --host | --landing-host)
            [ "$#" -gt 1 ] || { echo "install.sh: $1 wants a value; see --help" >&2; exit 2; }
            case "$1" in
                --binary) binary=$2 ;;
                --host) host=$2 ;;
                *) landing_host=$2 ;;
            esac
            shift ;;
        --caddy) caddy=yes ;;
        --keep-journal) keep_journal=yes ;;
        --no-start) starting="" ;;
        --help | -h) usage; exit 0 ;;
        *) echo "install.sh: $1 is not known; see --help" >&2; exit 2 ;;
    esac
    shift
done
[ -n "$binary" ] || { echo "install.sh: --binary is missing; see --help" >&2; exit 2; }
for name in "$host" "$landing_host"; do
    [[ $name =~ ^[A-Za-z0-9.-]*$ ]] || { echo "install.sh: '$name' is not the name of a host" >&2; exit 2; }
done

units=(sticker-api.service sticker-bot.service ai-stickers-landing.service sticker-backup.service sticker-backup.timer
    sticker-privacy-audit.service sticker-privacy-audit.timer)

check_machine() {
    need_root
    [ -f "$binary" ] || fail "there is no file $binary"
    binary=$(readlink -f "$binary")
    local wanted revision
    for wanted in systemctl systemd-tmpfiles setpriv useradd; do
        command -v "$wanted" >/dev/null || fail "$wanted is missing: this needs a Debian with systemd"
    done
    if [ -n "$caddy" ]; then
        command -v caddy >/dev/null || fail "caddy is missing: apt-get install caddy, then run this again"
    fi
    revision=$(revision_of "$binary")
    say "the program is $revision"
}

make_user() {
    if getent passwd sticker >/dev/null; then return; fi
    say "user sticker"
    useradd --system --user-group --home-dir "$home" --no-create-home --shell /usr/sbin/nologin sticker
}

make_folders() {
    say "folders with their modes"
    install -m 644 "$here/systemd/tmpfiles.conf" /etc/tmpfiles.d/sticker.conf
    systemd-tmpfiles --create /etc/tmpfiles.d/sticker.conf
    install -d -o root -g root -m 755 "$home/bin" "$home/deploy" "$home/docs"
}

put_program() {
    local name
    name=$(keep_program "$binary")
    if [ ! -e "$program" ]; then
        say "program: $name"
        use_program "$name"
    elif [ "$(readlink -f "$program")" != "$name" ]; then
        say "another program is in use and stays: bring this one in with $here/upgrade.sh --binary $binary"
    fi
    install -o root -g root -m 755 "$here/stickers.sh" /usr/local/bin/stickers
    install -o root -g root -m 755 "$here/backup.sh" "$here/upgrade.sh" "$home/deploy/"
    install -o root -g root -m 644 "$here/lib.sh" "$home/deploy/"
    if [ -d "$here/../docs/handbook" ]; then
        rm -rf "$home/docs/handbook"
        cp -r "$here/../docs/handbook" "$home/docs/handbook"
        chmod -R u=rwX,go=rX "$home/docs/handbook"
    fi
}

secret() { od -An -v -tx1 -N"$1" /dev/urandom | tr -d ' \n'; }

# put FILE NAME VALUE: fills an empty line of a template.
put() { sed -i "s|^$2=.*|$2=$3|" "$1"; }

write_configuration() {
    local file=$home/bot/.env
    if [ -e "$file" ]; then
        say "configuration $file stays as it is"
    else
        say "configuration $file, with fresh secrets"
        install -o root -g sticker -m 640 "$here/env/kiosk.env" "$file.new"
        put "$file.new" KIOSK_KEY "$(secret 12)"
        put "$file.new" LEADS_SECRET "$(secret 24)"
        put "$file.new" LEADS_IP_SALT "$(secret 24)"
        mv "$file.new" "$file"
    fi
    # A host that is named later takes the place of the example, and of nothing else.
    if [ -n "$host" ] && grep -qx 'PUBLIC_URL=https://kiosk.example.org' "$file"; then put "$file" PUBLIC_URL "https://$host"; fi
    chown root:sticker "$file"
    chmod 640 "$file"
    local site=$home/landing/.env
    if [ ! -e "$site" ]; then
        install -o root -g root -m 600 "$here/env/landing.env" "$site.new"
        put "$site.new" LEADS_SECRET "$(sed -n 's/^LEADS_SECRET=//p' "$file")"
        mv "$site.new" "$site"
    fi
    if [ -n "$landing_host" ] && grep -qx 'LANDING_URL=https://landing.example.org' "$site"; then
        put "$site" LANDING_URL "https://$landing_host"
    fi
}

put_units() {
    say "systemd units"
    local unit folder
    for unit in "${units[@]}"; do install -m 644 "$here/systemd/$unit" "/etc/systemd/system/$unit"; done
    local version
    version=$(systemctl --version | sed -n '1s/^systemd \([0-9]*\).*/\1/p')
    for unit in sticker-api sticker-bot ai-stickers-landing; do
        folder=/etc/systemd/system/$unit.service.d
        # Older ones do not know the words and complain at each start.
        if [ "${version:-0}" -ge 254 ]; then
            install -d -m 755 "$folder"
            install -m 644 "$here/systemd/backoff.conf" "$folder/backoff.conf"
        else
            rm -f "$folder/backoff.conf"
        fi
    done
    if [ -z "$keep_journal" ]; then
        install -d -m 755 /etc/systemd/journald.conf.d
        install -m 644 "$here/systemd/journald.conf" /etc/systemd/journald.conf.d/sticker.conf
    fi
    if booted; then
        systemctl daemon-reload
        if [ -z "$keep_journal" ]; then systemctl try-restart systemd-journald.service; fi
    fi
    systemctl --quiet enable sticker-api.service sticker-bot.service sticker-backup.timer sticker-privacy-audit.timer
    if [ -n "$landing_host" ]; then systemctl --quiet enable ai-stickers-landing.service; fi
}

put_caddyfile() {
    [ -n "$caddy" ] || return 0
    local file=/etc/caddy/Caddyfile from=$here/caddy/Caddyfile new
    # One that is ours keeps what was changed in it; only an example that still stands there gives way to a name.
    if [ -e "$file" ] && grep -q '/var/log/caddy/stickers.log' "$file"; then from=$file; fi
    new=$(mktemp)
    sed -e "s/^kiosk\.example\.org /${host:-kiosk.example.org} /" \
        -e "s/^landing\.example\.org /${landing_host:-landing.example.org} /" "$from" >"$new"
    caddy validate --adapter caddyfile --config "$new" >/dev/null 2>&1 ||
        fail "caddy does not accept the file: caddy validate --adapter caddyfile --config $new"
    install -d -o caddy -g caddy -m 750 /var/log/caddy
    if cmp -s "$new" "$file"; then
        say "Caddyfile stays as it is"
    elif [ "$from" != "$file" ] && [ -e "$file" ] && grep -qE '^[^#[:space:]]*\.[a-z]+.*\{' "$file"; then
        fail "$file serves other sites: add those of $here/caddy/Caddyfile to it by hand, and run this without --caddy"
    else
        say "Caddyfile"
        if [ "$from" != "$file" ] && [ -e "$file" ]; then cp -n "$file" "$file.before-stickers"; fi
        install -m 644 "$new" "$file"
        if booted; then systemctl reload-or-restart caddy.service; fi
    fi
    rm -f "$new"
}

# start UNIT FILE: starts it, and one that runs already with an older configuration anew.
start() {
    local began
    began=$(systemctl show --timestamp=unix --property=ExecMainStartTimestamp --value "$1")
    if systemctl --quiet is-active "$1" && [ "$(stat --format %Y "$2")" -gt "${began#@}" ]; then
        say "$1 is started again: its configuration has changed"
        systemctl restart "$1"
    else
        systemctl start "$1"
    fi
}

start_services() {
    local told
    if ! told=$(as_sticker "$program" config --env-file "$home/bot/.env" 2>&1 >/dev/null); then
        say "the configuration has to be put right first: $home/bot/.env"
        printf '%s\n' "$told"
        return
    fi
    if [ -z "$starting" ] || ! booted; then
        say "nothing was started"
        return
    fi
    systemctl start sticker-backup.timer sticker-privacy-audit.timer
    start sticker-api.service "$home/bot/.env"
    local address
    address=$(setting API_BIND)
    answers "$address" "$(revision_of "$program")" 30 || fail "the API does not answer: journalctl -u sticker-api -n 50"
    say "the API answers: http://$address/health"
    if [ -n "$(setting BOT_TOKEN)" ]; then
        start sticker-bot.service "$home/bot/.env"
        stays_up sticker-bot.service 5 || fail "the bot does not stay up: journalctl -u sticker-bot -n 50"
        say "the bot runs"
    else
        say "the bot is not started: BOT_TOKEN is missing in $home/bot/.env; then systemctl start sticker-bot"
    fi
    if [ -n "$landing_host" ]; then
        start ai-stickers-landing.service "$home/landing/.env"
        stays_up ai-stickers-landing.service 2 || fail "the landing site does not stay up: journalctl -u ai-stickers-landing -n 50"
        say "the landing site runs"
    fi
}

check_machine
make_user
make_folders
put_program
write_configuration
put_units
put_caddyfile
start_services
say "installed; next: $home/docs/handbook/install.md"
