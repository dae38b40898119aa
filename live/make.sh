#!/usr/bin/env bash
# Builds what the site needs to run Python, in $1/site: the runtime from npm, the core and NumPy by emcc, and the scripts around
# them. Takes the versions of Pyodide and NumPy, and the Python whose nanobind is used.
set -euo pipefail
place=$1 pyodide=$2 numpy=numpy-$3.tar.gz python=$4
runtime=runtime-$pyodide
mkdir -p "$place"
if [ ! -e "$place/$runtime" ]; then
  command -v npm > /dev/null || { echo "make live needs npm, which has the Pyodide runtime: apt-get install npm" >&2; exit 1; }
  (cd "$place" && npm pack --silent "pyodide@$pyodide" > /dev/null)
  rm -rf "$place/package"
  tar -xzf "$place/pyodide-$pyodide.tgz" -C "$place"
  mv "$place/package" "$place/$runtime"
fi
if [ ! -e "$place/$numpy" ]; then "$python" live/source.py "$numpy" "$place"; fi
nanobind=$("$python" -c 'import nanobind; print(nanobind.__path__[0])')
if bash live/compiler.sh "$place/$runtime" 2> /dev/null; then
  built=$place
  bash live/build.sh "$place/$runtime" "$nanobind" "$built/core"
  bash live/numpy.sh "$place/$runtime" "$place/$numpy" "$built/numpy"
else
  bash live/toolchain.sh "$place/debian" "$(python3 live/headers.py python "$place/$runtime")"
  built=$place/debian/work
  mkdir -p "$built"
  rm -rf "$built/native" "$built/live" "$built/nanobind"
  # -p: objects that are newer than their sources are not compiled again.
  cp -rp native live "$nanobind" "$built"
  cp -p --parents src/idealist/kernels/_native.pyi "$built"
  cp -rp "$place/$runtime" "$place/$numpy" "$built"
  # The reason is kept, for .ci/run: that Debian's compiler has moved on is no fault of a change.
  if ! chroot "$place/debian" sh -c "cd /work && bash live/compiler.sh $runtime" 2> "$place/compiler"; then
    cat "$place/compiler" >&2
    mv "$place/compiler" "$place/other-compiler"
    exit 1
  fi
  rm -f "$place/other-compiler"
  cat "$place/compiler" >&2
  chroot "$place/debian" sh -c "cd /work && bash live/build.sh $runtime nanobind core && bash live/numpy.sh $runtime $numpy numpy"
fi
"$python" live/bundle.py "$place/$runtime" "$built/core/_native.so" "$built/numpy/package" "$place/site"
