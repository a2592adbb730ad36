"""Datasets of samples."""

from __future__ import annotations

import json
import os
from typing import IO, TYPE_CHECKING, Any, Iterator, Literal, NamedTuple, Sequence, overload

import numpy as np

from . import _forebay
from ._convert import PathLike, check
from ._progress import Progress
from ._report import Report

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Dataset", "Sample", "SampleInfo", "open_samples"]


class SampleInfo(NamedTuple):
    """What an index says of a sample, without reading it. A width and height of 0 are not known."""

    format: str
    width: int
    height: int
    #: Bytes of the payload once decompressed.
    bytes: int
    #: Bytes of the payload in the file.
    stored_bytes: int
    #: Where the payload begins in the file.
    offset: int
    #: How it is stored: ``none``, ``lz4`` or ``zstd``.
    codec: str


class Sample:
    """One sample of a dataset. What is asked of it is read when it is asked."""

    __slots__ = ("dataset", "index")

    def __init__(self, dataset: Dataset, index: int) -> None:
        #: The dataset that it is from.
        self.dataset = dataset
        #: Its number in the file.
        self.index = index

    @property
    def info(self) -> SampleInfo:
        """Format, size and place, from the index."""
        return SampleInfo(*self.dataset._core().info(self.index))

    @property
    def payload(self) -> memoryview:
        """The stored bytes, verified and decompressed: a read-only buffer, without a copy of a mapped file."""
        return np.asarray(self.dataset._core().payload(self.index)).data

    @property
    def name(self) -> str | None:
        """The file name, where it has one."""
        return self.dataset._core().sample_name(self.index)

    @property
    def metadata(self) -> Any:
        """The metadata as Python's dicts, lists and values; ``None`` where it has none."""
        text = self.dataset._core().metadata(self.index)
        return None if text is None else json.loads(text)

    def image(self, *, orient: bool = False, damaged: bool = False) -> NDArray[np.uint8]:
        """The picture as an RGB array: height x width x 3.

        ``orient`` turns it as its EXIF orientation says; ``damaged`` takes what can be had of a damaged JPEG.
        """
        return np.asarray(self.dataset._core().image(self.index, orient, damaged))

    def __repr__(self) -> str:
        info = self.info
        size = f", {info.width} x {info.height}" if info.width else ""
        return f"<forebay.Sample {self.index} of {self.dataset.name}: {info.format}{size}, {info.bytes:,} bytes>"

    def _repr_html_(self) -> str:
        from ._html import sample

        return sample(self)


