"""The programs in examples/python, as a reader would run them; what needs a large package runs where that is."""

from __future__ import annotations

import importlib
import json
import pathlib
from typing import Any

import pytest

import forebay
from conftest import ROOT, bmp, write_tar

EXAMPLES = ROOT / "examples" / "python"


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.fixture
def tbl(tmp_path: pathlib.Path) -> str:
    members = {}
    for i in range(40):
        members[f"{i:03}.bmp"] = bmp(20, 16, (6 * i, 3 * i, 255 - 6 * i))
        members[f"{i:03}.cls"] = str(i % 3).encode()
    write_tar(tmp_path / "a.tar", members)
    forebay.convert(tmp_path / "a.tar", tmp_path / "a.tbl")
    return str(tmp_path / "a.tbl")


def test_from_labels_to_batches(examples: None, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    walk = importlib.import_module("labels_to_training")
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    images = []
    for i in range(10):
        (pictures / f"{i}.bmp").write_bytes(bmp(32, 24, (20 * i, 0, 0)))
        images.append({"id": i, "file_name": f"{i}.bmp", "width": 32, "height": 24})
    boxes = [{"id": i, "image_id": i, "category_id": 1, "bbox": [i, 2, 8, 8]} for i in range(0, 10, 2)]
    labels = tmp_path / "boxes.json"
    labels.write_text(json.dumps({"images": images, "annotations": boxes, "categories": [{"id": 1, "name": "cat"}]}))
    manifest = walk.build(pictures, labels, tmp_path)
    assert "10 images, 5 boxes of 1 classes, as coco" in capsys.readouterr().out
    found = list(walk.batches(manifest, batch=4, epoch=0))
    assert [len(images) for images, _ in found] == [4, 4, 2]
    assert sum(len(one) for _, boxes in found for one in boxes) == 5
    again = [images[:, 0, 32, 32].tolist() for images, _ in walk.batches(manifest, batch=4, epoch=1)]
    assert again != [images[:, 0, 32, 32].tolist() for images, _ in found]
    labels.write_text(labels.read_text()[:-20])
    with pytest.raises(SystemExit, match="label."):
        walk.build(pictures, labels, tmp_path)


def test_training_goes_on_where_it_stood(examples: None, tbl: str, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed here")
    train = importlib.import_module("train_classifier").train
    whole = train(tbl, epochs=2)
    assert len(whole) == 80 and sorted(whole[:40]) == sorted(whole[40:]) == list(range(40))
    saved = str(tmp_path / "run.pt")
    first = train(tbl, epochs=2, checkpoint=saved, stop_after=3)
    rest = train(tbl, epochs=2, checkpoint=saved)
    assert first + rest == whole


def test_lightning(examples: None, tbl: str, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed here")
    lightning = pytest.importorskip("lightning", reason="Lightning is not installed here")
    module = importlib.import_module("lightning_data")
    data = module.TblData(tbl)
    trainer = lightning.Trainer(
        max_epochs=2,
        use_distributed_sampler=False,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(module.Model(3), datamodule=data)
    assert trainer.global_step == 10
    order = data.state_dict()["loader"]["order"]
    assert (order["epoch"], order["step"]) == (1, 5), "the second epoch is another than the first"
    again = module.TblData(tbl)
    again.load_state_dict(data.state_dict())
    assert len(list(again.train_dataloader())) == 5 and again.loader.epoch == 3


def test_the_notebook_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed here")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed here")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed here")
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(forebay.__file__).parents[1]))
    notebook = nbformat.read(EXAMPLES / "look.ipynb", as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    shown: list[Any] = [one.get("data", {}) for cell in notebook.cells for one in cell.get("outputs", ())]
    assert sum("text/html" in one for one in shown) == 5
    assert sum("data:image/png" in one.get("text/html", "") for one in shown) == 2


def test_the_notebook_runs_without_a_kernel_too(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads((EXAMPLES / "look.ipynb").read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") for cell in cells)
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), "look.ipynb", "exec"), names)
    assert len(names["ds"]) == 24
