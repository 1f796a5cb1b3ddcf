#!/bin/bash
# Starts a program over two hosts, pld-a and pld-b, which are namespaces of this machine with a wire
# between them: another name, another network, and of the folder $PLD_HIDE pld-b sees nothing.
# usage: hosts.sh openmpi|mpich N PROGRAM ARGS...; hosts.sh true
# Needs root, ip (iproute2), unshare and nsenter (util-linux).
if [ -z "$PLD_HOSTS" ]; then
    PLD_HOSTS=$(mktemp -d) exec unshare -m -n -u "$0" "$@"
fi
trap 'kill "$other" 2>/dev/null; rm -rf "$PLD_HOSTS"' EXIT
set -e
hostname pld-a
printf '127.0.0.1 localhost\n10.77.0.1 pld-a\n10.77.0.2 pld-b\n' >"$PLD_HOSTS/hosts"
mount --bind "$PLD_HOSTS/hosts" /etc/hosts
unshare -m -n -u sleep infinity &
other=$!
# It is there when its namespace is not this one any more.
until there=$(readlink /proc/$other/ns/net) && [ "$there" != "$(readlink /proc/self/ns/net)" ]; do :; done
on_b() { nsenter -t "$other" -m -n -u "$@"; }
ip link add pld-wire type veth peer name pld-wire-b
ip link set pld-wire-b netns "$other"
ip addr add 10.77.0.1/24 dev pld-wire
ip link set pld-wire up
ip link set lo up
on_b hostname pld-b
on_b ip addr add 10.77.0.2/24 dev pld-wire-b
on_b ip link set pld-wire-b up
on_b ip link set lo up
[ -z "$PLD_HIDE" ] || on_b mount -t tmpfs none "$PLD_HIDE"
# What launchers call like ssh: options, a host, a command.
cat >"$PLD_HOSTS/agent" <<A
#!/bin/sh
while [ "\${1#-}" != "\$1" ]; do shift; done
shift
exec nsenter -t $other -m -n -u --wd="$PWD" sh -c "\$*"
A
chmod +x "$PLD_HOSTS/agent"
set +e
library=$1 n=$2
case $library in
    openmpi) shift 2; mpirun.openmpi --mca plm_rsh_agent "$PLD_HOSTS/agent" --host "pld-a:$n,pld-b:$n" --map-by node -n "$n" "$@" ;;
    mpich) shift 2; mpirun.mpich -launcher ssh -launcher-exec "$PLD_HOSTS/agent" -hosts pld-a,pld-b -n "$n" "$@" ;;
    *) "$@" ;;
esac
