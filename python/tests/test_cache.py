"""The cache for files elsewhere, as the loader is told of it."""

from __future__ import annotations

import pathlib

import pytest

import forebay
from conftest import numbered


def test_files_of_this_machine_are_not_copied_into_a_cache(tmp_path: pathlib.Path) -> None:
    archive = numbered(tmp_path / "a.tar", 10)
    kept = tmp_path / "kept"
    loader = forebay.Loader(archive, batch=5, cache=kept, cache_bytes=1 << 30, read_ahead_bytes=1 << 20)
    assert sum(len(batch) for batch in loader) == 10
    assert not list(kept.rglob("*.block"))


def test_a_bound_without_a_cache_is_refused(tmp_path: pathlib.Path) -> None:
    archive = numbered(tmp_path / "a.tar", 10)
    with pytest.raises(forebay.UsageError, match="cache"):
        forebay.Loader(archive, cache_bytes=1 << 30)
