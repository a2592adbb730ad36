#!/bin/sh
# Holds our JPEG decoder against the C library libjpeg-turbo, over structures that are made at random.
#
#   scripts/jpeg-reference.sh install          fetch the library (from Pillow's wheel, 7 MB) and compile the program that asks it
#   scripts/jpeg-reference.sh compare [N]      N structures (2000): the same pixels
#   scripts/jpeg-reference.sh damage [N]       N damaged ones: refused where the library warns, else the same pixels
#   scripts/jpeg-reference.sh fixture          write tests/fixtures/jpeg_structures.txt anew
#
# The folder is $JPEG_REFERENCE, else ~/.cache/jpeg-reference. Needs pip, a C compiler and jpeglib.h (Debian:
# libjpeg62-turbo-dev). FOREBAY_JPEG_FIRST is the number of the first structure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=${JPEG_REFERENCE:-${XDG_CACHE_HOME:-$HOME/.cache}/jpeg-reference}

install() {
    mkdir -p "$dir"
    cd "$dir"
    ls pillow-*.whl >/dev/null 2>&1 || python3 -m pip download --quiet --no-deps --only-binary=:all: -d . pillow
    python3 - <<'PY'
import glob, os, zipfile
with zipfile.ZipFile(sorted(glob.glob("pillow-*.whl"))[-1]) as wheel:
    for name in wheel.namelist():
        if os.path.basename(name).startswith("libjpeg-"):
            # Under its own name, by which a program that is linked with it looks for it.
            with open(os.path.basename(name), "wb") as out:
                out.write(wheel.read(name))
PY
    library=$(ls libjpeg-*.so* | tail -n 1)
    cc -O2 -o program "$here/../tests/jpeg_made/reference.c" -L. "-l:$library" "-Wl,-rpath,$dir"
    echo "ready in $dir: $(grep -ao 'libjpeg-turbo version [0-9.]*' "$library" || echo "$library")"
}

tests() {
    [ -x "$dir/program" ] || { echo "run $0 install first" >&2; exit 3; }
    cd "$here/.."
    FOREBAY_JPEG_REFERENCE="$dir/program" cargo test --workspace --all-features --test it -- \
        --ignored --nocapture "jpeg_structures::$1"
}

case ${1:-} in
    install) install ;;
    compare) FOREBAY_JPEG_COUNT=${2:-2000} tests more_structures ;;
    damage) FOREBAY_JPEG_COUNT=${2:-2000} tests damaged_structures ;;
    fixture) FOREBAY_JPEG_WRITE=1 tests the_fixture ;;
    *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
