"""Images of many sizes in one batch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Padding"]


@dataclass(frozen=True)
class Padding:
    """How images of many sizes come together: each undistorted in the upper left of its place, which is as large as the largest
    of the batch, and none larger than the loader's ``size``. ``batch.sizes`` is n x 2, width and height of each, and
    ``batch.pixel_mask`` n x height x width with a 1 for each pixel of an image. An image's numbers follow from itself alone.

    >>> loader = forebay.Loader("train.tbl", batch=4, size=64, padded=forebay.Padding(multiple=16), labels="cls")
    >>> batch = next(loader.numpy())
    >>> sorted(batch), batch["images"].shape[2] % 16, bool(batch["pixel_mask"][0, 0, 0])
    (['images', 'labels', 'pixel_mask', 'sizes'], 0, True)
    """

    #: How many pixels the shorter side of an image has, where the longer one then fits; without it an image keeps its size, where it
    #: fits.
    short: int | None = None
    #: Width and height of a batch are multiples of this.
    multiple: int = 1
    #: The color around images; without one numbers there are 0, whatever they are normalized by.
    fill: tuple[int, int, int] | None = None

    def _json(self) -> dict[str, Any]:
        return asdict(self)
