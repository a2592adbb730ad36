"""Label files: read, checked, counted, written, and seen as tables."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import forebay
from conftest import bmp

COCO = {
    "images": [
        {"id": 7, "file_name": "a<b>.jpg", "width": 64, "height": 48},
        {"id": 8, "file_name": "sub/b.jpg", "width": 10, "height": 10},
    ],
    "annotations": [
        {"id": 1, "image_id": 7, "category_id": 18, "bbox": [50, 2, 30, 40], "iscrowd": 1, "score": 0.5},
        {"id": 2, "image_id": 7, "category_id": 2, "bbox": [0, 0, 4, 4], "segmentation": [[0, 0, 4, 0, 4, 4]]},
        {"id": 3, "image_id": 7, "category_id": 2, "bbox": [70, 0, 4, 4]},
    ],
    "categories": [{"id": 2, "name": "cat"}, {"id": 18, "name": "dog"}],
}


@pytest.fixture
def coco(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "instances.json"
    path.write_text(json.dumps(COCO))
    return path


def test_the_model(coco: pathlib.Path) -> None:
    labels = forebay.labels.read(coco)
    assert (labels.format, len(labels), labels.annotations) == ("coco", 2, 3)
    assert [(one.name, one.id) for one in labels.classes] == [("cat", 2), ("dog", 18)]
    first, second = labels
    assert (first.name, first.width, first.height, first.id) == ("a<b>.jpg", 64, 48, 7)
    dog = first.annotations[0]
    assert (dog.kind, dog.label, dog.box, dog.clipped) == ("box", "dog", (50, 2, 80, 42), (50, 2, 64, 42))
    assert (dog.flags, dog.score, dog.id) == (("crowd",), 0.5, 1)
    outline = first.annotations[1]
    assert outline.kind == "polygon" and outline.shape == {"parts": [[[0, 0], [4, 0], [4, 4]]]}
    assert first.annotations[2].clipped is None
    assert first.boxes().tolist() == [[50, 2, 64, 42], [0, 0, 4, 4]]
    assert second.boxes().shape == (0, 4) and second.boxes().dtype == np.float64
    assert labels[-1] == labels[1] == labels.find("sub/b.jpg") == labels[1:][0]
    assert labels.find("nothing") is None
    with pytest.raises(IndexError):
        labels[2]
    with pytest.raises(IndexError):
        labels[-3]
    found = labels.stats()
    assert (found["annotations"], found["classes"]) == (3, {"cat": 2, "dog": 1})
    streamed = forebay.labels.stats(coco)
    assert {**found, "notes": None} == {**streamed, "notes": None}
    assert labels.notes["clipped"] == 1


def test_what_was_converted_reads_the_same(coco: pathlib.Path, tmp_path: pathlib.Path) -> None:
    done = forebay.labels.convert(coco, tmp_path / "via.json", to="via")
    assert done.files == 1 and done.bytes == (tmp_path / "via.json").stat().st_size
    back = forebay.labels.read(tmp_path / "via.json")
    assert back.format == "via" and back[0].annotations[1].box == (0, 0, 4, 4)
    folder = forebay.labels.read(coco).write(tmp_path / "labelme", to="labelme")
    assert folder.files == 2 and sum(folder.losses.values()) > 0
    with pytest.raises(forebay.UsageError, match="exists"):
        forebay.labels.convert(coco, tmp_path / "via.json", to="via")
    assert forebay.labels.convert(coco, tmp_path / "via.json", to="via", force=True).files == 1
    with pytest.raises(forebay.UsageError, match="these are"):
        forebay.labels.convert(coco, tmp_path / "x", to="kitti")


def test_a_damaged_file_is_a_report_and_no_exception(corpus: pathlib.Path) -> None:
    damaged = corpus / "labels" / "damaged"
    assert forebay.labels.check(damaged / "coco_good").ok
    report = forebay.labels.check(damaged / "coco_truncated")
    assert not report and report.faults[0].code.startswith("label.") and report.faults[0].line is not None
    assert f"line {report.faults[0].line}" in str(report)
    with pytest.raises(forebay.DamagedError) as e:
        forebay.labels.read(damaged / "coco_truncated")
    assert e.value.line == report.faults[0].line
    with pytest.raises(forebay.FileMissingError):
        forebay.labels.check(damaged / "nothing.json")


def test_what_a_file_cannot_say_is_asked_for(tmp_path: pathlib.Path) -> None:
    voc = tmp_path / "a.xml"
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>3</xmax><ymax>2</ymax></bndbox>"
    size = "<size><width>4</width><height>2</height><depth>3</depth></size>"
    voc.write_text(
        f"<annotation><filename>a.jpg</filename>{size}<object><name>car</name>{box}</object></annotation>"
    )
    with pytest.raises(forebay.Error) as e:
        forebay.labels.read(voc)
    assert "voc_base" in e.value.options
    assert forebay.labels.read(voc, voc_base=1)[0].annotations[0].box == (0, 0, 3, 2)
    assert forebay.labels.read(voc, voc_base=0)[0].annotations[0].box[0] == 1
    with pytest.raises(TypeError):
        forebay.labels.read(voc, base=1)
    with pytest.raises(forebay.UsageError):
        forebay.labels.read(voc, format="nope")


def test_annotations_are_a_table(coco: pathlib.Path, tmp_path: pathlib.Path) -> None:
    labels = forebay.labels.read(coco)
    table = forebay.from_arrow(labels)
    assert len(table) == 3 and table.column("class") == ["dog", "cat", "cat"]
    assert table.where("crowd").head()[0]["x1"] == 80.0
    made = forebay.convert(labels, tmp_path / "boxes.parquet")
    assert made.samples == 3
    assert forebay.open(tmp_path / "boxes.parquet").where("class == 'cat'").column("kind") == ["polygon", "box"]
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed here")
    assert pyarrow.table(labels).column("name").to_pylist() == ["a<b>.jpg"] * 3
    assert labels.to_arrow().num_rows == 3


def test_a_notebook_shows_what_is_where_escaped(coco: pathlib.Path) -> None:
    shown = forebay.labels.read(coco)._repr_html_()
    assert "<rect" in shown and "a&lt;b&gt;.jpg" in shown and "a<b>" not in shown


def test_a_project_gives_the_same_numbers_on_every_route(coco: pathlib.Path, tmp_path: pathlib.Path) -> None:
    project = tmp_path / "project.json"
    classes = [{"id": 40, "name": "whale"}, {"id": 18, "name": "dog"}, {"id": 3, "name": "cat"}]
    project.write_text(json.dumps({"forebay_project": 1, "classes": classes}))
    numbers = {"whale": 0, "dog": 1, "cat": 2}
    labels = forebay.labels.read(coco, project=project)
    assert {one.name: k for k, one in enumerate(labels.classes)} == numbers
    assert [numbers[str(one.label)] == one.cls for one in labels[0].annotations] == [True] * 3
    back = tmp_path / "back.json"
    forebay.labels.convert(coco, back, to="coco", project=project)
    command = tmp_path / "command.json"
    arguments = ["labels", "convert", str(coco), str(command), "--to", "coco", "--project", str(project)]
    subprocess.run([sys.executable, "-m", "forebay", *arguments], check=True)
    assert back.read_bytes() == command.read_bytes()
    written = json.loads(back.read_text())
    assert [(one["id"], one["name"]) for one in written["categories"]] == [(40, "whale"), (18, "dog"), (3, "cat")]
    forebay.labels.convert(coco, tmp_path / "yolo", to="yolo", project=project)
    lines = (tmp_path / "yolo/labels/a<b>.txt").read_text().split("\n")
    assert [line[:1] for line in lines if line] == ["1", "2"]
    # What was drawn is saved with them, and read with them.
    path, journal = tmp_path / "a.tbl", tmp_path / "edits.jsonl"
    with forebay.TblWriter(path) as writer:
        writer.add(bmp(64, 48, (1, 2, 3)), name="a.bmp")
    with forebay.Edits(path, journal) as edits:
        edits.set(0, boxes=[{"class": "cat", "xmin": 1, "ymin": 2, "xmax": 3, "ymax": 4}])
    forebay.apply(path, journal, tmp_path / "b.tbl", project=project)
    assert forebay.open(tmp_path / "b.tbl").metadata["classes"] == [*numbers]
    saved = forebay.labels.read(tmp_path / "b.tbl")
    assert ([one.name for one in saved.classes], saved[0].annotations[0].cls) == ([*numbers], 2)
    project.write_text('{"forebay_project": 1, "classes": ["cat"]}')
    with pytest.raises(forebay.Error) as failed:
        forebay.labels.read(coco, project=project)
    assert failed.value.code == "label.class"
    with pytest.raises(forebay.Error):
        forebay.labels.stats(coco, project=project)
