"""Hugging Face datasets, to and from. The package `datasets` is imported when it is needed."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from ._convert import PathLike
from ._errors import UnsupportedError, UsageError
from ._files import open_url
from ._records import field_of
from ._writer import TblWriter

if TYPE_CHECKING:
    from ._dataset import Dataset

__all__ = ["from_hf", "to_hf"]


def _datasets() -> Any:
    try:
        import datasets  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as e:
        message = "this needs Hugging Face datasets: pip install datasets"
        raise UnsupportedError("usage.argument", "unsupported", message) from e
    return datasets


def _rows(dataset: Dataset, chosen: list[int] | None) -> Iterator[dict[str, Any]]:
    """One row a sample: the file as it is stored, and the metadata as JSON text."""
    for i in range(len(dataset)) if chosen is None else chosen:
        sample = dataset[i]
        info = sample.info
        metadata = sample.metadata
        yield {
            "image": {"bytes": bytes(sample.payload), "path": sample.name},
            "width": info.width or None,
            "height": info.height or None,
            "metadata": None if metadata is None else json.dumps(metadata, ensure_ascii=False),
        }


def _labeled(dataset: Dataset, chosen: list[int] | None, label: str) -> Iterator[dict[str, Any]]:
    for row in _rows(dataset, chosen):
        found = None if row["metadata"] is None else json.loads(row["metadata"])
        yield {**row, "label": field_of(found, label, 0, dataset.name)}


def _kind(dataset: Dataset, label: str) -> Any:
    """The type of all labels, so that none becomes another."""
    import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]

    values = [field_of(sample.metadata, label, sample.index, dataset.name) for sample in dataset]
    try:
        kind = pyarrow.array(values).type
    except (pyarrow.ArrowException, OverflowError) as e:
        message = f"the labels {label} are not all of one kind that datasets has: {e}"
        raise UsageError("usage.argument", "usage", message, place={"file": dataset.name}) from e
    return _datasets().Features.from_arrow_schema(pyarrow.schema({"label": kind}))["label"]


def to_hf(dataset: Dataset, *, label: str | None = None, streaming: bool = False) -> Any:
    """Implements :meth:`forebay.Dataset.to_hf`."""
    datasets = _datasets()
    if dataset.manifest is not None:
        message = "a tensor warehouse holds tensors and no files of images"
        raise UnsupportedError("usage.argument", "unsupported", message, place={"file": dataset.name})
    if any(sample.info.format == "raw_u8" for sample in dataset):
        message = "raw pixels are no files of images; convert without `size`"
        raise UnsupportedError("usage.argument", "unsupported", message, place={"file": dataset.name})
    value = datasets.Value
    columns = {"image": datasets.Image(), "width": value("int32"), "height": value("int32"), "metadata": value("string")}
    if label is not None:
        columns["label"] = _kind(dataset, label)
    arguments: dict[str, Any] = {"dataset": dataset, "chosen": None}
    work = _rows
    if label is not None:
        work, arguments["label"] = _labeled, label  # type: ignore[assignment]
    if not len(dataset) and not streaming:
        # A generator that gives nothing is refused there.
        return datasets.Dataset.from_dict({name: [] for name in columns}, features=datasets.Features(columns))
    if streaming:
        return datasets.IterableDataset.from_generator(work, features=datasets.Features(columns), gen_kwargs=arguments)
    # What was made before of this very file is taken again, and never of another.
    return datasets.Dataset.from_generator(
        work, features=datasets.Features(columns), gen_kwargs=arguments, fingerprint=_fingerprint(dataset, label, columns)
    )


def _fingerprint(dataset: Dataset, label: str | None, columns: dict[str, Any]) -> str:
    known = (dataset.name, dataset.file_bytes, len(dataset), label, columns, sorted(dataset._options.items(), key=str))
    digest = hashlib.sha256(repr(known).encode())
    source = dataset._source
    # A folder, or a list of pictures, does not say when a picture of it was changed.
    if isinstance(source, str) and os.path.isfile(source) and dataset.format in ("tbl", "tar"):
        digest.update(repr((os.path.abspath(source), os.stat(source).st_mtime_ns)).encode())
    else:
        digest.update(os.urandom(16))
    digest.update(dataset.indices.tobytes())
    return digest.hexdigest()


def from_hf(
    dataset: Any,
    path: PathLike,
    *,
    image: str = "image",
    columns: Sequence[str] | None = None,
    **options: Any,
) -> int:
    """Writes a Hugging Face dataset with an image column as a TBL; how many samples it has.

    Files go in as they are stored, not decoded and encoded again. The other columns, or those of ``columns``, become the
    metadata; of a class label its number, and its name as ``<column>_name``. It may be a streaming one. ``options`` are those of
    :class:`forebay.TblWriter`.
    """
    datasets = _datasets()
    if isinstance(dataset, (datasets.DatasetDict, datasets.IterableDatasetDict)):
        message = f"this has the splits {', '.join(map(str, dataset))}: give one of them"
        raise UsageError("usage.argument", "usage", message)
    features = dataset.features
    if features is None or not isinstance(features.get(image), datasets.Image):
        found = [name for name, kind in (features or {}).items() if isinstance(kind, datasets.Image)]
        message = f"the column {image!r} holds no images; those that do: {', '.join(found) or 'none'}"
        raise UsageError("usage.argument", "usage", message)
    wanted = [name for name in features if name != image] if columns is None else list(columns)
    unknown = [name for name in wanted if name not in features]
    if unknown:
        raise UsageError("usage.argument", "usage", f"there is no column {', '.join(unknown)}")
    names = {name: kind.names for name in wanted if isinstance(kind := features[name], datasets.ClassLabel)}
    taken = [f"{name}_name" for name in names if f"{name}_name" in wanted]
    if taken:
        message = f"the column {taken[0]!r} is in the place of a label's name: leave one of them out with `columns`, or rename it"
        raise UsageError("usage.argument", "usage", message)
    # As it is stored: neither formats nor transforms are wanted.
    plain = dataset.with_format(None).cast_column(image, datasets.Image(decode=False))
    with TblWriter(path, **options) as writer:
        for i, row in enumerate(plain):
            stored = row[image]
            if stored is None:
                raise UsageError("usage.argument", "usage", f"row {i} has no image")
            data, place = stored["bytes"], stored["path"]
            if data is None:
                # A streaming one may say only where it is: an address, or a place in an archive.
                with open_url(place) if "://" in place else open(place, "rb") as file:
                    data = file.read()
            metadata = {name: _plain(row[name], name, i) for name in wanted if row[name] is not None}
            for name, known in names.items():
                if isinstance(row[name], int) and 0 <= row[name] < len(known):
                    metadata[f"{name}_name"] = known[row[name]]
            # A column of this name is the sample's.
            name = os.path.basename(place) if place and "name" not in metadata else None
            writer.add(data, name=name, metadata=metadata or None)
        return len(writer)


def _plain(value: Any, column: str, row: int) -> Any:
    """A value as JSON has it."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as e:
        message = f"row {row}, column {column!r}: {type(value).__name__} is not JSON ({e}); leave it out with `columns`"
        raise UsageError("usage.argument", "usage", message) from e
    return value
