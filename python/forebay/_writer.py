"""Writing a TBL sample by sample."""

from __future__ import annotations

import json
import os
from typing import Any, Literal, Mapping, Protocol, runtime_checkable

import numpy as np

from . import _forebay
from ._convert import PathLike
from ._errors import UsageError

__all__ = ["TblWriter"]


@runtime_checkable
class _Picture(Protocol):
    """What Pillow's images can do."""

    def save(self, file: Any, format: str) -> None: ...


class TblWriter:
    """Writes a TBL. A with-block puts the file in place at its end, or leaves nothing where an exception ends it.

    >>> with forebay.TblWriter("out.tbl", compression="lz4") as writer:
    ...     writer.add(open("folder/cat/1.png", "rb").read(), name="1.png", metadata={"cls": 3})
    ...     writer.add(numpy.zeros((32, 32, 3), numpy.uint8))
    >>> [sample.info.format for sample in forebay.open("out.tbl")]
    ['png', 'raw_u8']
    """

    def __init__(
        self,
        path: PathLike,
        *,
        compression: Literal["none", "lz4", "zstd", "packed"] | None = None,
        level: int | None = None,
        layout: Literal["guide", "turboloader"] | None = None,
        metadata: Mapping[str, Any] | None = None,
        metadata_format: Literal["json", "msgpack"] | None = None,
        force: bool = False,
        sync: bool = True,
    ) -> None:
        options = {
            "compression": compression,
            "level": level,
            "layout": layout,
            "metadata": None if metadata is None else dict(metadata),
            "metadata_format": metadata_format,
            "force": force,
            "sync": sync,
        }
        self._path = os.fspath(path)
        self._core = _forebay.TblWriter(self._path, json.dumps(options, allow_nan=False, default=_plain))
        self._done = False

    def add(
        self,
        sample: Any,
        *,
        name: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        format: str = "png",
    ) -> None:
        """Adds a sample: a file's bytes; an RGB array (height x width x 3, uint8), stored as raw pixels; or a Pillow
        image, stored as a file of this ``format``. ``metadata`` is what JSON has, and NumPy's numbers and arrays."""
        raw: tuple[int, int] | None = None
        if isinstance(sample, (bytes, bytearray, memoryview)):
            payload = bytes(sample)
        elif isinstance(sample, np.ndarray):
            if sample.dtype != np.uint8 or sample.ndim != 3 or sample.shape[2] != 3:
                message = f"an array is height x width x 3 of uint8, not {sample.shape} of {sample.dtype}"
                raise UsageError("usage.argument", "usage", message)
            raw = (sample.shape[1], sample.shape[0])
            payload = sample.tobytes()
        elif isinstance(sample, _Picture):
            import io

            file = io.BytesIO()
            sample.save(file, format)
            payload = file.getvalue()
        else:
            raise TypeError(f"a sample is bytes, an array or a Pillow image, not {type(sample).__name__}")
        record: dict[str, Any] | None = None
        if name is not None or metadata is not None:
            record = {} if name is None else {"name": name}
            record.update(metadata or {})
            if name is not None and record["name"] != name:
                message = f"the sample is called {name!r}, and {record['name']!r} by its metadata: leave one of them out"
                raise UsageError("usage.argument", "usage", message)
        text = None if record is None else json.dumps(record, allow_nan=False, ensure_ascii=False, default=_plain)
        self._core.add(payload, raw, name, text)

    def __len__(self) -> int:
        """Samples so far."""
        return self._core.counts()[0]

    @property
    def payload_bytes(self) -> int:
        """Bytes of the payloads so far."""
        return self._core.counts()[1]

    @property
    def stored_bytes(self) -> int:
        """The same as they are stored."""
        return self._core.counts()[2]

    def finish(self) -> int:
        """Puts the file in place; its bytes."""
        self._done = True
        return self._core.finish()

    def abandon(self) -> None:
        """Leaves nothing behind."""
        self._done = True
        self._core.abandon()

    def __enter__(self) -> TblWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._done:
            return
        if kind is None:
            self.finish()
        else:
            self.abandon()


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as JSON has them."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"metadata is what JSON has, and {type(value).__name__} is not: {value!r}")
