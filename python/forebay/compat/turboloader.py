"""The API of the TBL format guide, and of the package ``turboloader`` where the guide is silent.

A user changes one import: ``from forebay.compat import turboloader``. Differences:

* ``DataLoader`` gives a list of dicts a batch, samples in stored order, at their own sizes. Tensors, shuffles and labels
  are :class:`forebay.Loader`'s.
* ``filter_fn`` is asked once for every sample, over the index, when the loader is made. ``where=`` takes a filter of
  Forebay's language and asks no Python.
* ``TblWriterV2.add_metadata`` takes the metadata of the sample that was added last.
* ``get_metadata()["samples"]`` has the record of every sample, whose class is ``cls`` where a TAR's file of that name gave it.
* A damaged payload is a ``CRCMismatchError``, which is a :class:`forebay.DamagedError`.
"""

from __future__ import annotations

import enum
import json
import operator
import os
import time
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Iterator, Mapping

from .._convert import PathLike
from .._convert import convert as _convert
from .._dataset import Dataset, open_samples
from .._errors import DamagedError, UsageError
from .._writer import TblWriter

__all__ = [
    "CRCMismatchError",
    "DataLoader",
    "MetadataType",
    "Pipeline",
    "SampleFormat",
    "TblReaderV2",
    "TblWriterV2",
    "convert_tar_to_tbl",
]


class CRCMismatchError(DamagedError):
    """A payload is not what its checksum says."""


def _told(e: DamagedError) -> DamagedError:
    """A checksum that does not match, by the guide's name."""
    return CRCMismatchError(e.code, e.kind, e.message, str(e), e.place, e.options) if e.code.endswith("_crc") else e


class SampleFormat(enum.IntEnum):
    """The formats of payloads, by the numbers of TBL v2."""

    UNKNOWN = 0
    JPEG = 1
    PNG = 2
    WEBP = 3
    BMP = 4
    TIFF = 5
    MP4 = 6
    AVI = 7
    RAW_U8 = 8


class MetadataType(enum.Enum):
    """The formats of metadata. This writer takes JSON."""

    JSON = "json"
    MSGPACK = "msgpack"
    PROTOBUF = "protobuf"


class _Count(int):
    """A number that the guide reads and the package calls."""

    def __call__(self) -> int:
        return int(self)


def convert_tar_to_tbl(
    input: PathLike,
    output: PathLike,
    compression: str = "lz4",
    workers: int = 8,
    progress_callback: Callable[[int, int, float], object] | None = None,
    metadata: Mapping[str, Any] | bytes | None = None,
    metadata_format: str = "json",
    *,
    force: bool = True,
) -> dict[str, Any]:
    """Converts a TAR, as the guide's function of this name: an output that exists is replaced, unless ``force`` is off.

    ``metadata`` is a document next to the samples; its ``samples``, if it has some, are the samples' own.
    """
    started = time.monotonic()

    def tell(done: int, total: int) -> None:
        if progress_callback is not None:
            progress_callback(done, total, done / max(time.monotonic() - started, 1e-9))

    made = _convert(
        input,
        output,
        compression=compression,
        workers=workers,
        metadata=metadata,
        metadata_format=metadata_format,  # type: ignore[arg-type]
        force=force,
        progress=tell if progress_callback is not None else False,
    )
    return made.details


class TblReaderV2:
    """Reads a TBL sample by sample."""

    def __init__(self, path: PathLike, verify_checksums: bool = True) -> None:
        if not verify_checksums:
            raise UsageError("usage.argument", "usage", "payloads are always held against their checksums here")
        self._ds = open_samples(path)

    @property
    def num_samples(self) -> _Count:
        """How many samples there are."""
        return _Count(len(self._ds))

    def __len__(self) -> int:
        return len(self._ds)

    def read_sample(self, index: int) -> bytes:
        """A payload, verified."""
        try:
            return bytes(self._ds[index].payload)
        except DamagedError as e:
            raise _told(e) from e

    def read_metadata(self, index: int) -> tuple[str, MetadataType]:
        """A sample's metadata as JSON text."""
        return json.dumps(self._ds[index].metadata), MetadataType.JSON

    def get_format(self, index: int) -> SampleFormat:
        """The format of a payload."""
        return SampleFormat[self._ds[index].info.format.upper()]

    def get_width(self, index: int) -> int:
        """Pixels across."""
        return self._ds[index].info.width

    def get_height(self, index: int) -> int:
        """Pixels down."""
        return self._ds[index].info.height

    def get_sample_info(self, index: int) -> dict[str, Any]:
        """All that the index says."""
        info = self._ds[index].info._asdict()
        return {"index": index, **info, "size": info["stored_bytes"], "uncompressed_size": info["bytes"]}

    def is_compressed(self) -> bool:
        """Whether any payload is compressed."""
        return any(sample.info.codec != "none" for sample in self._ds)

    def filter_by_dimensions(
        self, min_width: int = 0, min_height: int = 0, max_width: int = 0, max_height: int = 0
    ) -> list[int]:
        """The samples of these sizes; 0 means no limit, and samples of unknown size are left out."""
        wanted = ["width > 0", "height > 0", f"width >= {int(min_width)}", f"height >= {int(min_height)}"]
        wanted += [f"width <= {int(max_width)}"] if max_width else []
        wanted += [f"height <= {int(max_height)}"] if max_height else []
        return [int(i) for i in self._ds.where(" && ".join(wanted)).indices]

    def filter_by_format(self, format: SampleFormat | str) -> list[int]:
        """The samples of this format."""
        known = SampleFormat.__members__
        name = format.upper() if isinstance(format, str) else SampleFormat(format).name
        if name not in known:
            raise UsageError("usage.argument", "usage", f"a format is one of {', '.join(known)}, not {format!r}")
        return [i for i, sample in enumerate(self._ds) if sample.info.format == name.lower()]

    def get_metadata(self) -> dict[str, Any]:
        """The file's document, with the records of its samples."""
        return _document(self._ds)


