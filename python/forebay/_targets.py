"""Targets of any kind, and what is done with those of which samples have any number."""

from __future__ import annotations

import operator
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, Sequence

import numpy as np

from ._augment import Augment, Step
from ._convert import PathLike
from ._errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Target", "padded", "texts"]

#: Names that a batch as a dictionary has anyway.
_TAKEN = {"images", "labels", "payloads", "frame_ids"}
_OF_BOXES = {"boxes", "mask", "box_classes"}
_OF_PADDED = {"sizes", "pixel_mask"}


@dataclass(frozen=True)
class Target:
    """One of the targets that a loader gives with its samples.

    Values come from a field of the metadata, by its path (in archives and folders the files beside an image are fields:
    ``json.age``, ``txt``), or from a table: ``table=("people.csv", "name", "age")`` is its column ``age``, joined by its
    column ``name``. A sample without one is a broken sample, unless it is ``optional`` or there is a number for what is
    ``missing``.

    Lists of any length come with ``_offsets``; with ``longest`` they are padded to the length of the longest of the
    batch instead, n x length with a ``_mask``, and cut off after ``longest``. ``pad`` fills the gaps, and lengths are
    multiples of ``multiple``, or ``longest``.
    """

    _kind: str
    _from: str
    _options: tuple[str, ...] = ()
    _view: dict[str, Any] | None = field(default=None, hash=False)

    @classmethod
    def view(
        cls,
        size: int | tuple[int, int],
        *,
        augment: Augment | Step | None = None,
        normalize: Literal["imagenet"] | tuple[Sequence[float], Sequence[float]] | None = None,
        resampling: Literal["bilinear", "bilinear-plain", "bicubic", "lanczos", "nearest"] | None = None,
        fill: tuple[int, int, int] | None = None,
    ) -> Target:
        """Another view of the sample's image, of a size of its own: all its randomness is drawn separately. For two
        crops, or several."""
        view = {"size": size, "augment": augment, "normalize": normalize, "resampling": resampling, "fill": fill}
        return cls("view", "", (), view)

    @classmethod
    def picture(cls, dataset: PathLike, *, optional: bool = False) -> Target:
        """The image of another folder or file that has the sample's name without its ending, as that of a second camera:
        by the draws of the sample's own."""
        return cls("picture", os.fspath(dataset), _said(optional=optional))

    @classmethod
    def label_map(cls, dataset: PathLike, *, optional: bool = False) -> Target:
        """Such an image whose gray values are classes: uint8, placed as the sample's own, and never mixed."""
        return cls("labelmap", os.fspath(dataset), _said(optional=optional))

    @classmethod
    def number(
        cls, path: str = "", *, whole: bool = False, table: _Table | None = None, missing: float | None = None
    ) -> Target:
        """A number: float32, or int64 where it is ``whole``."""
        return cls("int" if whole else "float", _place(path, table), _said(missing=missing))

    @classmethod
    def numbers(
        cls,
        path: str = "",
        *,
        whole: bool = False,
        shape: Sequence[int] | None = None,
        table: _Table | None = None,
        missing: float | None = None,
        optional: bool = False,
        longest: int | None = None,
        pad: float = 0,
        multiple: int = 1,
    ) -> Target:
        """Numbers of this shape, or any number of them, with ``_offsets``, or padded where ``longest`` says how far.

        >>> str(forebay.Target.numbers("json.tokens", whole=True, longest=512, pad=1, multiple=8))
        'ints/pad=1,512,8:json.tokens'
        """
        padding = _padding(longest, pad, multiple)
        options = _said(shape=shape, missing=missing, optional=optional, padding=padding)
        return cls("ints" if whole else "floats", _place(path, table), options)

    @classmethod
    def label(
        cls,
        path: str = "",
        *,
        classes: Sequence[str] | None = None,
        table: _Table | None = None,
        missing: int | None = None,
    ) -> Target:
        """The number of a class. Without a path or a table it is that of the folder that the image lies in."""
        return cls("class", _place(path, table), _said(classes=classes, missing=missing))

    @classmethod
    def multi_hot(
        cls,
        path: str = "",
        *,
        classes: Sequence[str] | int | None = None,
        table: _Table | None = None,
        optional: bool = False,
    ) -> Target:
        """Several classes at once, 1 for each that the sample has: names or numbers. Without ``classes``, which are names or
        how many there are, they are all that occur."""
        given: Any = classes
        if np.ndim(given) == 0 and hasattr(given, "__index__"):
            return cls("multihot", _place(path, table), _said(shape=[operator.index(given)], optional=optional))
        return cls("multihot", _place(path, table), _said(classes=given, optional=optional))

    @classmethod
    def text(
        cls,
        path: str = "",
        *,
        table: _Table | None = None,
        optional: bool = False,
        longest: int | None = None,
        pad: int = 0,
        multiple: int = 1,
    ) -> Target:
        """Text, as bytes of UTF-8 with ``_offsets``, of which :func:`forebay.texts` makes strings; with ``longest`` padded bytes."""
        padding = _padding(longest, pad, multiple)
        return cls("text", _place(path, table), _said(optional=optional, padding=padding))

    @classmethod
    def boxes(
        cls,
        labels: PathLike | None = None,
        *,
        most: int | None = 16,
        format: str | None = None,
        optional: bool = False,
        longest: int | None = None,
    ) -> Target:
        """Boxes of a label file, or else of the samples' own metadata: left, top, right and bottom from 0 to 1 of the image,
        in ``most`` places with ``_mask`` and ``_classes``; with ``most=None`` all of them, with ``_offsets`` and
        ``_classes``; with ``longest`` in as many places as the sample with the most of the batch needs, up to so many."""
        return cls._marked("boxes", labels, most, format, optional, longest)

    @classmethod
    def masks(
        cls,
        labels: PathLike | None = None,
        *,
        most: int | None = 16,
        format: str | None = None,
        optional: bool = False,
        longest: int | None = None,
    ) -> Target:
        """A mask of pixels for each object of a label file, with the same more as boxes and in the same places."""
        return cls._marked("masks", labels, most, format, optional, longest)

    @classmethod
    def keypoints(
        cls,
        labels: PathLike | None = None,
        *,
        most: int | None = 16,
        format: str | None = None,
        optional: bool = False,
        longest: int | None = None,
    ) -> Target:
        """Key points of each object of a label file: x, y from 0 to 1 of the image, and the visibility."""
        return cls._marked("keypoints", labels, most, format, optional, longest)

    @classmethod
    def semantic(
        cls, labels: PathLike | None = None, *, format: str | None = None, optional: bool = False
    ) -> Target:
        """One image of classes: 0 outside of all objects of a label file, one more than the class's number inside."""
        return cls("semantic", "" if labels is None else os.fspath(labels), _said(format=format, optional=optional))

    @classmethod
    def _marked(
        cls,
        kind: str,
        labels: PathLike | None,
        most: int | None,
        format: str | None,
        optional: bool,
        longest: int | None,
    ) -> Target:
        # Places that grow with the batch are not so many.
        most = most if longest is None else None
        shape = None if most is None else [most]
        ragged, padding = most is None and longest is None, _padding(longest, 0, 1)
        options = _said(shape=shape, ragged=ragged, format=format, optional=optional, padding=padding)
        return cls(kind, "" if labels is None else os.fspath(labels), options)

    def __str__(self) -> str:
        return "/".join((self._kind, *self._options)) + ":" + self._from


