"""A finished batch."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from . import _forebay

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


class Batch:
    """Samples, ready for training.

    ``images`` is the memory that the loader filled, not a copy: it is the loader's to use again once the batch and every
    array and tensor made of it is gone, so keep batches only as long as they are needed. Keeping them longer is safe,
    also after the loader is gone.
    """

    __slots__ = ("_core", "_images")

    def __init__(self, core: _forebay.Batch) -> None:
        self._core = core
        memory = core.images()
        self._images: NDArray[Any] | None = None if memory is None else np.asarray(memory)

    @property
    def images(self) -> NDArray[Any]:
        """The numbers: n x 3 x height x width, or n x height x width x 3."""
        if self._images is None:
            raise AttributeError("this loader gives payloads and no images: give it a size")
        return self._images

    @property
    def labels(self) -> NDArray[np.int64]:
        """The labels; empty where none were asked for."""
        memory = self._core.labels()
        return np.empty(0, np.int64) if memory is None else np.asarray(memory)

    @property
    def payloads(self) -> list[memoryview]:
        """The payloads, where the loader has no size: read-only buffers."""
        return [np.asarray(memory).data for memory in self._core.payloads()]

    @property
    def indices(self) -> NDArray[np.uint64]:
        """Each sample's number among all samples of all files."""
        return np.asarray(self._core.indices())

    @property
    def items(self) -> list[Item]:
        """Where each sample comes from, and which only fill the tail."""
        return [Item(*item) for item in self._core.items()]

    @property
    def skipped(self) -> list[Skipped]:
        """Samples that could not be read, where the loader was told to skip or replace them."""
        return [Skipped(*one) for one in self._core.skipped()]

    @property
    def placements(self) -> list[Placement]:
        """What became of each picture's geometry."""
        return [Placement(*one) for one in self._core.placements()]

    @property
    def names(self) -> list[str | None]:
        """The samples' names: read when this is asked."""
        return self._core.names()

    @property
    def metadata(self) -> list[Any]:
        """The samples' metadata: read when this is asked."""
        return [None if text is None else json.loads(text) for text in self._core.metadata()]

    @property
    def epoch(self) -> int:
        """The epoch that it belongs to."""
        return self._core.position()[0]

    @property
    def step(self) -> int:
        """Which step of its epoch it is."""
        return self._core.position()[1]

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[Any]:
        """``images, labels = batch``."""
        yield self.images
        yield self.labels

    def __dlpack__(self, **options: Any) -> Any:
        return self.images.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[Any, Any]:
        return self.images.__dlpack_device__()

    def __repr__(self) -> str:
        what = "payloads" if self._images is None else f"{self._images.shape}, {self._images.dtype}"
        return f"<forebay.Batch {self.epoch}:{self.step}, {len(self)} samples, {what}>"
