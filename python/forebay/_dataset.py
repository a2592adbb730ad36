"""Datasets of samples."""

from __future__ import annotations

import json
import operator
import os
from typing import IO, TYPE_CHECKING, Any, Callable, Iterator, Literal, NamedTuple, Sequence, overload

import numpy as np

from . import _forebay
from ._convert import PathLike, check
from ._files import Ranges, is_url, name_of, open_url, read_all, unsigned
from ._progress import Progress
from ._records import Records, WebSamples
from ._report import Report

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._several import Extracted

__all__ = ["Dataset", "Sample", "SampleInfo", "open_samples"]


class SampleInfo(NamedTuple):
    """The index entry of a sample. A width and height of 0 are unknown."""

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
    """One sample of a dataset. Each property is read on request."""

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
        """The image as an RGB array: height x width x 3.

        ``orient`` turns it as its EXIF orientation says; ``damaged`` takes what can be had of a damaged JPEG.

        >>> forebay.open("train.tbl")[0].image().shape
        (40, 48, 3)
        """
        if self.dataset.manifest is not None:
            return self.dataset._picture(self.index)
        return np.asarray(self.dataset._core().image(self.index, orient, damaged))

    def tensor(self) -> NDArray[Any]:
        """Of a tensor warehouse: the image as it is stored, 3 x height x width, read-only."""
        return self.dataset._tensor(self.index)

    def boxes(self) -> NDArray[np.float32]:
        """Of a tensor warehouse: corners of the boxes, n x 4, from 0 to 1 of the stored image."""
        found = [one["box"] for one in self.metadata["boxes"]] if self.dataset._shape() else []
        return np.array(found, dtype=np.float32).reshape(-1, 4)

    def __eq__(self, other: object) -> bool:
        """The same number in the same file, opened in the same way."""
        if not isinstance(other, Sample):
            return NotImplemented
        a, b = self.dataset, other.dataset
        return self.index == other.index and a._source == b._source and a._options == b._options

    def __hash__(self) -> int:
        return hash(self.index)

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
    pickles as its path with the file's identity, and is opened again when it is unpickled.

    >>> ds = forebay.open("train.tbl")
    >>> [sample.metadata["cls"] for sample in ds[2:6]]
    [2, 3, 0, 1]
    """

    def __init__(self, source: Any, options: dict[str, Any], chosen: NDArray[np.uint64] | None = None) -> None:
        self._source = source
        self._options = options
        self._chosen = chosen
        self._opened: _forebay.Dataset | None = None
        # What fsspec opens does not outlive a fork.
        self._process = os.getpid()
        self._stamp: tuple[int, int] | None = None
        self._facts: dict[str, Any] | None = None
        self._core()

    def _core(self) -> _forebay.Dataset:
        """The open file: opened when it is first asked for, in this process."""
        if self._opened is None or self._process != os.getpid() and is_url(self._source):
            self._process = os.getpid()
            if isinstance(self._source, bytes):
                self._opened = _forebay.Dataset.from_bytes("<bytes>", self._source)
            elif isinstance(self._source, Ranges) or is_url(self._source):
                ranges = Ranges(open_url(self._source)) if is_url(self._source) else self._source
                name = self._source if is_url(self._source) else name_of(ranges._file)
                keep_going = bool(self._options.get("keep_going"))
                self._opened = _forebay.Dataset.from_ranges(name, ranges, ranges.length, keep_going)
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
        """``tbl``, ``tar``, ``folder`` or ``warehouse``."""
        return self._core().format()

    def _facts_of_warehouse(self) -> dict[str, Any]:
        if self._facts is None:
            text = self._core().warehouse()
            self._facts = {} if text is None else json.loads(text)
        return self._facts

    @property
    def manifest(self) -> dict[str, Any] | None:
        """The manifest of a tensor warehouse; ``None`` of everything else."""
        return self._facts_of_warehouse().get("manifest")

    def _shape(self) -> dict[str, Any]:
        shape: dict[str, Any] | None = self._facts_of_warehouse().get("shape")
        if shape is None:
            from ._errors import UsageError

            message = "tensors and boxes are of a tensor warehouse, and this is not one"
            raise UsageError("usage.argument", "usage", message, place={"file": self.name})
        return shape

    def _tensor(self, i: int) -> NDArray[Any]:
        shape = self._shape()
        order = ">" if shape["big_endian"] else "<"
        kind = {"f32": order + "f4", "f16": order + "f2", "u8": "|u1"}[shape["dtype"]]
        flat = np.asarray(self._core().payload(i)).view(kind)
        return flat.reshape(3, shape["height"], shape["width"])

    def _picture(self, i: int) -> NDArray[np.uint8]:
        planes = self._tensor(i)
        if planes.dtype != np.uint8:
            planes = np.clip(np.rint(planes.astype(np.float32) * 255), 0, 255).astype(np.uint8)
        return np.ascontiguousarray(planes.transpose(1, 2, 0))

    def tensor(self, i: int) -> NDArray[Any]:
        """Image ``i`` of a tensor warehouse as it is stored, 3 x height x width, read-only."""
        return self[i].tensor()

    def boxes(self, i: int) -> NDArray[np.float32]:
        """Corners of the boxes of image ``i`` of a tensor warehouse, n x 4, from 0 to 1 of the stored image."""
        return self[i].boxes()

    def frame_ids(self) -> list[int | None]:
        """Numbers of the frames of a tensor warehouse; ``None`` where it does not know one."""
        self._shape()
        return [sample.metadata.get("frame_id") for sample in self]

    @property
    def file_bytes(self) -> int:
        """Bytes on disk."""
        return self._core().file_bytes()

    @property
    def notes(self) -> list[str]:
        """Remarks about the file as a whole."""
        return self._core().notes()

    @property
    def damage(self) -> Exception | None:
        """The first fault of an archive or a warehouse that was opened with ``keep_going``."""
        return self._core().damage()

    @property
    def metadata(self) -> dict[str, Any]:
        """The document next to the samples; empty if there is no document."""
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
        # A tensor or an array of several numbers has an index too, if it is one.
        if hasattr(key, "__index__") and np.ndim(key) == 0:
            return Sample(self, self._number(operator.index(key)))
        wanted = np.asarray(key)
        if wanted.ndim > 1:
            raise IndexError(f"samples are chosen by a list of their numbers, and not by {wanted.ndim} dimensions of them")
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
        """The index entry of sample ``i``."""
        return self[i].info

    def where(self, filter: str) -> Dataset:
        """The samples that a filter accepts, such as ``width >= 224 && json.label == 'boat'``.

        A field that no sample has is an error. Only the fields of the filter are read.

        >>> forebay.open("train.tbl").where("width >= 40 && cls == 2").indices.tolist()
        [2, 6, 10, 14]
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
        return check(self._path(), decode=decode, workers=workers, progress=progress)

    def _path(self) -> str:
        """The path, for work that opens the file itself."""
        if isinstance(self._source, str) and not is_url(self._source):
            return self._source
        from ._errors import UnsupportedError

        message = "this is done with files of this machine, and not yet with file objects and addresses"
        raise UnsupportedError("usage.argument", "unsupported", message, place={"file": self.name})

    def extract(self, folder: PathLike, *, force: bool = False, progress: Progress = False) -> Extracted:
        """Writes these samples with their sidecars into a folder; see :func:`forebay.extract`."""
        from ._several import extract

        chosen = None if self._chosen is None else self._chosen.tolist()
        return extract(self._path(), folder, indices=chosen, force=force, progress=progress)

    def records(
        self,
        *,
        label: str | None = None,
        image: bool = True,
        transform: Callable[[dict[str, Any]], Any] | None = None,
    ) -> Records:
        """These samples as dicts by number: ``index``, ``image`` (or ``payload``), and ``label``, a metadata field, or all the
        ``metadata``. It is what grain takes as a ``RandomAccessDataSource``, and PyTorch as a map-style dataset."""
        return Records(self, label, image, transform)

    def to_webdataset(self) -> WebSamples:
        """These samples as WebDataset's pipelines pass them on: dicts of bytes by extension, with ``__key__``.

        It is the first stage of a pipeline, to be followed by ``wds.split_by_node``, ``wds.split_by_worker``, ``wds.decode``.
        """
        return WebSamples(self)

    def to_hf(self, *, label: str | None = None, streaming: bool = False) -> Any:
        """These samples as a Hugging Face dataset: ``image``, ``width``, ``height``, ``metadata`` as JSON text, and ``label``, the
        metadata field under this path, such as ``cls`` or ``json.label``: of all samples of one kind. ``streaming`` makes one that reads as it goes; the other is written into the
        cache of `datasets`."""
        from ._hf import to_hf

        return to_hf(self, label=label, streaming=streaming)

    def __getstate__(self) -> dict[str, Any]:
        if isinstance(self._source, Ranges):
            raise TypeError("a dataset over a file object cannot be pickled; one over a path or an address can")
        unsigned([self._source])
        self._core()
        return {**self.__dict__, "_opened": None}

    def __repr__(self) -> str:
        some = "" if self._chosen is None else f" of {len(self._core()):,}"
        return f"<forebay.Dataset {self.name}: {self.format}, {len(self):,}{some} samples>"

    def _repr_html_(self) -> str:
        from ._html import dataset

        return dataset(self)


def open_samples(
    source: PathLike | bytes | bytearray | memoryview | IO[bytes],
    *,
    io: Literal["read", "map"] | None = None,
    keep_going: bool = False,
    class_level: int | None = None,
) -> Dataset:
    """Opens a TBL, a TAR, a folder of images or a tensor warehouse: a path, an address such as ``s3://bucket/train.tbl``,
    the file's bytes, a file object that seeks, or an address of another kind, which fsspec opens. Of all but bytes only the
    parts that are needed are read.

    ``io="map"`` maps the file: payloads come without a copy, and a disk that fails ends the process without a word.
    ``keep_going`` passes over what is damaged in a TAR. ``class_level`` says at which level of a folder the
    classes are, from 1; 0 for none.
    """
    options = {"io": io, "keep_going": keep_going, "class_level": class_level}
    if isinstance(source, (str, os.PathLike)):
        return Dataset(os.fspath(source), options)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Dataset(bytes(source), options)
    if io is not None:
        from ._errors import UsageError

        raise UsageError("usage.argument", "usage", "`io` is for files of this machine")
    seeks = getattr(source, "seekable", None)
    return Dataset(Ranges(source) if seeks is not None and seeks() else read_all(source), options)