#: The file of a table, its column of names, and the column of values.
_Table = tuple[PathLike, str, str]


def _place(path: str, table: Any) -> str:
    if table is None:
        return path
    if path:
        raise UsageError("usage.argument", "usage", "a target is of a field or of a table, and not of both")
    file, key, column = table
    return f"{os.fspath(file)}#{key},{column}"


def _padding(longest: int | None, pad: float, multiple: int) -> str | None:
    if longest is None:
        if pad != 0 or multiple != 1:
            raise UsageError("usage.argument", "usage", "pad and multiple are for what is padded: say how far by longest")
        return None
    return f"{pad},{longest},{multiple}"


def _said(
    *,
    shape: Sequence[int] | None = None,
    ragged: bool = False,
    missing: float | None = None,
    classes: Sequence[str] | None = None,
    format: str | None = None,
    optional: bool = False,
    padding: str | None = None,
) -> tuple[str, ...]:
    if isinstance(classes, str) or not all(isinstance(name, str) for name in classes or ()):
        raise UsageError("usage.argument", "usage", f"classes are a list of names, each a text, and not {classes!r}")
    if any("," in name or "/" in name or ":" in name for name in classes or ()):
        raise UsageError("usage.argument", "usage", "names of classes here have no comma, slash or colon")
    said = {
        "x".join(str(side) for side in shape or ()): shape is not None,
        "ragged": ragged,
        f"pad={padding}": padding is not None,
        f"missing={missing}": missing is not None,
        f"classes={','.join(classes or ())}": classes is not None,
        f"format={format}": format is not None,
        "optional": optional,
    }
    return tuple(text for text, holds in said.items() if holds)


def words(
    targets: Mapping[str, Target | str] | None, recipe: Callable[..., Any], *, layout: str, boxed: bool, padded: bool
) -> list[tuple[str, Any]]:
    """Names and texts in their order, and the recipes of views."""
    if not isinstance(targets or {}, Mapping) or not all(isinstance(name, str) for name in targets or ()):
        raise UsageError("usage.argument", "usage", "targets are a dictionary: each by the name that it has in batches, a text")
    named = (targets or {}).items()
    taken_names = _TAKEN | (_OF_BOXES if boxed else set()) | (_OF_PADDED if padded else set())
    taken = next((name for name, _ in named if name in taken_names), None)
    if taken is not None:
        raise UsageError("usage.argument", "usage", f"a target cannot have the name {taken!r}, which a batch has already")
    names = {name for name, _ in named}
    for name in sorted(names):
        base, _, suffix = name.rpartition("_")
        if suffix in ("mask", "classes", "offsets") and base in names:
            raise UsageError("usage.argument", "usage", f"a target cannot have the name {name!r}, which is for the {suffix} of {base!r}")
    views = {name: one._view for name, one in named if isinstance(one, Target) and one._view is not None}
    return [
        (name, {"view": recipe(**views[name], layout=layout)} if name in views else str(one)) for name, one in named
    ]


def padded(values: NDArray[Any], offsets: NDArray[np.int64], fill: float = 0) -> NDArray[Any]:
    """Samples with any number of rows, brought to the length of the longest: n x longest x the shape of a row.

    >>> forebay.padded(numpy.array([1, 2, 3]), numpy.array([0, 1, 3])).tolist()
    [[1, 0], [2, 3]]
    """
    lengths = np.diff(offsets)
    longest = int(lengths.max(initial=0))
    found = np.full((len(lengths), longest, *values.shape[1:]), fill, values.dtype)
    found[np.arange(longest) < lengths[:, None]] = values[int(offsets[0]) : int(offsets[-1])]
    return found


def texts(values: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[str]:
    """The text of each sample.

    >>> forebay.texts(numpy.frombuffer(b"onetwo", numpy.uint8), numpy.array([0, 3, 6]))
    ['one', 'two']
    """
    data = values.tobytes()
    return [data[begin:end].decode() for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist())]
