# shellcheck shell=bash
# What install.sh and upgrade.sh share. Sourced, never run.

# A failure within $(…) is a failure.
shopt -s inherit_errexit

home=/opt/ai-sticker-pack
# shellcheck disable=SC2034  # used by the scripts that source this file
backups=/var/backups/sticker-pack
program=$home/bin/stickers

say() { printf '── %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

need_root() { [ "$(id -u)" -eq 0 ] || fail "run this as root"; }

# Whether systemd is running here; in an image or a chroot it is not, and nothing can be started.
booted() { [ -d /run/systemd/system ]; }

# as_sticker COMMAND…: as the user of the services.
as_sticker() { setpriv --reuid=sticker --regid=sticker --init-groups -- "$@"; }

# revision_of FILE: what the program says it was built from.
revision_of() {
    local told
    told=$("$1" --version) || fail "$1 does not run here"
    case "$told" in
        stickers\ *\(*\)) told=${told##*\(} && printf '%s\n' "${told%\)}" ;;
        *) fail "$1 is not the stickers program: it says '$told'" ;;
    esac
}

# kept_as REVISION FILE: the name under which a program is kept. Two builds of a dirty tree share a revision, hence the sum.
kept_as() { printf '%s/bin/stickers-%s-%s\n' "$home" "$1" "$(sha256sum "$2" | cut -c1-8)"; }

# keep_program FILE: copies it beside the others and prints its name there.
keep_program() {
    local revision name
    revision=$(revision_of "$1")
    name=$(kept_as "$revision" "$1")
    if [ ! -e "$name" ]; then
        install -o root -g root -m 755 "$1" "$name.part"
        mv "$name.part" "$name"
    fi
    printf '%s\n' "$name"
}

# use_program NAME: from now on services start this one. There is no moment without a program.
use_program() {
    ln -sfn "${1##*/}" "$home/bin/.stickers.new"
    mv -T "$home/bin/.stickers.new" "$program"
}

# setting NAME: its value in the configuration of the services, as the program understands it. Nothing when it has none.
setting() {
    as_sticker "$program" config --json --env-file "$home/bot/.env" |
        awk -v name="\"$1\"," '$1 == "\"name\":" { ours = ($2 == name) } ours && $1 == "\"value\":" { print substr($0, index($0, $2)) }' |
        sed -n 's/^"\(.*\)",\{0,1\}$/\1/p'
}

# health ADDRESS:PORT: the answer of /health, or nothing. Without curl, which a fresh Debian lacks.
health() {
    local host=${1%:*}
    # shellcheck disable=SC2016  # the inner shell fills them in
    timeout 4 bash -c '
        exec 3<>"/dev/tcp/$1/$2" &&
            printf "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" >&3 && tail -n 1 <&3
    ' health "$(tr -d '[]' <<<"$host")" "${1##*:}" 2>/dev/null || true
}

# field JSON NAME: a plain field of a flat JSON object.
field() { printf '%s' "$1" | sed -n "s/.*\"$2\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

# answers ADDRESS:PORT REVISION SECONDS: waits until the API of that revision answers that all is well.
answers() {
    local deadline=$((SECONDS + $3)) told
    while [ "$SECONDS" -lt "$deadline" ]; do
        told=$(health "$1")
        if [ "$(field "$told" ok)" = true ] && [ "$(field "$told" revision)" = "$2" ]; then return 0; fi
        sleep 1
    done
    note "the last answer of http://$1/health: ${told:-none}"
    return 1
}

# stays_up UNIT SECONDS: whether a service runs for so long without being started again.
stays_up() {
    local deadline=$((SECONDS + $2)) before
    before=$(systemctl show --property=NRestarts --value "$1")
    while [ "$SECONDS" -lt "$deadline" ]; do
        systemctl --quiet is-active "$1" || break
        sleep 1
    done
    systemctl --quiet is-active "$1" && [ "$(systemctl show --property=NRestarts --value "$1")" = "$before" ]
}
