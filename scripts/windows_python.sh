#!/bin/sh
# Puts together a Python of Windows that runs under Wine, for tests/e2e/test_windows.py, and prints the variable that they ask for.
#
#     apt-get install wine64 gcc-mingw-w64-x86-64
#     scripts/windows_python.sh FOLDER [PYTHON]
#
# python.org is not needed: python311.dll and the extension modules lie in the wheel of panda3d on PyPI (65 MB), the library is that of PYTHON (3.11,
# the same on every system), and python.exe is three lines of C.
set -eu
folder=$1 python=${2:-python3.11}
wine=$(command -v wine64 || ls /usr/lib/wine/wine64)
mkdir -p "$folder/python/DLLs"
cd "$folder"
folder=$PWD
[ "$("$python" -c 'import sys; print(*sys.version_info[:2])')" = "3 11" ] || { echo "expected a Python 3.11, not $python" >&2; exit 2; }

"$python" -m pip download -q --no-deps --only-binary :all: --platform win_amd64 --python-version 3.11 --dest wheel 'panda3d==1.10.16'
"$python" -m zipfile -e wheel/panda3d-*.whl wheel
mv wheel/deploy_libs/*.pyd python/DLLs
mv wheel/deploy_libs/*.dll python
rm -f python/api-ms-win-*.dll  # Wine has its own
rm -r wheel
cp -r "$("$python" -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')" python/Lib
rm -rf python/Lib/site-packages python/Lib/lib-dynload python/Lib/test

cat > python.c <<'C'
#include <wchar.h>
extern int Py_Main(int, wchar_t **);
int wmain(int argc, wchar_t **argv) { return Py_Main(argc, argv); }
C
x86_64-w64-mingw32-gcc -municode -o python/python.exe python.c python/python311.dll
command="env WINEPREFIX=$folder/prefix WINEDEBUG=-all $wine $folder/python/python.exe"
$command -c "import sys; print(sys.version)" < /dev/null 2>&1 | cat  # Wine wants pipes
echo "export INTERLOCK_WINDOWS_PYTHON='$command'"