class TblWriterV2:
    """Writes a TBL."""

    def __init__(
        self,
        path: PathLike,
        enable_compression: bool = True,
        compression: str | None = None,
        level: int | None = None,
    ) -> None:
        codec = compression or ("lz4" if enable_compression else "none")
        self._compressed = codec != "none"
        self._writer = TblWriter(path, compression=codec, level=level, force=True)  # type: ignore[arg-type]
        self._last: tuple[bytes, tuple[int, int] | None, str | None] | None = None
        self._samples = 0

    def add_sample(self, data: bytes, format: Any = None, width: int = 0, height: int = 0) -> int:
        """Adds a payload and returns its number. Its format and size are read from its bytes, except for raw pixels."""
        self._flush()
        named = getattr(format, "name", format)
        raw = named in ("RAW_U8", "raw_u8", 8, SampleFormat.RAW_U8)
        self._last = (bytes(data), (width, height) if raw else None, None)
        self._samples += 1
        return self._samples - 1

    def add_metadata(self, sample_index: int, metadata: str | bytes, type: MetadataType = MetadataType.JSON) -> None:
        """The metadata of the sample that was added last."""
        if type is not MetadataType.JSON:
            raise UsageError("usage.argument", "usage", "metadata is JSON here")
        if self._last is None and self._samples and sample_index == self._samples - 1:
            raise UsageError("usage.argument", "usage", f"sample {sample_index} is written already, with its metadata")
        if self._last is None or sample_index != self._samples - 1:
            message = f"metadata is taken of the sample that was added last, {self._samples - 1}, not of {sample_index}"
            raise UsageError("usage.argument", "usage", message)
        text = metadata if isinstance(metadata, str) else metadata.decode()
        json.loads(text, parse_constant=_no_number, parse_float=_number)
        self._last = (*self._last[:2], text)

    def _count(self) -> None:
        """Writes the last sample if its metadata is there; one whose metadata may still come is not counted yet."""
        if self._last is not None and self._last[2] is not None:
            self._flush()

    def _flush(self) -> None:
        if self._last is not None:
            payload, raw, record = self._last
            self._last = None
            self._writer._core.add(payload, raw, None, record)

    def num_samples(self) -> int:
        """Samples so far."""
        return self._samples

    def is_compression_enabled(self) -> bool:
        """Whether payloads are compressed."""
        return self._compressed

    def compression_ratio(self) -> float:
        """Payload bytes over stored bytes, without a last sample that has no metadata yet."""
        self._count()
        stored = self._writer.stored_bytes
        return self._writer.payload_bytes / stored if stored else 1.0

    def space_saved_mb(self) -> float:
        """How much compression saved, in megabytes, without a last sample that has no metadata yet."""
        self._count()
        return (self._writer.payload_bytes - self._writer.stored_bytes) / 1e6

    def finalize(self) -> None:
        """Puts the file in place."""
        self._flush()
        self._writer.finish()

    def __enter__(self) -> TblWriterV2:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._writer._done:
            return
        if kind is None:
            self.finalize()
        else:
            self._writer.abandon()


def _no_number(word: str) -> float:
    raise UsageError("usage.argument", "usage", f"{word} is no number of JSON: metadata with it is readable to nobody else")


def _number(text: str) -> float:
    found = float(text)
    return _no_number(text) if found in (float("inf"), float("-inf")) else found


