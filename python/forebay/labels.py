"""Label files: boxes, turned boxes, outlines, masks and key points, of every format that Forebay reads.

    labels = forebay.labels.read("instances.json")
    labels[0].annotations[0].box
    labels.write("labelme", to="labelme")
    polars.DataFrame(labels)                      # a row for each annotation
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator, Literal, Sequence, overload

import numpy as np

from . import _forebay
from ._convert import PathLike
from ._report import Report
from ._settings import keywords, settings_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Annotation", "Class", "LabelSet", "Picture", "Written", "check", "convert", "read", "stats"]


@dataclass(frozen=True)
class Class:
    """A class of objects."""

    name: str
    #: The number or text that the file gives it.
    id: int | str | None = None
    group: str | None = None
    #: Names of its key points, and which of them lines join, counted from 1.
    keypoints: list[str] = field(default_factory=list)
    skeleton: list[list[int]] = field(default_factory=list)


@dataclass(frozen=True)
class Annotation:
    """One object in one image."""

    #: ``box``, ``rotated``, ``polygon``, ``mask`` or ``points``.
    kind: str
    #: Corners of the upright box around it as the file says it, in pixels: left, top, right, bottom.
    box: tuple[float, float, float, float]
    #: The part of the box inside of the image; ``None`` if nothing is left.
    clipped: tuple[float, float, float, float] | None
    #: A number in the classes.
    cls: int | None
    #: The class's name.
    label: str | None
    #: Of a rotated box ``unturned`` and ``degrees``, of outlines ``parts``, of a mask ``width``, ``height`` and ``counts``.
    shape: dict[str, Any] | None = None
    score: float | None = None
    #: ``human``, ``model`` or ``simulator``, where the file says it.
    source: str | None = None
    #: Those of ``crowd``, ``difficult``, ``truncated``, ``occluded`` and ``outside`` that are said of it.
    flags: tuple[str, ...] = ()
    #: x, y and visibility: 0 not marked, 1 hidden, 2 seen.
    keypoints: tuple[tuple[float, float, int], ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    id: int | str | None = None
    track: int | None = None


@dataclass(frozen=True)
class Picture:
    """An image and what is marked in it."""

    name: str
    #: Pixels, where the file or the image said so.
    width: int | None
    height: int | None
    id: int | str | None
    #: Nobody has looked at it yet, so that no annotation says nothing.
    unlabelled: bool
    annotations: list[Annotation]

    def boxes(self) -> NDArray[np.float64]:
        """Corners of the boxes as the image leaves them, n x 4; those of which nothing is left are left out."""
        found = [one.clipped for one in self.annotations if one.clipped is not None]
        return np.array(found, dtype=np.float64).reshape(-1, 4)


@dataclass(frozen=True)
class Written:
    """The files written, and losses that the format cannot express, counted by cause."""

    files: int
    bytes: int
    losses: dict[str, int]


class LabelSet(Sequence[Picture]):
    """The labels of a set of images. Made by :func:`forebay.labels.read`.

    It is a sequence of images. Anything that takes Arrow's C interface takes it as a table with a row for each annotation.

    >>> labels = forebay.labels.read("instances.json")
    >>> labels[0].name, labels[0].annotations[0].box, labels[0].boxes().shape
    ('a.jpg', (1.0, 2.0, 4.0, 6.0), (1, 4))
    """

    def __init__(self, path: str, core: _forebay.LabelSet) -> None:
        self._path = path
        self._core = core
        self._classes = [Class(**one) for one in json.loads(core.classes())]

    @property
    def name(self) -> str:
        """The path as it was given."""
        return self._path

    @property
    def format(self) -> str:
        """The format that was read, such as ``coco``."""
        return self._core.format()

    @property
    def classes(self) -> list[Class]:
        """The classes by number."""
        return list(self._classes)

    @property
    def annotations(self) -> int:
        """How many annotations there are."""
        return self._core.annotations()

    @property
    def notes(self) -> dict[str, int]:
        """Remarks of reading that are not faults, counted by cause."""
        found: dict[str, int] = json.loads(self._core.notes())
        return found

    @property
    def names(self) -> list[str]:
        """The names of the images."""
        return self._core.names()

    def __len__(self) -> int:
        return len(self._core)

    @overload
    def __getitem__(self, key: int) -> Picture: ...
    @overload
    def __getitem__(self, key: slice) -> list[Picture]: ...
    def __getitem__(self, key: int | slice) -> Picture | list[Picture]:
        if isinstance(key, slice):
            return [self._picture(i) for i in range(*key.indices(len(self)))]
        return self._picture(key + len(self) if key < 0 else key)

    def __iter__(self) -> Iterator[Picture]:
        return (self._picture(i) for i in range(len(self)))

    def _picture(self, i: int) -> Picture:
        # A number below 0 is none that the library knows.
        found = json.loads(self._core.picture(i if i >= 0 else len(self)))
        return Picture(**{**found, "annotations": [self._annotation(one) for one in found["annotations"]]})

    def _annotation(self, one: dict[str, Any]) -> Annotation:
        cls = one.pop("class")
        one["box"] = tuple(one["box"])
        one["clipped"] = None if one["clipped"] is None else tuple(one["clipped"])
        one["flags"] = tuple(one["flags"])
        one["keypoints"] = tuple(tuple(point) for point in one["keypoints"])
        return Annotation(cls=cls, label=None if cls is None else self._classes[cls].name, **one)

    def find(self, name: str) -> Picture | None:
        """The first image of this name."""
        return next((self._picture(i) for i, known in enumerate(self.names) if known == name), None)

    def stats(self) -> dict[str, Any]:
        """Counts of images, annotations and classes."""
        found: dict[str, Any] = json.loads(self._core.stats())
        return found

    def write(self, path: PathLike, *, to: str, force: bool = False) -> Written:
        """Writes them in a format: a file, or a folder, which must not be there yet, where it has a file an image.

        Losses are counted.
        """
        return Written(**json.loads(self._core.write(os.fspath(path), to, force)))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.arrow_stream()

    def to_arrow(self) -> Any:
        """A row for each annotation as a ``pyarrow.Table``; needs pyarrow."""
        import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return pyarrow.RecordBatchReader.from_stream(self).read_all()

    def __repr__(self) -> str:
        return f"<forebay.labels.LabelSet {self._path}: {self.format}, {len(self):,} images, {self.annotations:,} annotations>"

    def _repr_html_(self) -> str:
        from ._html import labels

        return labels(self)


def _options(
    format: str | None = None,
    pictures: PathLike | None = None,
    voc_base: Literal[0, 1] | None = None,
    task: Literal["box", "obb", "segment"] | None = None,
    scores: bool = False,
    between: Literal["interpolate", "refuse", "listed"] | None = None,
    pick: Literal["first", "last", "all"] | None = None,
    exif: Literal["apply", "ignore", "refuse"] | None = None,
    names: Literal["whole", "last"] | None = None,
    classes: Sequence[str] | PathLike | None = None,
    image_key: str | None = None,
    boxes: str | None = None,
    project: PathLike | None = None,
) -> str:
    options = keywords(locals())
    if classes is not None and not isinstance(classes, (str, os.PathLike)):
        options["classes"] = [*classes]
    return settings_text(options)


def read(path: PathLike, **options: Any) -> LabelSet:
    """Reads a label file, or a folder of them. The content decides the format.

    Options decide what a file leaves open; if one is needed, the error names it: ``format``, ``pictures`` (the
    folder that they are in), ``voc_base`` (0 or 1), ``task`` (``box``, ``obb``, ``segment``), ``scores``, ``between``
    (``interpolate``, ``refuse``, ``listed``), ``pick`` (``first``, ``last``, ``all``), ``exif`` (``apply``, ``ignore``,
    ``refuse``), ``names`` (``whole``, ``last``), ``classes`` (names, or a file of them), ``image_key``,
    ``boxes`` (which field of samples' metadata has boxes, and what four numbers mean: ``json.boxes:xywh``).
    ``project`` is a file that numbers the classes: a project, a COCO file, a ``data.yaml``, or a list of names.
    """
    return LabelSet(os.fspath(path), _forebay.LabelSet.read(os.fspath(path), _options(**options)))


def stats(path: PathLike, **options: Any) -> dict[str, Any]:
    """Counts of images, annotations and classes. Annotations of a COCO file are counted as they come, and not held."""
    found: dict[str, Any] = json.loads(_forebay.labels_stats(os.fspath(path), _options(**options)))
    return found


def check(path: PathLike, **options: Any) -> Report:
    """Whether a label file is sound: its first fault, with line and place."""
    return Report._of(json.loads(_forebay.labels_check(os.fspath(path), _options(**options))))


def convert(path: PathLike, output: PathLike, *, to: str, force: bool = False, **options: Any) -> Written:
    """Reads labels and writes them in another format: :func:`read` and :meth:`LabelSet.write`."""
    return read(path, **options).write(output, to=to, force=force)
