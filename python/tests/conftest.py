"""What the tests share."""

from __future__ import annotations

import io
import pathlib
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "corpus"
FIXTURES = ROOT / "tests" / "fixtures"


@pytest.fixture
def corpus() -> pathlib.Path:
    return CORPUS


@pytest.fixture
def fixtures() -> pathlib.Path:
    return FIXTURES


def write_tar(path: pathlib.Path, members: dict[str, bytes]) -> pathlib.Path:
    """An archive of these members."""
    with tarfile.open(path, "w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def bmp(width: int, height: int, color: tuple[int, int, int]) -> bytes:
    """An image of one color."""
    row = bytes(reversed(color)) * width
    row += bytes(-len(row) % 4)
    size = 54 + len(row) * height
    head = b"BM" + size.to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
    head += (40).to_bytes(4, "little") + width.to_bytes(4, "little") + height.to_bytes(4, "little")
    head += (1).to_bytes(2, "little") + (24).to_bytes(2, "little") + bytes(24)
    return head + row * height


def numbered(path: pathlib.Path, samples: int) -> pathlib.Path:
    """An archive of so many small images, each with its number as its class and its color."""
    members = {}
    for i in range(samples):
        members[f"{i:05}.bmp"] = bmp(4, 4, (i % 256, i // 256, 7))
        members[f"{i:05}.cls"] = str(i).encode()
    return write_tar(path, members)
