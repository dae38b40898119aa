#!/usr/bin/env bash
# The native core for Pyodide: one extension of the stable ABI, without threads. Takes the folder of the Pyodide runtime (from
# npm), the folder of nanobind, and where to write; run from the root of the repository, where emcc and the headers of
# Python 3.12 or newer are.
set -euo pipefail
runtime=$1 nanobind=$2 target=$3

# A header concerns many files: all is compiled again where anything changed, in half a minute.
if [ -e "$target/_native.so" ] && [ -z "$(find native src/idealist/kernels/_native.pyi live/build.sh live/headers.py "$runtime" "$nanobind" -newer "$target/_native.so" -print -quit)" ]; then
  exit 0
fi
rm -rf "$target"
mkdir -p "$target/objects"
python3 live/headers.py write "$runtime" "$target/include"
python3 native/bind/texts.py src/idealist/kernels/_native.pyi "$target/include/native_texts.inc"

# Exceptions and long jumps as the runtime has them: code that differs cannot be loaded.
like_runtime="-fPIC -fwasm-exceptions -sSUPPORT_LONGJMP=wasm"
# Without stdio, which Python's limited API no longer includes, nanobind's headers do not compile.
compile="em++ -std=c++20 -O2 $like_runtime -fvisibility=hidden -DNDEBUG -DPy_LIMITED_API=0x030C0000 -include cstdio
  -I$target/include -Inative -I$nanobind/include -I$nanobind/ext/robin_map/include"
export compile target
ls native/*/*.cpp "$nanobind/src/nb_combined.cpp" | xargs -P "$(nproc)" -I{} sh -c \
  '$compile -c {} -o "$target/objects/$(echo {} | tr / -).o"'
em++ -O2 $like_runtime -sSIDE_MODULE=2 -sWASM_BIGINT -sEXPORTED_FUNCTIONS=_PyInit__native "$target"/objects/*.o \
  -o "$target/_native.so"
