"""The HTML that notebooks show. Everything from files is escaped: it is text that somebody else wrote."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, Sequence

if TYPE_CHECKING:
    from ._dataset import Dataset, Sample
    from ._report import Report
    from ._several import Plan
    from ._table import Table
    from .labels import LabelSet, Picture

#: Formats that browsers show, with their media types.
_SHOWN = {"jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "bmp": "image/bmp"}
#: A larger image is not put into a notebook.
_MOST_BYTES = 1 << 20
#: Images of a contact sheet, and how high they are.
_SHEET = 12
_HEIGHT = 96
#: More boxes of an image are not drawn.
_MOST_BOXES = 64
#: Rows of tables that are shown.
_ROWS = 20
_COLORS = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#808000")

Box = tuple[float, float, float, float, str]


def _text(value: Any, most: int = 200) -> str:
    text = str(value)
    return escape(text if len(text) <= most else text[:most] + "…")


def _table(head: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    top = "".join(f"<th>{_text(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _png(pixels: Any) -> bytes:
    """An RGB array as a PNG, as plain as they come."""
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + pixels[y].tobytes() for y in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


def _data(sample: Sample) -> tuple[str, bytes] | None:
    """An image as a browser takes it."""
    info = sample.info
    kind = _SHOWN.get(info.format)
    if kind is not None:
        return (kind, bytes(sample.payload)) if info.bytes <= _MOST_BYTES else None
    if sample.dataset.manifest is None and info.format != "raw_u8":
        return None
    if info.width * info.height * 3 > _MOST_BYTES:
        return None
    return "image/png", _png(sample.image())


def _drawn(boxes: Sequence[Box], width: float, height: float) -> str:
    """Boxes over an image of this size, with their labels."""
    parts = []
    for k, (x0, y0, x1, y1, label) in enumerate(boxes[:_MOST_BOXES]):
        color = _COLORS[sum(label.encode()) % len(_COLORS)] if label else _COLORS[k % len(_COLORS)]
        place = f'x="{x0:.6g}" y="{y0:.6g}" width="{max(x1 - x0, 0):.6g}" height="{max(y1 - y0, 0):.6g}"'
        parts.append(
            f'<rect {place} fill="none" stroke="{color}" stroke-width="2" vector-effect="non-scaling-stroke">'
            f"<title>{_text(label)}</title></rect>"
        )
    if not parts or not width or not height:
        return ""
    style = "position:absolute;inset:0;width:100%;height:100%"
    view = f"0 0 {width:.6g} {height:.6g}"
    return f'<svg viewBox="{view}" preserveAspectRatio="none" style="{style}">{"".join(parts)}</svg>'


def _label(metadata: Any) -> str:
    """What a sample is of, where its metadata says it in one of the usual words."""
    if isinstance(metadata, dict):
        for name in ("label", "class", "cls"):
            if isinstance(metadata.get(name), (str, int, float)):
                return f"{name} {metadata[name]}"
    return ""


def _boxes(sample: Sample, metadata: Any) -> tuple[list[Box], float, float]:
    """Boxes of a sample, and the size that they are counted in: those of a warehouse, and annotations that say how they
    are written."""
    if sample.dataset.manifest is not None:
        return [(*one["box"], str(one.get("label", one.get("class", "")))) for one in metadata["boxes"]], 1, 1
    for place in (metadata, metadata.get("json") if isinstance(metadata, dict) else None):
        if isinstance(place, dict) and place.get("annotations_format") == "forebay.1":
            return _annotated(place, (sample.info.width, sample.info.height))
    return [], 0, 0


def _annotated(record: dict[str, Any], size: tuple[int, int]) -> tuple[list[Box], float, float]:
    """Annotations of a record. What is not what it should be is not drawn."""
    found: list[Box] = []
    listed = record.get("annotations")
    for one in listed[:_MOST_BOXES] if isinstance(listed, list) else ():
        if not isinstance(one, dict):
            continue
        corners: list[Any] = [one.get(side) for side in ("xmin", "ymin", "xmax", "ymax")]
        if all(map(_is_number, corners)):
            x0, y0, x1, y1 = map(float, corners)
            found.append((x0, y0, x1, y1, str(one.get("class", ""))))
    given = record.get("annotations_size")
    if isinstance(given, list) and len(given) == 2 and all(map(_is_number, given)):
        return found, float(given[0]), float(given[1])
    return found, size[0], size[1]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9


def _picture(sample: Sample, height: int) -> str:
    try:
        info, metadata = sample.info, sample.metadata
        data = _data(sample)
        boxes, wide, high = _boxes(sample, metadata)
    except Exception as e:  # what is shown for one sample must not hide the others
        return _figure(f"<code>{_text(e)}</code>", "", f"{sample.index}")
    if data is None:
        inside = f"<code>{escape(info.format)}, {info.bytes:,} bytes</code>"
    else:
        text = base64.b64encode(data[1]).decode("ascii")
        inside = f'<img alt="sample {sample.index}" height="{height}" src="data:{data[0]};base64,{text}">'
    words = " ".join(word for word in (str(sample.index), _label(metadata)) if word)
    return _figure(inside, _drawn(boxes, wide, high), words)


def _figure(inside: str, over: str, words: str) -> str:
    frame = f'<span style="position:relative;display:inline-block">{inside}{over}</span>'
    style = "display:inline-block;margin:2px;text-align:center;vertical-align:top"
    return f'<figure style="{style}">{frame}<figcaption style="font-size:smaller">{_text(words, 40)}</figcaption></figure>'


def sample(sample: Sample) -> str:
    """One sample: its image and its metadata."""
    try:
        text = json.dumps(sample.metadata, indent=1, ensure_ascii=False)
    except Exception as e:
        text = str(e)
    return f"<p>{escape(repr(sample))}</p>{_picture(sample, 240)}<pre>{_text(text, 4000)}</pre>"


def dataset(dataset: Dataset) -> str:
    """A dataset: a few of its images, with labels and boxes."""
    sheet = "".join(_picture(dataset[i], _HEIGHT) for i in range(min(_SHEET, len(dataset))))
    return f"<p>{escape(repr(dataset))}</p><div>{sheet}</div>"


def table(table: Table) -> str:
    """A table: its first rows, with the types of its columns."""
    shown = table.schema[:30]
    head = [f"{column.name}: {column.type}" for column in shown]
    rows = ([row[column.name] for column in shown] for row in table.head(10))
    return f"<p>{escape(repr(table))}</p>{_table(head, rows)}"


def report(report: Report) -> str:
    """A report: its faults, with their codes and places."""
    words = str(report).partition("\n")[0]
    if report.ok:
        return f"<p>{_text(words)}</p>"
    rows = [(fault.code, fault.message, str(fault)) for fault in report.faults[:_ROWS]]
    return f"<p><b>{_text(words)}</b></p>{_table(('code', 'what is wrong', 'where'), rows)}"


def plan(plan: Plan) -> str:
    """A plan: what each rank gets, or the batches of one."""
    words = f"epoch {plan.epoch}: {plan.samples:,} samples, {plan.steps:,} steps of {plan.world} × {plan.batch}"
    files = _table(("file", "samples", "selected"), [[one[k] for k in ("file", "samples", "selected")] for one in plan.files[:_ROWS]])
    if plan.batches:
        rows = [(one.step, one.bytes, one.padded, one.indices) for one in plan.batches[:_ROWS]]
        return f"<p>{_text(words)}</p>{files}{_table(('step', 'bytes', 'padded', 'samples'), rows)}"
    shares = [(one.rank, one.batches, one.samples, one.padded, one.bytes) for one in plan.ranks[:_ROWS]]
    return f"<p>{_text(words)}</p>{files}{_table(('rank', 'batches', 'samples', 'padded', 'bytes'), shares)}"


def _outline(picture: Picture) -> str:
    """Draws the boxes of an image that is not loaded, in a frame of its size."""
    boxes = [(*(one.clipped or one.box), one.label or "") for one in picture.annotations]
    wide = picture.width or max([box[2] for box in boxes], default=1)
    high = picture.height or max([box[3] for box in boxes], default=1)
    across = max(1.0, min(3 * _HEIGHT, _HEIGHT * wide / max(high, 1)))
    frame = f'<span style="display:block;height:{_HEIGHT}px;width:{across:.0f}px;border:1px solid #8888"></span>'
    words = f"{picture.name}: {len(picture.annotations)}"
    return _figure(frame, _drawn(boxes, wide, high), words)


def labels(labels: LabelSet) -> str:
    """Labels: the boxes of a few images, and the classes by how often they occur."""
    sheet = "".join(_outline(picture) for picture in labels[:_SHEET])
    counts = sorted(labels.stats()["classes"].items(), key=lambda one: -one[1])
    return f"<p>{escape(repr(labels))}</p><div>{sheet}</div>{_table(('class', 'annotations'), counts[:_ROWS])}"
