#!/usr/bin/env bash
# Builds the page in $1/page: the runtime from npm, the core by emcc, and the page around them. Takes the version of Pyodide, and
# the Python whose nanobind is used.
set -euo pipefail
place=$1 pyodide=$2 python=$3
mkdir -p "$place"
if [ ! -e "$place/runtime-$pyodide" ]; then
  command -v npm > /dev/null || { echo "make live needs npm, which has the Pyodide runtime" >&2; exit 1; }
  (cd "$place" && npm pack --silent "pyodide@$pyodide" > /dev/null)
  rm -rf "$place/package"
  tar -xzf "$place/pyodide-$pyodide.tgz" -C "$place"
  mv "$place/package" "$place/runtime-$pyodide"
fi
nanobind=$("$python" -c 'import nanobind; print(nanobind.__path__[0])')
if command -v emcc > /dev/null; then
  bash live/build.sh "$place/runtime-$pyodide" "$nanobind" "$place/core"
else
  bash live/toolchain.sh "$place/debian"
  inside=$place/debian/work
  mkdir -p "$inside" "$place/core"
  # -p: objects that are newer than their sources are not compiled again.
  cp -rp native live "$place/runtime-$pyodide" "$nanobind" "$inside"
  chroot "$place/debian" sh -c "cd /work && bash live/build.sh runtime-$pyodide nanobind core"
  cp "$inside/core/_native.so" "$place/core"
fi
"$python" live/bundle.py "$place/runtime-$pyodide" "$place/core/_native.so" "$place/page"
echo "the page is in $place/page; to look at it: $python -m http.server --directory $place/page"
