"""Samples by weight and by class, epochs of any length, repeats: the numbers of everybody, and what is refused."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import FIXTURES, bmp, write_tar

ROWS = json.loads((FIXTURES / "sampling.json").read_text())["samplings"]


@pytest.mark.parametrize("name", ["order.py", "sampling.py", "together.py"])
def test_the_document_as_written_in_python_gives_the_fixtures(name: str) -> None:
    said = subprocess.run([sys.executable, FIXTURES / name], check=True, capture_output=True, text=True).stdout
    assert "docs/formats/order.md" in said


def archive(path: pathlib.Path, numbers: range, classes: list[int | None] | None = None) -> pathlib.Path:
    members = {}
    for place, i in enumerate(numbers):
        members[f"{i:05}.bmp"] = bmp(4 + place, 4, (i, 0, 7))
        if classes is not None and classes[place] is not None:
            members[f"{i:05}.cls"] = str(classes[place]).encode()
    return write_tar(path, members)


def dense(row: dict[str, Any]) -> bool:
    """Whether classes are numbered as the loader numbers labels: without gaps."""
    known = {one for one in row["classes"] or () if one is not None}
    return known == set(range(len(known)))


@pytest.mark.parametrize("row", [row for row in ROWS if dense(row)], ids=lambda row: f"{row['seed']}-{row['tail']}")
def test_the_loader_draws_what_the_fixtures_say(row: dict[str, Any], tmp_path: pathlib.Path) -> None:
    begins = [sum(row["samples"][:i]) for i in range(len(row["samples"]) + 1)]
    paths = [
        archive(tmp_path / f"{i}.tar", range(begins[i], begins[i + 1]), row["classes"]) for i in range(len(row["samples"]))
    ]
    more: dict[str, Any] = {"seed": int(row["seed"])}
    if row["shuffle"] == "full":
        more = {"shuffle": int(row["seed"])}
    elif isinstance(row["shuffle"], dict):
        more = {"shuffle": forebay.Blocks(int(row["seed"]), **row["shuffle"]["blocks"])}
    if row["classes"] is not None:
        since = {epoch: dict(enumerate(weights)) for epoch, weights in row["weights"]}
        more["balanced"] = forebay.Balance("cls", since)
    elif row["weights"]:
        more["weights"] = {epoch: weights for epoch, weights in row["weights"]}
    if row["mix"]:
        more["mix"], more["epoch_samples"] = row["mix"]["weights"], row["mix"]["epoch_samples"]
    assert sum(1 for step in row["steps"] for rank in step if rank) > 0
    for rank in range(row["world"]):
        loader = forebay.Loader(
            paths, batch=row["batch"], world=row["world"], rank=rank, tail=row["tail"], draws=row["draws"],
            repeated=row["repeats"], on_error="skip", workers=2, **more,
        )
        loader.set_epoch(row["epoch"])
        wanted = [step[rank] for step in row["steps"] if step[rank]]
        assert [batch.indices.tolist() for batch in loader] == wanted
        assert loader.state_dict()["order"].get("sampling") == row["sampling"]


def test_weights_are_fields_numbers_or_change_with_the_epoch(tmp_path: pathlib.Path) -> None:
    path = archive(tmp_path / "a.tar", range(12), [i % 3 for i in range(12)])
    drawn = forebay.Loader(path, batch=4, draws=400, shuffle=1, weights="cls")
    seen = [int(i) for batch in drawn for i in batch.indices]
    assert len(seen) == 400 and {i % 3 for i in seen} == {1, 2}
    some = forebay.Loader(path, batch=4, draws=400, shuffle=1, where="cls == 0", weights=np.arange(12))
    assert {int(i) for batch in some for i in batch.indices} == {3, 6, 9}
    later = forebay.Loader(path, batch=4, draws=40, shuffle=1, weights={0: [1.0] + [0.0] * 11, 2: "width"})
    kinds = [{int(i) for batch in later for i in batch.indices} for _ in range(3)]
    assert kinds[0] == kinds[1] == {0} and len(kinds[2]) > 8
    state = later.state_dict()
    later.load_state_dict(state)
    other = forebay.Loader(path, batch=4, draws=40, shuffle=1, weights="width")
    with pytest.raises(forebay.UsageError) as e:
        other.load_state_dict(state)
    assert e.value.code == "order.state_sampling"


def test_what_is_repeated_looks_different_each_time(tmp_path: pathlib.Path) -> None:
    path = archive(tmp_path / "a.tar", range(30))
    crop = forebay.RandomResizedCrop()
    loader = forebay.Loader(path, batch=6, size=4, shuffle=1, repeated=3, augment=crop)
    assert (len(loader), loader.epoch_samples) == (15, 90)
    for batch in loader:
        assert batch.indices.tolist() == batch.indices.tolist()[:2] * 3
        places = [(one.source, one.mirrored) for one in batch.placements]
        assert len({str(place) for place in places}) > 2


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"weights": "cls", "balanced": "cls"}, "loader.settings"),
        ({"weights": [1.0, 2.0]}, "loader.settings"),
        ({"weights": [float("nan")] * 12}, "usage.argument"),
        ({"weights": [-1.0] * 12}, "order.settings"),
        ({"weights": {3: "cls"}}, "usage.argument"),
        ({"weights": "name"}, "loader.weight"),
        ({"balanced": forebay.Balance("cls", {0: {"7": 1}})}, "loader.settings"),
        ({"repeated": 3}, "order.settings"),
        ({"draws": 5, "mix": [1], "epoch_samples": 5}, "order.settings"),
        ({"weights": "cls", "shuffle": forebay.Blocks(1, 2, 2)}, "order.settings"),
    ],
)
def test_what_does_not_fit_together_is_refused(more: dict[str, Any], code: str, tmp_path: pathlib.Path) -> None:
    path = archive(tmp_path / "a.tar", range(12), [i % 3 for i in range(12)])
    with pytest.raises(forebay.Error) as e:
        forebay.Loader(path, batch=4, **more)
    assert e.value.code == code


def test_a_plan_is_that_of_the_loader(tmp_path: pathlib.Path) -> None:
    path = archive(tmp_path / "a.tar", range(12), [i // 4 for i in range(12)])
    for by in ({"balanced": "cls"}, {"weight_by": "cls"}, {}):
        planned = forebay.plan(path, batch=4, shuffle=3, draws=24, repeated=2, rank=0, **by)
        weights = {"weights": by["weight_by"]} if "weight_by" in by else by
        loader = forebay.Loader(path, batch=4, shuffle=3, draws=24, repeated=2, **weights)
        assert [batch.indices for batch in planned.batches] == [batch.indices.tolist() for batch in loader]
