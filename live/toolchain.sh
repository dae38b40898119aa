#!/usr/bin/env bash
# Emscripten of the version that Pyodide was built with, from Debian's next release, in a folder of its own: `chroot` and
# `debootstrap` take root. Where the right emcc is on the path already, this is not needed.
set -euo pipefail
root=$1
if [ -e "$root/ready" ]; then exit 0; fi
if ! command -v debootstrap > /dev/null; then
  echo "make live needs emcc on the path, or debootstrap (and root) to install it: apt-get install debootstrap" >&2
  exit 1
fi
rm -rf "$root"
debootstrap --variant=minbase --include=emscripten,python3-dev forky "$root" > "$root.log" 2>&1 || {
  tail -5 "$root.log" >&2
  exit 1
}
touch "$root/ready"
