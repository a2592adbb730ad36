"""Which files and samples a loader takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _forebay
from ._dataset import Dataset, open_samples
from ._errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["sources"]


def sources(paths: Any, indices: Any, class_level: int | None) -> tuple[list[str], list[int] | None, int | None]:
    """The paths, the numbers of the samples that are chosen, and the level of folders that classes are of."""
    if isinstance(paths, (bytes, bytearray, memoryview)):
        raise UsageError("usage.argument", "usage", "a loader reads files: a path is a text, and these are bytes")
    try:
        many = [paths] if isinstance(paths, (str, os.PathLike, Dataset)) else list(paths)
        for one in many:
            isinstance(one, Dataset) or os.fspath(one)
    except TypeError:
        message = f"a loader reads files: give a path, a dataset, or a list of these, and not {paths!r}"
        raise UsageError("usage.argument", "usage", message) from None
    class_level = _level(many, class_level)
    if not any(isinstance(one, Dataset) and one._chosen is not None for one in many):
        chosen = None if indices is None else _rising(np.asarray(indices))
        return [_path(one) for one in many], chosen, class_level
    if indices is not None:
        raise UsageError("usage.argument", "usage", "datasets that are parts of others say which samples they are, and indices too")
    many = [one for each in many for one in ([each] if isinstance(each, Dataset) else _forebay.expand([os.fspath(each)]))]
    numbers, begin = [], 0
    for one in many:
        dataset = one if isinstance(one, Dataset) else open_samples(one)
        numbers.append(dataset.indices + np.uint64(begin))
        begin += len(dataset._core())
    return [_path(one) for one in many], _rising(np.concatenate(numbers)), class_level


def _level(many: list[Any], given: int | None) -> int | None:
    """Classes are those that the datasets were opened with, as filters over them know them."""
    opened = [one._options.get("class_level") for one in many if isinstance(one, Dataset)]
    levels: set[int] = {level for level in (*opened, given) if level is not None}
    if len(levels) > 1:
        message = f"class_level is one for all files of a loader, and here it is {' and '.join(map(str, sorted(levels)))}"
        raise UsageError("usage.argument", "usage", message)
    return next(iter(levels), None)


def _path(one: Any) -> str:
    source = one._source if isinstance(one, Dataset) else os.fspath(one)
    if not isinstance(source, str):
        raise UsageError("usage.argument", "usage", "a loader reads files: this dataset was opened from bytes")
    return source


def _rising(numbers: NDArray[Any]) -> list[int]:
    """In the order of the files, which is what orders are made of."""
    if numbers.dtype == bool:
        numbers = np.flatnonzero(numbers)
    whole = numbers.ndim == 1 and (numbers.size == 0 or numbers.dtype.kind in "iu" and int(numbers.min()) >= 0)
    if not whole:
        raise UsageError("usage.argument", "usage", "indices are whole numbers from 0 on, or True and False for each sample")
    unique = np.unique(numbers)
    if unique.size != numbers.size:
        raise UsageError("usage.argument", "usage", "a sample is chosen twice; each comes once an epoch")
    found: list[int] = unique.tolist()
    return found
