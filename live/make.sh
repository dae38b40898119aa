#!/usr/bin/env bash
# Builds what the site needs to run Python, in $1/site: the runtime from npm, the core by emcc, and the scripts around them. Takes
# the version of Pyodide, and the Python whose nanobind is used.
set -euo pipefail
place=$1 pyodide=$2 python=$3
runtime=runtime-$pyodide
mkdir -p "$place"
if [ ! -e "$place/$runtime" ]; then
  command -v npm > /dev/null || { echo "make live needs npm, which has the Pyodide runtime: apt-get install npm" >&2; exit 1; }
  (cd "$place" && npm pack --silent "pyodide@$pyodide" > /dev/null)
  rm -rf "$place/package"
  tar -xzf "$place/pyodide-$pyodide.tgz" -C "$place"
  mv "$place/package" "$place/$runtime"
fi
nanobind=$("$python" -c 'import nanobind; print(nanobind.__path__[0])')
if bash live/compiler.sh "$place/$runtime" 2> /dev/null; then
  bash live/build.sh "$place/$runtime" "$nanobind" "$place/core"
else
  bash live/toolchain.sh "$place/debian"
  inside=$place/debian/work
  mkdir -p "$inside" "$place/core"
  rm -rf "$inside/native" "$inside/live" "$inside/nanobind"
  # -p: objects that are newer than their sources are not compiled again.
  cp -rp native live "$nanobind" "$inside"
  cp -rp "$place/$runtime" "$inside"
  # The reason is kept, for .ci/run: that Debian's compiler has moved on is no fault of a change.
  if ! chroot "$place/debian" sh -c "cd /work && bash live/compiler.sh $runtime" 2> "$place/compiler"; then
    cat "$place/compiler" >&2
    mv "$place/compiler" "$place/other-compiler"
    exit 1
  fi
  rm -f "$place/other-compiler"
  cat "$place/compiler" >&2
  chroot "$place/debian" sh -c "cd /work && bash live/build.sh $runtime nanobind core"
  cp "$inside/core/_native.so" "$place/core"
fi
"$python" live/bundle.py "$place/$runtime" "$place/core/_native.so" "$place/site"
