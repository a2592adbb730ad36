"""What notebooks show: images, labels, boxes, and nothing of a file that is not escaped."""

from __future__ import annotations

import base64
import pathlib
import re
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import bmp
from forebay._html import _png

EVIL = "<script>alert(1)</script>\"' onload=x"


def written(path: pathlib.Path, metadata: list[dict[str, Any]]) -> forebay.Dataset:
    with forebay.TblWriter(path) as writer:
        for i, one in enumerate(metadata):
            writer.add(bmp(8, 4, (i, 2, 3)), name=f"{i}.bmp", metadata=one)
    return forebay.open_samples(path)


def test_a_contact_sheet_has_labels_and_boxes(tmp_path: pathlib.Path) -> None:
    box = {"class": EVIL, "xmin": 1, "ymin": 0.5, "xmax": 5, "ymax": 4}
    marked = {"cls": 3, "annotations_format": "forebay.1", "annotations_size": [8, 4], "annotations": [box]}
    shown = written(tmp_path / "a.tbl", [marked, {"json": marked}, {"label": EVIL}])._repr_html_()
    assert shown.count("<img") == 3 and shown.count("<rect") == 2
    assert 'viewBox="0 0 8 4"' in shown and 'x="1" y="0.5" width="4" height="3.5"' in shown
    assert "cls 3" in shown and "<script" not in shown and "&lt;script&gt;" in shown
    data = re.findall(r"data:image/bmp;base64,([^\"]+)", shown)
    assert base64.b64decode(data[0]) == bmp(8, 4, (0, 2, 3))


@pytest.mark.parametrize(
    "annotations",
    [7, [7], [{"xmin": "1", "ymin": 0, "xmax": 1, "ymax": 1}], [{"xmin": True, "ymin": 0, "xmax": 1, "ymax": 1}], [{}]],
)
def test_what_is_no_box_is_not_drawn(tmp_path: pathlib.Path, annotations: Any) -> None:
    marked = {"annotations_format": "forebay.1", "annotations_size": "x", "annotations": annotations}
    shown = written(tmp_path / "a.tbl", [marked, {"annotations": [{"xmin": 0, "ymin": 0, "xmax": 1, "ymax": 1}]}])
    assert "<rect" not in shown._repr_html_() and shown._repr_html_().count("<img") == 2


def test_pixels_are_shown_as_png(tmp_path: pathlib.Path) -> None:
    pixels = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    with forebay.TblWriter(tmp_path / "a.tbl") as writer:
        writer.add(pixels)
    ds = forebay.open_samples(tmp_path / "a.tbl")
    data = re.findall(r"data:image/png;base64,([^\"]+)", ds[0]._repr_html_())
    assert base64.b64decode(data[0]) == _png(pixels)
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(_png(pixels))
    assert (forebay.open_samples(tmp_path / "pictures")[0].image() == pixels).all()


def test_a_broken_sample_hides_no_other(tmp_path: pathlib.Path) -> None:
    written(tmp_path / "a.tbl", [{"cls": 1}, {"cls": 2}])
    data = (tmp_path / "a.tbl").read_bytes()
    at = data.index(bmp(8, 4, (0, 2, 3))) + 60
    (tmp_path / "b.tbl").write_bytes(data[:at] + b"\xff" + data[at + 1 :])
    shown = forebay.open(tmp_path / "b.tbl")._repr_html_()
    assert shown.count("<img") == 1 and "payload_crc" in shown


def test_reports_and_plans(tmp_path: pathlib.Path) -> None:
    report = forebay.Report(False, 3, 2, [forebay.Fault("a.b", "damaged", EVIL, sample=1)])
    shown = report._repr_html_()
    assert "DAMAGED" in shown and "<table>" in shown and "<script" not in shown
    assert "sound" in forebay.Report(True, 3, 0)._repr_html_()
    written(tmp_path / "a.tbl", [{}] * 6)
    plan = forebay.plan(tmp_path / "a.tbl", batch=2, rank=0)._repr_html_()
    assert "[0, 1]" in plan and "3 steps of 1" in plan