class Dataset(Sequence[Sample]):
    """Samples of a TBL, a TAR or a folder, or some of them. Made by :func:`forebay.open`.

    It is a sequence: ``len(ds)``, ``ds[17]``, ``ds[10:20]``, ``ds[[3, 1, 2]]``. Any number of threads may read it. It
    pickles as its path with what tells the file from another, and is opened anew where it is unpickled.
    """

    def __init__(self, source: Any, options: dict[str, Any], chosen: NDArray[np.uint64] | None = None) -> None:
        self._source = source
        self._options = options
        self._chosen = chosen
        self._opened: _forebay.Dataset | None = None
        self._stamp: tuple[int, int] | None = None
        self._core()

    def _core(self) -> _forebay.Dataset:
        """The open file: opened when it is first asked for, in this process."""
        if self._opened is None:
            if isinstance(self._source, bytes):
                self._opened = _forebay.Dataset.from_bytes("<bytes>", self._source)
            else:
                self._opened = _forebay.Dataset.open(self._source, json.dumps(self._options))
            found = (len(self._opened), self._opened.file_bytes())
            if self._stamp is not None and self._stamp != found:
                from ._errors import UsageError

                message = f"{self._opened.name()} has changed since the dataset was pickled"
                raise UsageError("usage.argument", "usage", message)
            self._stamp = found
        return self._opened

    @property
    def name(self) -> str:
        """The path as it was given."""
        return self._core().name()

    @property
    def format(self) -> str:
        """``tbl``, ``tar`` or ``folder``."""
        return self._core().format()

    @property
    def file_bytes(self) -> int:
        """Bytes on disk."""
        return self._core().file_bytes()

    @property
    def notes(self) -> list[str]:
        """What is worth knowing of the file as a whole."""
        return self._core().notes()

    @property
    def damage(self) -> Exception | None:
        """What stopped the reading of a damaged archive that was opened with ``keep_going``."""
        return self._core().damage()

    @property
    def metadata(self) -> dict[str, Any]:
        """The document beside the samples; empty where there is none."""
        found: dict[str, Any] = json.loads(self._core().document())
        return found

    @property
    def indices(self) -> NDArray[np.uint64]:
        """The samples' numbers in the file."""
        return np.arange(len(self._core()), dtype=np.uint64) if self._chosen is None else self._chosen

    def __len__(self) -> int:
        return len(self._core()) if self._chosen is None else len(self._chosen)

    @overload
    def __getitem__(self, key: int) -> Sample: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int] | NDArray[Any]) -> Dataset: ...
    def __getitem__(self, key: int | slice | Sequence[int] | NDArray[Any]) -> Sample | Dataset:
        if isinstance(key, slice):
            return self._with(self.indices[key])
        if isinstance(key, (int, np.integer)):
            return Sample(self, self._number(int(key)))
        wanted = np.asarray(key)
        if wanted.size == 0:
            wanted = wanted.astype(np.int64)
        return self._with(self.indices[wanted])

    def _number(self, i: int) -> int:
        n = len(self)
        at = i + n if i < 0 else i
        if not 0 <= at < n:
            from ._errors import OutOfRangeError

            message = f"there is no sample {i}: there are {n}"
            raise OutOfRangeError("usage.out_of_range", "usage", message, place={"file": self.name})
        return at if self._chosen is None else int(self._chosen[at])

    def __iter__(self) -> Iterator[Sample]:
        for i in range(len(self)):
            yield Sample(self, self._number(i))

    def _with(self, chosen: NDArray[np.uint64]) -> Dataset:
        chosen = np.ascontiguousarray(chosen, dtype=np.uint64)
        chosen.flags.writeable = False
        view = Dataset.__new__(Dataset)
        view.__dict__.update(self.__dict__, _chosen=chosen)
        return view

    def info(self, i: int) -> SampleInfo:
        """What the index says of sample ``i``."""
        return self[i].info

    def where(self, filter: str) -> Dataset:
        """The samples that a filter accepts, such as ``width >= 224 && json.label == 'boat'``.

        A field that no sample has is an error. What the filter does not ask for is not read.
        """
        found: NDArray[np.uint64] = np.asarray(self._core().matching(filter))
        if self._chosen is not None:
            found = self._chosen[np.isin(self._chosen, found)]
        return self._with(found)

    def stats(self, *, label: str | None = None) -> dict[str, Any]:
        """Sizes, shapes, formats and classes, as the command reports them with ``--json``.

        ``label`` is the metadata field that holds the class; without it ``class``, else ``cls``.
        """
        chosen = None if self._chosen is None else self._chosen.tolist()
        found: dict[str, Any] = json.loads(self._core().stats(chosen, label))
        return found

    def check(self, *, decode: bool = False, workers: int | None = None, progress: Progress = False) -> Report:
        """Looks for every fault of the file, as :func:`forebay.check` does."""
        return check(self.name, decode=decode, workers=workers, progress=progress)

    def __getstate__(self) -> dict[str, Any]:
        self._core()
        return {**self.__dict__, "_opened": None}

    def __repr__(self) -> str:
        some = "" if self._chosen is None else f" of {len(self._core()):,}"
        return f"<forebay.Dataset {self.name}: {self.format}, {len(self):,}{some} samples>"

    def _repr_html_(self) -> str:
        from ._html import dataset

        return dataset(self)


def open_samples(
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
    options = {"io": io, "keep_going": keep_going, "class_level": class_level}
    if isinstance(source, (str, os.PathLike)):
        return Dataset(os.fspath(source), options)
    return Dataset(source if isinstance(source, bytes) else source.read(), options)
