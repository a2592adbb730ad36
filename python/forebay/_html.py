"""What notebooks show. Everything from files is escaped: it is text that somebody else wrote."""

from __future__ import annotations

import base64
import json
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._dataset import Dataset, Sample

#: Formats that browsers show, with their media types.
_SHOWN = {"jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "bmp": "image/bmp"}
#: A larger picture is not put into a notebook.
_MOST_BYTES = 1 << 20


def _picture(sample: Sample, height: int) -> str:
    try:
        info = sample.info
        kind = _SHOWN.get(info.format)
        if kind is None or info.bytes > _MOST_BYTES:
            return f"<code>{escape(info.format)}, {info.bytes:,} bytes</code>"
        data = base64.b64encode(sample.payload).decode("ascii")
    except Exception as e:  # what is shown for one sample must not hide the others
        return f"<code>{escape(str(e))}</code>"
    return f'<img alt="sample {sample.index}" height="{height}" src="data:{kind};base64,{data}">'


def sample(sample: Sample) -> str:
    """One sample: its picture and its metadata."""
    try:
        text = json.dumps(sample.metadata, indent=1, ensure_ascii=False)
    except Exception as e:
        text = str(e)
    return f"<p>{escape(repr(sample))}</p>{_picture(sample, 200)}<pre>{escape(text[:4000])}</pre>"


def dataset(dataset: Dataset) -> str:
    """A dataset: a few of its pictures."""
    sheet = " ".join(_picture(dataset[i], 80) for i in range(min(12, len(dataset))))
    return f"<p>{escape(repr(dataset))}</p><div>{sheet}</div>"
