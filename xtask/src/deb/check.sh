#!/bin/sh
# Installs, upgrades and purges /tmp/aixgrade_*.deb, in a fresh Debian.
set -eu
package=$(echo /tmp/aixgrade_*.deb)
fail() { echo "error: $1" >&2; exit 1; }
installed() {
    DEBIAN_FRONTEND=noninteractive apt-get install --yes -q --no-install-recommends --reinstall "$package" >/tmp/log 2>&1 ||
        { cat /tmp/log; fail "the package cannot be installed"; }
}

installed
aixgrade --version
aixgrade-worker --version
test "$(aixgrade-sandbox --version | head -n 1)" != "" || fail "the helper does not start"
id aixgrade >/dev/null || fail "there is no user aixgrade"
wanted=/etc/systemd/system/multi-user.target.wants
test -e "$wanted/aixgrade.service" || fail "the server does not start with the machine"
test ! -e "$wanted/aixgrade-worker.service" || fail "the worker starts without an address of a broker"

# As the unit does, and what an operator does next.
install -d -o aixgrade -g aixgrade -m 700 /var/lib/aixgrade
as_user() { setpriv --reuid aixgrade --regid aixgrade --clear-groups env HOME=/var/lib/aixgrade AIXGRADE_DATA=/var/lib/aixgrade "$@"; }
echo "a long password of the check" | as_user aixgrade user add ada --role rater --lasting >/dev/null
as_user bash -c '. /usr/share/bash-completion/completions/aixgrade; complete -p aixgrade' >/dev/null ||
    fail "bash does not complete commands"

installed
as_user aixgrade user list | grep -q ada || fail "an upgrade lost an account"
test -e "$wanted/aixgrade.service" || fail "after an upgrade, the server does not start with the machine"

dpkg-query --listfiles aixgrade | while read -r path; do
    test -d "$path" || echo "$path"
done >/tmp/files
test -s /tmp/files
DEBIAN_FRONTEND=noninteractive apt-get purge --yes -q aixgrade >/tmp/log 2>&1 || { cat /tmp/log; fail "it cannot be purged"; }
while read -r path; do
    test ! -e "$path" || fail "$path is left"
done </tmp/files
test ! -e "$wanted/aixgrade.service" || fail "the unit is left"
test -e /var/lib/aixgrade/aixgrade.sqlite3 || fail "ratings were deleted"
rm -r /var/lib/aixgrade
