"""Thumbnails in a file of their own."""

from __future__ import annotations

import pathlib

import pytest

import forebay
from conftest import bmp, write_tar


def test_thumbnails_lie_beside_their_file_and_are_of_it_alone(tmp_path: pathlib.Path) -> None:
    path = write_tar(tmp_path / "a.tar", {f"{i}.bmp": bmp(64, 48 + i, (i, 2, 3)) for i in range(40)} | {"text.txt": b"no"})
    told: list[int] = []
    made = forebay.thumbs(path, size=32, progress=lambda done, total: told.append(done))
    assert made.output == f"{path}.thumbs" and made.samples == 41 and made.size == 32
    assert (made.not_pictures, made.fault_count, made.faults) == (1, 0, [])
    strip = forebay.open_samples(made.output)
    assert len(strip) == 41 and strip[7].info.width == 32
    assert forebay.thumbs(path, check=True).size == 32
    with pytest.raises(forebay.UsageError):
        forebay.thumbs(path)
    assert forebay.thumbs(path, tmp_path / "b.thumbs", size=16, quality=50).output_bytes < made.output_bytes
    other = write_tar(tmp_path / "b.tar", {f"{i}.bmp": bmp(64, 48, (i, 2, 3)) for i in range(41)})
    with pytest.raises(forebay.UsageError) as refused:
        forebay.thumbs(other, made.output, check=True)
    assert refused.value.code == "thumbs.other_file"
    with pytest.raises(forebay.UsageError):
        forebay.thumbs(path, size=1, force=True)
