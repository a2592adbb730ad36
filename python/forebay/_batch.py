"""The parts of a batch. The batch itself is Rust's, so that one call makes it: see `src/batch.rs`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._forebay import Batch

__all__ = ["Batch", "Item", "Piece", "Placement", "Skipped"]


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
    #: The number of the sample that replaces it.
    replaced_by: int | None


class Placement(NamedTuple):
    """Which part of an image landed where, so that boxes and points can follow."""

    #: x, y, width, height in the image.
    source: tuple[float, float, float, float]
    #: x, y, width, height in the output.
    target: tuple[int, int, int, int]
    #: The image's width and height.
    full: tuple[int, int]
    mirrored: bool
    flipped: bool
    #: All of it, with rotations and perspectives, as one map: for a point ``(x, y)`` of the image, what the first two rows
    #: give of ``(x, y, 1)`` is divided by what the third gives.
    matrix: list[list[float]]

    def points(self, points: Any) -> NDArray[np.float64]:
        """Where points of the image land on the output: rows of x and y."""
        given = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        landed = np.hstack([given, np.ones((len(given), 1))]) @ np.asarray(self.matrix).T
        found: NDArray[np.float64] = landed[:, :2] / landed[:, 2:]
        return found


@dataclass(frozen=True)
class Piece:
    """An image on a tensor where several were brought together."""

    #: The sample's number among all samples of all files.
    index: int
    #: Its label; 0 where the loader reads none.
    label: int
    #: Its share of the tensor and of the label.
    share: float
    placement: Placement
    #: The rectangle of CutMix (left, top, right, bottom), and whether this image is inside of it.
    cut: tuple[tuple[int, int, int, int], bool] | None
