#!/usr/bin/env bash
# Starts the systemd of a Debian folder as the first process of namespaces of its own: its own processes, mounts, host name, cgroups, and a
# network that consists of loopback. Nothing of it reaches this machine.
#
#   boot.sh ROOT PIDFILE     runs until it is killed; PIDFILE gets the number of its first process as this machine sees it
set -euo pipefail

if [ "${1:-}" != inside ]; then
    root=$(cd "$1" && pwd) pidfile=$2
    cgroups=$(findmnt --noheadings --types cgroup2 --output TARGET | head -n 1)
    [ -n "$cgroups" ] || { echo "boot.sh: this kernel has no cgroup2 mounted" >&2; exit 1; }
    ours=$cgroups/stickers-test-$$
    mkdir "$ours"
    echo $$ >"$ours/cgroup.procs"
    # In the background, so that the folder of the group can be removed behind it.
    unshare --mount --propagation private --pid --fork --kill-child=KILL --uts --ipc --net --cgroup \
        "$0" inside "$root" </dev/null &
    child=$!
    trap 'kill -KILL "$child" 2>/dev/null || true' TERM INT
    for _ in $(seq 100); do
        first=$(cat "/proc/$child/task/$child/children" 2>/dev/null || true)
        if [ -n "$first" ]; then break; fi
        sleep 0.05
    done
    echo "${first% }" >"$pidfile"
    wait "$child" || true
    wait "$child" 2>/dev/null || true
    echo $$ >"$cgroups/cgroup.procs"
    for _ in $(seq 50); do
        find "$ours" -depth -type d -exec rmdir {} + 2>/dev/null && break
        sleep 0.1
    done
    exit 0
fi

root=$2
ip link set lo up
hostname stickers-test
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
# Kernel settings are those of this machine.
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mkdir -p .before
pivot_root . .before
umount -l .before
# systemd hands credentials to services through mounts that spread to other namespaces; these are all within.
mount --make-rshared /
# No clock, no kernel modules, no reboot of the machine.
exec env -i container=stickers-test PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    setpriv --bounding-set -sys_time,-sys_module,-sys_boot,-sys_rawio /lib/systemd/systemd
