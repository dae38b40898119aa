#!/usr/bin/env bash
# Whether the emcc on the path is the one for the Pyodide runtime in the folder $1.
set -euo pipefail
wanted=$(python3 live/headers.py version "$1")
found=$(emcc --version 2> /dev/null | sed -n '1s/.* \([0-9][0-9.]*\) .*/\1/p' || true)
if [ "$wanted" = "$found" ]; then exit 0; fi
# Debian's next release moves on by itself. What another patch release makes mostly loads, and the tests say whether it does.
if [ "${wanted%.*}" = "${found%.*}" ]; then
  echo "this Pyodide was built with Emscripten $wanted, and emcc is $found: the tests say whether they agree" >&2
  exit 0
fi
echo "this Pyodide takes Emscripten $wanted, and emcc is ${found:-not there}: make live PYODIDE=… takes another Pyodide" >&2
exit 1
