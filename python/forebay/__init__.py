"""Forebay: opens, checks, converts and feeds machine-learning dataset files.

    import forebay

    ds = forebay.open("train.tbl")
    ds[17].image(); ds[17].metadata; ds.where("width >= 224").stats()
    forebay.convert("train.tar", "train.tbl")
    for batch in forebay.Loader("train.tbl", batch=64, size=224, labels="cls", shuffle=42):
        batch.images, batch.labels
"""

from __future__ import annotations

import importlib
import os
from typing import IO, TYPE_CHECKING, Any, Literal

from . import _interpreter as _interpreter
from . import labels, shards, warehouse
from ._augment import (
    Augment,
    AutoAugment,
    CenterCrop,
    ColorJitter,
    CropAroundBoxes,
    CutMix,
    GaussianBlur,
    Grayscale,
    HorizontalFlip,
    KeepBoxes,
    Letterbox,
    MixUp,
    MixUpOrCutMix,
    Mosaic,
    Pad,
    RandAugment,
    RandomAdjustSharpness,
    RandomAffine,
    RandomAutocontrast,
    RandomCrop,
    RandomEqualize,
    RandomErasing,
    RandomInvert,
    RandomIoUCrop,
    RandomPerspective,
    RandomPosterize,
    RandomResizedCrop,
    RandomRotation,
    RandomSolarize,
    Stretch,
    TrivialAugmentWide,
    VerticalFlip,
)
from ._batch import Batch, Item, Piece, Placement, Skipped
from ._convert import PathLike, Summary, check, convert
from ._curate import (
    Alike,
    DuplicateGroup,
    Duplicates,
    Outlier,
    OutlierReason,
    Outliers,
    Part,
    divide,
    duplicates,
    outliers,
)
from ._dataset import Dataset, Sample, SampleInfo, open_samples
from ._edits import Edits, apply
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
from ._files import is_url as _is_url
from ._files import name_of as _name_of
from ._forebay import __version__
from ._forebay import is_table as _is_table
from ._hf import from_hf
from ._loader import Blocks, DecodedStats, Labels, Loader, LoaderStats, Split
from ._padding import Padding
from ._records import Records, WebSamples
from ._report import Fault, Report
from ._rows import TableLoader
from ._sampling import Balance
from ._several import Difference, Extracted, Plan, PlannedBatch, Share, concat, diff, extract, plan, split, stats
from ._targets import Target, padded, texts
from ._table import Column, Table, from_arrow, open_table
from ._thumbs import Thumbs, thumbs
from ._view import View, view
from ._writer import TblWriter

__all__ = [
    "Alike",
    "Augment",
    "AutoAugment",
    "Balance",
    "Batch",
    "Blocks",
    "CenterCrop",
    "ColorJitter",
    "Column",
    "CropAroundBoxes",
    "CutMix",
    "DamagedError",
    "Dataset",
    "DecodedStats",
    "Difference",
    "DuplicateGroup",
    "Duplicates",
    "Edits",
    "Error",
    "Extracted",
    "Fault",
    "FileMissingError",
    "GaussianBlur",
    "Grayscale",
    "HorizontalFlip",
    "IoError",
    "Item",
    "KeepBoxes",
    "Labels",
    "Letterbox",
    "LimitError",
    "Loader",
    "LoaderStats",
    "MixUp",
    "MixUpOrCutMix",
    "Mosaic",
    "OutOfRangeError",
    "Outlier",
    "OutlierReason",
    "Outliers",
    "Pad",
    "Padding",
    "Part",
    "Piece",
    "Placement",
    "Plan",
    "PlannedBatch",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomAutocontrast",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomInvert",
    "RandomIoUCrop",
    "RandomPerspective",
    "RandomPosterize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSolarize",
    "Records",
    "Report",
    "Sample",
    "SampleInfo",
    "Share",
    "Skipped",
    "Split",
    "Stretch",
    "Summary",
    "Table",
    "TableLoader",
    "Target",
    "TblWriter",
    "Thumbs",
    "TrivialAugmentWide",
    "UnsupportedError",
    "UsageError",
    "VerticalFlip",
    "View",
    "WebSamples",
    "__version__",
    "apply",
    "check",
    "concat",
    "convert",
    "diff",
    "divide",
    "duplicates",
    "extract",
    "from_arrow",
    "from_hf",
    "labels",
    "open",
    "open_samples",
    "open_table",
    "outliers",
    "padded",
    "plan",
    "shards",
    "split",
    "stats",
    "texts",
    "thumbs",
    "view",
    "warehouse",
]


if TYPE_CHECKING:
    from . import compat as compat
    from . import ray as ray
    from . import torch as torch
    from . import widget as widget
else:

    def __getattr__(name: str) -> Any:
        """The parts that other libraries are needed for: imported when they are first asked for, as those take seconds."""
        if name in ("compat", "ray", "torch", "widget"):
            return importlib.import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def open(
    source: PathLike | bytes | bytearray | memoryview | IO[bytes],
    *,
    io: Literal["read", "map"] | None = None,
    keep_going: bool = False,
    class_level: int | None = None,
    **table: Any,
) -> Any:
    """Opens whatever it is: a TBL, TAR, folder of images or tensor warehouse as a :class:`Dataset`, a table as a
    :class:`Table`. The source is a path, an address such as ``s3://bucket/train.tbl``, the bytes
    of a file, a file object, or any other address that fsspec opens.

    Type checkers know nothing of the result; :func:`open_samples` and :func:`open_table`, which list the options, say it.

    >>> ds = forebay.open("train.tbl")
    >>> len(ds), ds[3].info.width, ds[3].metadata["cls"]
    (16, 48, 3)
    >>> forebay.open("people.csv").columns
    ['name', 'age', 'score']
    """
    if not (keep_going or io or class_level is not None):
        if table or _names_a_table(source):
            return open_table(source, **table)
    if table:
        raise UsageError("usage.argument", "usage", f"{', '.join(table)}: options of a table, and of samples")
    return open_samples(source, io=io, keep_going=keep_going, class_level=class_level)


#: How names of tables end that are not files of this machine.
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".arrows", ".tbf", ".idv")


def _names_a_table(source: PathLike | bytes | bytearray | memoryview | IO[bytes]) -> bool:
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return path.lower().endswith(_TABLES) if _is_url(path) else _is_table(path) is not None
    return not isinstance(source, (bytes, bytearray, memoryview)) and _name_of(source).lower().endswith(_TABLES)
