"""Packs the files of wheels anew, as small as deflate allows, which the crate that maturin packs by does not try.

    python repack.py WHEEL...

What is in a wheel stays as it is, byte for byte and in its order; libdeflate's last level is 2.4 % smaller than zlib's.
"""

import os
import pathlib
import sys
import zipfile

import deflate

LEVEL = 12


class Whole:
    """What `zipfile` asks of a compressor, for a file that is packed as one."""

    def __init__(self):
        self.parts = []

    def compress(self, data):
        self.parts.append(bytes(data))
        return b""

    def flush(self):
        return bytes(deflate.deflate_compress(b"".join(self.parts), LEVEL))


def repack(path):
    """Replaces a wheel by one of the same files; where that would be larger it stays."""
    made = path.with_suffix(".part")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w") as new:
        for info in old.infolist():
            data = old.read(info)
            with new.open(info, "w") as out:
                # `zipfile` has no other way to be given a compressor.
                if info.compress_type == zipfile.ZIP_DEFLATED:
                    out._compressor = Whole()
                out.write(data)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made) as new:
        assert old.namelist() == new.namelist()
        assert all(old.read(name) == new.read(name) for name in old.namelist())
    before, after = path.stat().st_size, made.stat().st_size
    if after < before:
        os.replace(made, path)
    else:
        made.unlink()
    print(f"{path.name}: {before / 1e6:.2f} MB, packed anew {min(before, after) / 1e6:.2f} MB")


for name in sys.argv[1:]:
    repack(pathlib.Path(name))
