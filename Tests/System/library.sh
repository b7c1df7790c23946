# Runs all checks of a directory in this system, each in a shell of its own, and leaves their
# status: 0 when all is as it should be, else 1. What a check needs is defined here.

# check TEXT COMMAND…: says whether a command succeeds, at once or within five seconds.
check() {
    text=$1
    shift
    for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        if said=$("$@" 2>&1); then
            echo "ok      $text"
            return
        fi
        sleep 0.25
    done
    echo "FAILED  $text: $*: $said"
    failed=1
}

# refuse COMMAND…: succeeds where a command fails.
refuse() {
    if "$@"; then return 1; fi
}

# holds TEXT COMMAND…: whether a command prints a text.
holds() {
    text_held=$1
    shift
    case $("$@" 2>&1) in *"$text_held"*) ;; *) "$@"; return 1 ;; esac
}

# equal A B
equal() {
    [ "$1" = "$2" ] || { echo "$1 is not $2"; return 1; }
}

# address NAME: the first IPv4 address that a program finds for a name.
address() {
    getent ahostsv4 "$1" | sed -n '1s/ .*//p'
}

# finds NAME ADDRESS: whether that is what a program finds.
finds() {
    equal "$(address "$1")" "$2"
}

# value NAME PATH: a value of the status of a tunnel, by a path such as dns.backend.
value() {
    utunctl status "$1" --json | python3 -c '
import json, sys
value = json.load(sys.stdin)["tunnels"][0]
for key in sys.argv[1].split("."): value = value[key]
print(json.dumps(value).strip("\""))' "$2"
}

# is NAME PATH VALUE
is() {
    equal "$(value "$1" "$2")" "$3"
}

# kill_host: kills the session host of the only tunnel that runs.
kill_host() {
    kill -9 "$(pgrep -f 'start --foreground' | head -n 1)" || failed=1
}

# resolved_state: what systemd-resolved has for the links that are not tunnels, and for all.
resolved_state() {
    resolvectl dns && resolvectl domain && resolvectl default-route
}

# A provider that answers each question for an IPv4 address with 10.77.0.7.
install_provider() {
    install -m 0755 /opt/checks/answering-provider /usr/libexec/utunctl/answering
    mkdir -p /etc/utunctl/providers.d
    cat >/etc/utunctl/providers.d/org.example.answering.json <<-MANIFEST
	{"formatVersion": 1, "identifier": "org.example.answering", "protocolVersion": 1,
	 "executable": "/usr/libexec/utunctl/answering"}
	MANIFEST
}

# save_tunnel NAME SETTING…: a tunnel whose resolver is 10.99.0.2, behind that provider.
save_tunnel() {
    name=$1
    shift
    utunctl remove "$name" >/dev/null 2>&1 || :
    set -- "$name" --provider org.example.answering --set 'dns.servers=["10.99.0.2"]' "$@"
    utunctl save "$@" >/dev/null || failed=1
}

# make_network: a cable to a network whose name server is 192.0.2.53 and says 198.51.100.1.
make_network() {
    ip link set lo up
    ip netns add provider
    ip link add up0 type veth peer name far0 netns provider
    ip addr add 192.0.2.1/24 dev up0
    ip link set up0 up
    ip -n provider addr add 192.0.2.53/24 dev far0
    ip -n provider link set far0 up
    ip -n provider link set lo up
    ip netns exec provider dnsmasq --conf-file=/dev/null --no-resolv --no-hosts --user=root \
        --listen-address=192.0.2.53 --bind-interfaces --address=/#/198.51.100.1 \
        --pid-file=/run/provider-dnsmasq.pid
}

# In the shell of a check it is a library; run by itself it runs them all.
[ $# -eq 2 ] || return 0
directory=$1 results=$2
make_network
install_provider
status=0
for one in "$directory"/check-*; do
    echo "== ${one##*/check-}"
    (
        failed=0
        # Without arguments: a library then.
        set --
        . /opt/checks/library.sh
        . "$one"
        utunctl stop --all >/dev/null 2>&1
        exit "$failed"
    ) || status=1
done
# It runs until the system shuts down, and what its session notes then is looked at outside.
utunctl remove last >/dev/null 2>&1 || :
utunctl save last >/dev/null
mkdir -p /etc/systemd/system/utunctl@last.service.d
cat >/etc/systemd/system/utunctl@last.service.d/record.conf <<-UNIT
	[Service]
	ReadWritePaths=$results
	ExecStopPost=/bin/sh -c 'cp /run/utunctl/*.session.json $results/last'
	UNIT
systemctl daemon-reload
rm -f /run/utunctl/*.session.json
utunctl start --wait last >/dev/null || status=1
echo "$status" >"$results/status"
