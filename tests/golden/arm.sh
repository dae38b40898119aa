#!/usr/bin/env bash
# The values of values.txt by a core for 64-bit ARM: cross-compiled, with Debian's Python for ARM in the folder $1, both run by
# qemu-user. $2 is where python (3.11, as Debian's), cmake and ninja are. Takes root, 350 MB and some minutes, once.
set -euo pipefail
mkdir -p "$1"
here=$(cd "$(dirname "$0")/../.." && pwd) folder=$(cd "$1" && pwd) bin=$(cd "$2" && pwd)
for program in aarch64-linux-gnu-g++ debootstrap qemu-aarch64; do
  command -v $program > /dev/null && continue
  echo "make test-arm needs $program: apt-get install debootstrap g++-aarch64-linux-gnu qemu-user" >&2
  exit 1
done
"$bin/python" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || {
  echo "make test-arm needs an environment of Python 3.11: make clean, then make test-arm PYTHON=python3.11" >&2
  exit 1
}

root=$folder/root
if [ ! -e "$root/ready" ]; then
  echo "installing Python for ARM in $root"
  rm -rf "$root"
  debootstrap --foreign --arch=arm64 --variant=minbase --include=python3-minimal,libpython3.11-dev bookworm "$root" > "$folder/root.log" 2>&1 || {
    tail -5 "$folder/root.log" >&2
    exit 1
  }
  for archive in "$root"/var/cache/apt/archives/*.deb; do dpkg-deb --extract "$archive" "$root"; done
  touch "$root/ready"
fi

suffix=cpython-311-aarch64-linux-gnu
include=$root/usr/include
"$bin/cmake" -S "$here" -B "$folder/core" -G Ninja -DCMAKE_MAKE_PROGRAM="$bin/ninja" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++ \
  -DCMAKE_CXX_FLAGS="-Wno-psabi -idirafter $include -idirafter $include/aarch64-linux-gnu" \
  -DPython_EXECUTABLE="$bin/python" -DPython_INCLUDE_DIR="$include/python3.11" \
  -DPython_LIBRARY="$root/usr/lib/aarch64-linux-gnu/libpython3.11.so" -DSKBUILD_SOABI=$suffix \
  -Dnanobind_DIR="$("$bin/python" -m nanobind --cmake_dir)" > "$folder/core.log"
"$bin/ninja" -C "$folder/core" --quiet

rm -rf "$folder/package"
mkdir "$folder/package"
cp -r "$here/src/idealist" "$folder/package"
rm -f "$folder"/package/idealist/kernels/*.so
cp "$folder/core/_native.$suffix.so" "$folder/package/idealist/kernels"
PYTHONPATH=$folder/package qemu-aarch64 -L "$root" "$root/usr/bin/python3.11" "$here/tests/golden/values.py" > "$folder/values.txt"
diff "$here/tests/golden/values.txt" "$folder/values.txt"
echo "$(wc -l < "$folder/values.txt") lines of values are those of other processors, to the last bit"
