#!/usr/bin/env bash
# Emscripten of the version that Pyodide was built with and what else builds the core and NumPy, from Debian's next release, in
# the folder $1: `chroot` and `debootstrap` take root. $2 is the version of the runtime's Python. Where the right emcc is on the
# path already, this is not needed.
set -euo pipefail
root=$1 python=python$2
if [ -e "$root/ready" ] && [ -e "$root/usr/bin/$python" ]; then exit 0; fi
if ! command -v debootstrap > /dev/null; then
  echo "make live needs emcc on the path, or debootstrap to install it: apt-get install debootstrap" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "make live installs its compiler with debootstrap, which takes root: run it as root, or put the right emcc on the path" >&2
  exit 1
fi
# An older debootstrap does not know the release by name; all of them are installed as sid is.
script=
if [ ! -e /usr/share/debootstrap/scripts/forky ]; then script=/usr/share/debootstrap/scripts/sid; fi
# What debootstrap mounts is seen by itself alone, and is gone when it ends, however it ends: the folder can be removed.
alone=()
if unshare --mount true 2> /dev/null; then alone=(unshare --mount); fi
rm -rf "$root"
mkdir -p "$(dirname "$root")"
# unsafe-io: a folder that is made anew after a crash need not be safe on the disk, file by file; the others are dpkg's defaults.
export DPKG_FORCE=security-mac,downgrade,unsafe-io
echo "installing Emscripten in $root: 1.2 GB, some minutes"
"${alone[@]}" debootstrap --variant=minbase --include=emscripten,python3-dev,$python-dev,cython3,ninja-build forky "$root" "" $script > "$root.log" 2>&1 || {
  tail -5 "$root.log" >&2
  exit 1
}
rm -rf "$root"/var/cache/apt/archives/*.deb
touch "$root/ready"
