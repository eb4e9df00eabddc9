#!/bin/sh
# Installs what the tests need beside Python: Chromium for the pages, PostgreSQL and
# Redis for production's syncs, Dovecot for e-mail. As root with apt it installs;
# otherwise it says what is missing and goes on: those tests are then skipped.
# None of it is left running: the tests start servers of their own.
set -eu
PATH="$PATH:/usr/sbin:/sbin"

has() { command -v "$1" >/dev/null; }
has_postgresql() { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || has initdb; }
has_chromium() { has chromium || has chromium-browser || has google-chrome; }
missing() {
    has_chromium || echo chromium
    has_postgresql || echo postgresql
    has redis-server || echo redis-server
    has dovecot || echo dovecot-imapd
}

wanted=$(missing)
if [ -z "$wanted" ]; then exit 0; fi

policy=/usr/sbin/policy-rc.d
our_policy=
log=$(mktemp)
tidy() {
    rm -f "$log"
    if [ -n "$our_policy" ]; then rm -f "$our_policy"; fi
}
trap tidy EXIT

install() {
    apt-get install -y -qq --no-install-recommends "$@" >"$log" 2>&1 && return
    tail -n 5 "$log" >&2
    return 1
}
# Debian starts what it installs, then and with the machine, and makes a database
# cluster: this keeps it from that for what is new here.
install_without_services() {
    if [ ! -e "$policy" ]; then
        our_policy=$policy
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    if ! has_postgresql; then
        install postgresql-common || return
        sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' \
            /etc/postgresql-common/createcluster.conf
    fi
    install "$@" || return
    if has systemctl; then
        for unit in postgresql redis-server dovecot; do
            case " $* " in *" $unit"*) systemctl -q disable "$unit" 2>/dev/null || true ;; esac
        done
    fi
}

if [ "$(id -u)" = 0 ] && has apt-get; then
    # shellcheck disable=SC2086
    set -- $wanted
    echo "Installing for the tests: $* …" >&2
    export DEBIAN_FRONTEND=noninteractive
    case " $* " in *" chromium "*) set -- "$@" fonts-dejavu-core ;; esac
    if apt-get update -qq; then install_without_services "$@" || true; fi
fi
for package in $(missing); do
    echo "$package is not installed, so its tests will be skipped. On Debian: apt-get install $package" >&2
done
