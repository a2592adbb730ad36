"""What a batch is made of. The batch itself is Rust's, so that one call makes it: see `src/batch.rs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ._forebay import Batch

__all__ = ["Batch", "Item", "Placement", "Skipped"]


class Item(NamedTuple):
    """Where a sample comes from."""

    #: Which of the loader's files.
    source: int
    #: Its number there.
    sample: int
    #: Its position in the epoch.
    position: int
    #: True where it only fills the tail.
    padded: bool


@dataclass(frozen=True)
class Skipped:
    """A sample that could not be read and was passed over."""

    position: int
    index: int
    error: Exception
    #: The number of the sample that stands in for it.
    replaced_by: int | None


class Placement(NamedTuple):
    """Which part of a picture landed where, so that boxes and points can follow."""

    #: x, y, width, height in the picture.
    source: tuple[float, float, float, float]
    #: x, y, width, height in the output.
    target: tuple[int, int, int, int]
    #: The picture's width and height.
    full: tuple[int, int]
    mirrored: bool
    flipped: bool
