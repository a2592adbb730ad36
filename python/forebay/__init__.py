"""Forebay: opens, checks, converts and feeds machine-learning dataset files.

    import forebay

    ds = forebay.open("train.tbl")
    ds[17].image(); ds[17].metadata; ds.where("width >= 224").stats()
    forebay.convert("train.tar", "train.tbl")
    for batch in forebay.Loader("train.tbl", batch=64, size=224, labels="cls", shuffle=42):
        batch.images, batch.labels
"""

from __future__ import annotations

import os
from typing import IO, Any, Literal

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
from ._forebay import __version__, is_table as _is_table
from ._loader import Blocks, Labels, Loader, LoaderStats, Split
from ._report import Fault, Report
from ._table import Column, Table, open_table
from ._writer import TblWriter

__all__ = [
    "Augment",
    "Batch",
    "Blocks",
    "CenterCrop",
    "ColorJitter",
    "Column",
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
    "Split",
    "Stretch",
    "Summary",
    "Table",
    "TblWriter",
    "UnsupportedError",
    "UsageError",
    "VerticalFlip",
    "__version__",
    "check",
    "convert",
    "open",
    "open_samples",
    "open_table",
]


def open(
    source: PathLike | bytes | IO[bytes],
    *,
    io: Literal["read", "map"] | None = None,
    keep_going: bool = False,
    class_level: int | None = None,
    **table: Any,
) -> Any:
    """Opens whatever it is: a TBL, TAR or folder of pictures as a :class:`Dataset`, a table as a :class:`Table`.

    Type checkers know nothing of the result; :func:`open_samples` and :func:`open_table`, which list the options, say it.
    """
    if isinstance(source, (str, os.PathLike)) and not (keep_going or io or class_level is not None):
        if table or _is_table(os.fspath(source)) is not None:
            return open_table(source, **table)
    if table:
        raise UsageError("usage.argument", "usage", f"{', '.join(table)}: options of a table, and of samples")
    return open_samples(source, io=io, keep_going=keep_going, class_level=class_level)
