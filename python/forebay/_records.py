"""Samples as other loaders take them: numbered records, WebDataset's dicts."""

from __future__ import annotations

import json
import operator
import re
from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

from ._errors import UsageError

if TYPE_CHECKING:
    from ._dataset import Dataset

__all__ = ["Records", "WebSamples"]

#: What the members of an archive are called by WebDataset.
_EXTENSIONS = {"jpeg": "jpg", "unknown": "bin", "raw_u8": "rgb"}
#: Metadata fields that say where a sample is and how its files are put together again, and not what it is.
_PLACES = {"id", "name", "exact", "members"}


def field_of(metadata: Any, path: str, sample: int, file: str) -> Any:
    """What a sample's metadata has under a path such as ``cls``, ``json.label`` or ``json.objects[0].class``, as filters and a
    loader's labels write it."""
    if isinstance(metadata, dict) and path in metadata:
        return metadata[path]
    found = metadata
    for name, number in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        try:
            found = found[int(number)] if number else found[name]
        except (KeyError, IndexError, TypeError) as e:
            raise UsageError(
                "usage.argument", "usage", f"the metadata has no field {path}", place={"file": file, "sample": sample}
            ) from e
    return found


class Records(Sequence[Any]):
    """Samples as dicts, by number: what grain calls a ``RandomAccessDataSource``. It pickles as the dataset does."""

    def __init__(
        self, dataset: Dataset, label: str | None, image: bool, transform: Callable[[dict[str, Any]], Any] | None
    ) -> None:
        self._dataset = dataset
        self._label = label
        self._image = image
        self._transform = transform

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, i: Any) -> Any:
        sample = self._dataset[operator.index(i)]
        record: dict[str, Any] = {"index": sample.index}
        if self._image:
            record["image"] = sample.image()
        else:
            record["payload"] = bytes(sample.payload)
        metadata = sample.metadata
        if self._label is None:
            record["metadata"] = metadata
        else:
            record["label"] = field_of(metadata, self._label, sample.index, self._dataset.name)
        return record if self._transform is None else self._transform(record)

    def __repr__(self) -> str:
        return f"<forebay.Records of {self._dataset!r}>"


class WebSamples:
    """Samples as WebDataset's pipelines pass them on: dicts of bytes, with ``__key__`` and ``__url__``. Files have the bytes and
    the extensions that they had in their archive; fields of metadata that was never a file become one each."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def __len__(self) -> int:
        return len(self._dataset)

    def __call__(self) -> Iterator[dict[str, Any]]:
        """The same as iterating: WebDataset calls the first stage of a pipeline."""
        return iter(self)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for sample in self._dataset:
            metadata = sample.metadata
            found: dict[str, Any] = {"__key__": "", "__url__": self._dataset.name}
            # The record of a sample that was no file becomes one as a whole, and is given field by field here.
            whole = isinstance(metadata, dict) and not {"members", "json"} & metadata.keys()
            for name, content in self._dataset._core().files(sample.index):
                stem, extension = _split(name)
                if content is None:
                    found["__key__"] = stem
                    content = bytes(sample.payload)
                    extension = extension or _EXTENSIONS.get(sample.info.format, sample.info.format)
                elif whole and extension == "json":
                    continue
                found.setdefault(extension.lower(), content)
            if isinstance(metadata, dict):
                for field, value in metadata.items():
                    if field not in _PLACES and field.lower() not in found:
                        found[field] = _member(value, field)
            yield found


def _split(name: str) -> tuple[str, str]:
    """Key and extension: the key ends at the first dot of the file's name, as in an archive."""
    folder, slash, file = name.rpartition("/")
    stem, _, extension = file.partition(".")
    return folder + slash + stem, extension


def _member(value: Any, field: str) -> bytes:
    """A field as the member of an archive that it is or would be."""
    if isinstance(value, str) and field != "json":
        return value.encode()
    return json.dumps(value, ensure_ascii=False).encode()
