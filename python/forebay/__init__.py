"""Forebay: opens, checks, converts and feeds machine-learning dataset files.

    import forebay

    ds = forebay.open("train.tbl")
    ds[17].image(); ds[17].metadata; ds.where("width >= 224").stats()
    forebay.convert("train.tar", "train.tbl")
    for batch in forebay.Loader("train.tbl", batch=64, size=224, labels="cls", shuffle=42):
        batch.images, batch.labels
"""

from __future__ import annotations

from typing import IO, Literal

from ._augment import (
    Augment,
    CenterCrop,
    ColorJitter,
    GaussianBlur,
    Grayscale,
    HorizontalFlip,
    Letterbox,
    Pad,
    RandomCrop,
    RandomErasing,
    RandomResizedCrop,
    Stretch,
    VerticalFlip,
)
from ._batch import Batch, Item, Placement, Skipped
from ._convert import PathLike, Summary, check, convert
from ._dataset import Dataset, Sample, SampleInfo, open_samples
from ._errors import (
    DamagedError,
    Error,
    FileMissingError,
    IoError,
    LimitError,
    OutOfRangeError,
    UnsupportedError,
    UsageError,
)
from ._forebay import __version__
from ._loader import Blocks, Labels, Loader, LoaderStats
from ._report import Fault, Report

__all__ = [
    "Augment",
    "Batch",
    "Blocks",
    "CenterCrop",
    "ColorJitter",
    "DamagedError",
    "Dataset",
    "Error",
    "Fault",
    "FileMissingError",
    "GaussianBlur",
    "Grayscale",
    "HorizontalFlip",
    "IoError",
    "Item",
    "Labels",
    "Letterbox",
    "LimitError",
    "Loader",
    "LoaderStats",
    "OutOfRangeError",
    "Pad",
    "Placement",
    "RandomCrop",
    "RandomErasing",
    "RandomResizedCrop",
    "Report",
    "Sample",
    "SampleInfo",
    "Skipped",
    "Stretch",
    "Summary",
    "UnsupportedError",
    "UsageError",
    "VerticalFlip",
    "__version__",
    "check",
    "convert",
    "open",
]


def open(
    source: PathLike | bytes | IO[bytes],
    *,
    io: Literal["read", "map"] | None = None,
    keep_going: bool = False,
    class_level: int | None = None,
) -> Dataset:
    """Opens a TBL, a TAR or a folder of pictures: a path, the file's bytes, or a file object, which is read as a whole.

    ``io="map"`` maps the file: payloads come without a copy, and a disk that fails ends the process without a word.
    ``keep_going`` keeps what comes before the damage of a TAR. ``class_level`` says at which level of a folder the
    classes are, from 1; 0 for none.
    """
    if not isinstance(source, (str, bytes)) and hasattr(source, "read"):
        source = source.read()
    return open_samples(source, io, keep_going, class_level)
