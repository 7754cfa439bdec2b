#!/bin/sh
# `stickers` on the server: the installed program, as the user of the services, with their configuration. So no command leaves a
# file behind that the services cannot read. Installed as /usr/local/bin/stickers.
set -eu
home=/opt/ai-sticker-pack
for argument in "$@"; do
    case "$argument" in --env-file | --env-file=*) own=1 ;; esac
done
if [ -z "${own:-}" ]; then set -- --env-file "$home/bot/.env" "$@"; fi
case "$(id -un)" in
    root) exec setpriv --reuid=sticker --regid=sticker --init-groups -- "$home/bin/stickers" "$@" ;;
    *) exec "$home/bin/stickers" "$@" ;;
esac
