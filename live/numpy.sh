#!/usr/bin/env bash
# NumPy for Pyodide, without BLAS, from its source archive. Takes the folder of the Pyodide runtime, the archive, and where to
# write; run from the root of the repository, where emcc, cython, ninja and the runtime's Python with its headers are.
set -euo pipefail
runtime=$1 source=$2 target=$3

if [ -e "$target/ready" ] && [ -z "$(find live/numpy.sh live/headers.py "$runtime" "$source" -newer "$target/ready" -print -quit)" ]; then
  exit 0
fi
python=python$(python3 live/headers.py python "$runtime")
for program in "$python" cython ninja; do
  command -v "$program" > /dev/null || { echo "NumPy for the page is built with emcc, $python and its headers, cython and ninja: $program is not there" >&2; exit 1; }
done
rm -rf "$target"
mkdir -p "$target/source" "$target/home/lib"
target=$(realpath "$target")
tar -xzf "$source" -C "$target/source" --strip-components 1

# Meson asks a Python for its headers and what extensions are called: this one answers as that of the runtime.
ln -s "$($python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')" "$target/home/lib"
include=$target/home/include/$python
$python live/headers.py write "$runtime" "$include"
cat > "$target/python" << END
#!/bin/sh
PYTHONHOME=$target/home PYTHONPATH=$include _PYTHON_SYSCONFIGDATA_NAME=_sysconfigdata__emscripten_wasm32-emscripten exec $python "\$@"
END
chmod +x "$target/python"

# Exceptions and long jumps as the runtime has them. Meson links extensions and its own checks alike: as side modules, which
# take no libraries, and of which it can learn nothing about functions. It need not: the runtime's libc has those of C99.
like_runtime="'-fPIC', '-fwasm-exceptions', '-sSUPPORT_LONGJMP=wasm'"
real='sin cos tan sinh cosh tanh fabs floor ceil sqrt log10 log exp asin acos atan fmod modf frexp ldexp expm1 log1p acosh asinh
  atanh rint trunc exp2 copysign nextafter cbrt log2 pow hypot atan2 isfinite isinf isnan signbit strtoll strtoull strtold_l'
complex='csin csinh ccos ccosh ctan ctanh creal cimag conj cabs cacos cacosh carg casin casinh catan catanh cexp clog cpow csqrt'
cat > "$target/pyodide.cross" << END
[binaries]
c = 'emcc'
cpp = 'em++'
ar = 'emar'
cython = 'cython'
python = '$target/python'
[host_machine]
system = 'emscripten'
cpu_family = 'wasm32'
cpu = 'wasm32'
endian = 'little'
[built-in options]
c_args = [$like_runtime]
cpp_args = [$like_runtime]
c_link_args = [$like_runtime, '-sSIDE_MODULE=1', '-sWASM_BIGINT']
cpp_link_args = [$like_runtime, '-sSIDE_MODULE=1', '-sWASM_BIGINT']
[properties]
needs_exe_wrapper = true
skip_sanity_check = true
longdouble_format = 'IEEE_QUAD_LE'
$(for name in $real $complex; do echo "has_function_$name = true"; done)
$(for name in $complex; do echo "has_function_${name}f = true"; echo "has_function_${name}l = true"; done)
$(for name in fallocate ftello fseeko backtrace madvise; do echo "has_function_$name = false"; done)
END
export EMCC_SKIP_SANITY_CHECK=1 # of itself, at each of five hundred calls
meson="python3 $target/source/vendored-meson/meson/meson.py"
echo "building NumPy: two minutes on two cores"
quietly() { "$@" > "$target/log" 2>&1 || { tail -20 "$target/log" >&2; exit 1; }; }
quietly $meson setup --cross-file "$target/pyodide.cross" --buildtype=release -Doptimization=2 -Db_ndebug=true -Dprefix=/ -Dpython.bytecompile=-1 \
  -Dallow-noblas=true -Dblas=none -Dlapack=none -Ddisable-optimization=true "$target/build" "$target/source"
cd "$target/build"
quietly ninja $(ninja -t targets all | sed -n 's/\(.*\.so\): .*/\1/p' | grep -v '_tests\.\|_simd\.')
quietly $meson install --no-rebuild --tags runtime,python-runtime --destdir "$target/installed"
# Where Python installs packages depends on who built it.
mv "$(find "$target/installed" -name numpy -path '*-packages/numpy' -print -quit)" "$target/package"
rm -rf "$target/source" "$target/build" "$target/installed"
touch "$target/ready"
