#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plays somebody who has never seen Kiln: in a bare Debian (debootstrap, its smallest variant) the packages of `make package` are installed with
# apt, the first programs of README.md and of each chapter of the tutorial are typed off the pages and compiled as README.md says, a man page is
# read, and the site is opened in a browser (check-site.py). Needs root, debootstrap and Debian's archive (77: they are not there).
# usage: check-newcomer.sh PACKAGES [FOLDER]      PACKAGES: a folder with the .deb files; the system is made in FOLDER (build/newcomer)
set -u
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "${1:?usage: check-newcomer.sh PACKAGES [FOLDER]}" && pwd) || exit 2
system=${2:-$here/../build/newcomer}
skip() { echo "skipped: $1"; exit 77; }
fail() { echo "FAIL: $1"; exit 1; }
[ "$(id -u)" -eq 0 ] || skip "chroot needs root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
ls "$packages"/*.deb >/dev/null 2>&1 || fail "no packages in $packages"

mkdir -p "$system"
system=$(cd "$system" && pwd)
inside() { chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
if [ ! -e "$system/finished" ]; then
    suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
    mirror=$(sed -nE 's/^(deb|URIs:) +(\[[^]]*\] +)?(https?:[^ ]*debian)\/? .*/\3/p; s/^URIs: +([^ ]*)$/\1/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
    debootstrap --variant=minbase "$suite" "$system" "${mirror:-http://deb.debian.org/debian}" >"$system.log" 2>&1 ||
        skip "no bare system can be made ($(tail -n 1 "$system.log"))"
    cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null
    cp /etc/apt/apt.conf.d/*proxy* "$system/etc/apt/apt.conf.d/" 2>/dev/null
    rm -f "$system"/etc/dpkg/dpkg.cfg.d/*docs* # minimal images leave man pages out
    touch "$system/finished"
fi

rm -rf "$system/packages" && mkdir "$system/packages" && cp "$packages"/*.deb "$system/packages/"
inside apt-get update -qq || skip "Debian's archive cannot be reached"
inside sh -c 'apt-get install -y -qq --no-install-recommends gcc pkg-config man-db /packages/*.deb' >"$system.log" 2>&1 ||
    { tail -n 20 "$system.log"; fail "apt cannot install the packages"; }
echo "installed: $(inside dpkg-query -W -f '${Package} ' 'libkiln*' kiln-doc)"

# The programs, as a reader types them off.
rm -rf "$system/home/newcomer" && mkdir -p "$system/home/newcomer"
python3 - "$here" "$system/home/newcomer" <<'END' || fail "no programs on the pages"
import sys
from pathlib import Path
here, into = Path(sys.argv[1]), Path(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, str(here))
from docs import blocks
root = here.parent
for page in [root / "README.md", *sorted((root / "docs/tutorial").glob("*.md"))]:
    first = next((p for p in blocks.programs(page, page.name) if not p.fragment and not p.kind and p.language == "c"), None)
    if first:
        (into / f"{page.stem}.c").write_text(first.code)
        if first.output is not None:
            (into / f"{page.stem}.shown").write_text(first.output)
END
good=0
for source in "$system"/home/newcomer/*.c; do
    name=$(basename "$source" .c)
    inside sh -c "cd /home/newcomer && cc -std=gnu17 $name.c \$(pkg-config --cflags --libs kiln) -lm -o $name 2>$name.messages && ./$name >$name.printed" ||
        { cat "$system/home/newcomer/$name.messages"; fail "the first program of $name does not run"; }
    [ -s "$system/home/newcomer/$name.messages" ] && { cat "$system/home/newcomer/$name.messages"; fail "the first program of $name has warnings"; }
    [ ! -e "${source%.c}.shown" ] || grep -q '^\.\.\.$' "${source%.c}.shown" || diff "${source%.c}.shown" "${source%.c}.printed" || fail "$name prints something else"
    good=$((good + 1))
done
[ $good -gt 0 ] || fail "no programs"
inside sh -c 'man kn_scan 2>/dev/null | grep -q "jax.lax.scan"' || fail "man kn_scan shows nothing"
inside sh -c 'man 7 kiln 2>/dev/null | grep -qi numpy' || fail "man 7 kiln shows nothing"
[ -s "$system/usr/share/doc/kiln/html/index.html" ] || fail "the site is not where it belongs"
python3 "$here/check-site.py" "$system/usr/share/doc/kiln/html"
site=$?
[ $site -eq 0 ] || [ $site -eq 77 ] || fail "the site"
inside sh -c 'apt-get purge -y -qq "libkiln*" kiln-doc' >"$system.log" 2>&1 || fail "the packages cannot be taken away"
left=$(find "$system/usr" -name '*kiln*' | head -n 3)
[ -z "$left" ] || fail "left behind: $left"
echo "$good programs of the pages compiled and run in a bare system; man pages and the site are there; nothing is left behind"