class DataLoader:
    """Batches as lists of dicts: ``image`` (height x width x 3, uint8), ``width``, ``height``, ``index``, ``name``,
    ``format``, ``metadata``."""

    def __init__(
        self,
        path: PathLike,
        batch_size: int = 32,
        num_workers: int = 4,
        filter_fn: Callable[[dict[str, Any]], bool] | None = None,
        worker_id: int | None = None,
        *,
        where: str | None = None,
    ) -> None:
        batch_size, num_workers = operator.index(batch_size), operator.index(num_workers)
        if batch_size < 1 or num_workers < 1:
            raise UsageError("usage.argument", "usage", "batch_size and num_workers are at least 1")
        ds: Dataset = open_samples(path)
        if where is not None:
            ds = ds.where(where)
        if filter_fn is not None:
            ds = ds[[k for k, sample in enumerate(ds) if filter_fn(_known(sample))]]
        if worker_id is not None:
            if not 0 <= worker_id < num_workers:
                raise UsageError("usage.argument", "usage", f"there is no worker {worker_id} of {num_workers}")
            ds = ds[worker_id::num_workers]
        self._ds = ds
        self._batch = batch_size
        # With a worker_id this process is one of the workers.
        self._threads = num_workers if worker_id is None else min(os.cpu_count() or 1, num_workers)

    def __len__(self) -> int:
        return -(-len(self._ds) // self._batch)

    @property
    def num_samples(self) -> _Count:
        """Samples of this loader."""
        return _Count(len(self._ds))

    def get_metadata(self) -> dict[str, Any]:
        """The dataset's document, with the records of its samples."""
        return _document(self._ds)

    def __iter__(self) -> Iterator[list[dict[str, Any]]]:
        batch: list[dict[str, Any]] = []
        for sample in self._samples():
            batch.append(sample)
            if len(batch) == self._batch:
                yield batch
                batch = []
        if batch:
            yield batch

    def _samples(self) -> Iterator[dict[str, Any]]:
        """In order."""
        for decoded in self._decoding():
            yield decoded.result()

    def _decoding(self) -> Iterator[Future[dict[str, Any]]]:
        """In order, decoded ahead on threads, of which each works without Python's lock."""
        ahead: deque[Future[dict[str, Any]]] = deque()
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                for sample in self._ds:
                    ahead.append(pool.submit(_decoded, sample))
                    if len(ahead) > 2 * self._threads + self._batch:
                        yield ahead.popleft()
                while ahead:
                    yield ahead.popleft()
            finally:
                for waiting in ahead:
                    waiting.cancel()


def _document(ds: Dataset) -> dict[str, Any]:
    return {**ds.metadata, "samples": [sample.metadata for sample in ds]}


def _known(sample: Any) -> dict[str, Any]:
    info = sample.info
    known = {"index": sample.index, "width": info.width, "height": info.height, "format": info.format}
    return {**known, "bytes": info.bytes, "stored_bytes": info.stored_bytes}


def _decoded(sample: Any) -> dict[str, Any]:
    try:
        image = sample.image()
    except DamagedError as e:
        raise _told(e) from e
    height, width = image.shape[:2]
    known = {"index": sample.index, "image": image, "width": width, "height": height}
    return {**known, "name": sample.name, "format": sample.info.format, "metadata": sample.metadata}


class Pipeline:
    """Samples in numbers that the caller chooses: ``start()``, ``next_batch(n)`` until it is empty, ``stop()``."""

    def __init__(self, path: PathLike, num_workers: int = 4, **options: Any) -> None:
        self._loader = DataLoader(path, 1, num_workers, **options)
        self._at: Iterator[Future[dict[str, Any]]] | None = None
        # Samples in front of a broken one, which the next call gives.
        self._kept: list[dict[str, Any]] = []
        #: ``idle``, ``running`` or ``stopped``.
        self.state = "idle"

    def start(self) -> None:
        """Begins at the first sample, or goes on where :meth:`stop` was not called."""
        if self._at is None:
            self._at = self._loader._decoding()
        self.state = "running"

    def next_batch(self, n: int) -> list[dict[str, Any]]:
        """The next ``n`` samples, fewer at the end of the epoch, then none. A broken sample is raised once, and what comes
        after it is given next."""
        if self.state != "running" or self._at is None:
            raise UsageError("loader.stopped", "usage", "a stopped pipeline was asked for a batch; start it first")
        if n < 1:
            raise UsageError("usage.argument", "usage", f"a batch has at least 1 sample, not {n}")
        found = self._kept
        while len(found) < n:
            decoded = next(self._at, None)
            if decoded is None:
                break
            found.append(decoded.result())
        self._kept = found[n:]
        return found[:n]

    def stop(self) -> None:
        """Ends the threads."""
        self._end()
        self.state = "stopped"

    def reset(self) -> None:
        """Back to the first sample."""
        self._end()
        self.state = "idle"

    def _end(self) -> None:
        if self._at is not None:
            self._at.close()  # type: ignore[attr-defined]
        self._at, self._kept = None, []
