"""Shards of many datasets: planned, made, found again, reported."""

from __future__ import annotations

import os
import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import forebay
import forebay.ray
from conftest import numbered


def names(*paths: str) -> list[str | None]:
    return [sample.name for path in paths for sample in forebay.open_samples(path)]


@pytest.fixture
def inputs(tmp_path: pathlib.Path) -> list[str]:
    (tmp_path / "in").mkdir()
    first = numbered(tmp_path / "in" / "a.tar", 30)
    forebay.convert(numbered(tmp_path / "more.tar", 12), tmp_path / "in" / "b.tbl")
    return [str(first), str(tmp_path / "in" / "b.tbl")]


def test_a_plan_travels_and_its_shards_are_the_same(inputs: list[str], tmp_path: pathlib.Path) -> None:
    plan = forebay.shards.plan(inputs, 5, shuffle=3, name="x", compression="lz4")
    assert (len(plan), plan.samples, plan.names[4]) == (5, 42, "x-00004-of-00005.tbl")
    assert [len(one) for one in plan.ranges] == [8, 8, 9, 8, 9]
    assert plan.settings["shuffle"] == 3 and [one["samples"] for one in plan.inputs] == [30, 12]
    assert plan.memory(4) > plan.memory(1) > 1 << 20
    told = []
    whole = plan.make(tmp_path / "one", jobs=2, sync=False, progress=lambda done, total: told.append((done, total)))
    assert whole and (whole.made, whole.reused, whole.samples) == (5, 0, 42) and told[-1] == (42, 42)
    there = pickle.loads(pickle.dumps(plan))
    assert there == plan
    for shard in (4, 0, 2, 1, 3):
        there.make(tmp_path / "other", [shard], workers=1, sync=False)
    for name in plan.names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    assert sorted(map(str, names(*(one.output for one in whole.outputs)))) == sorted(map(str, names(*inputs)))


def test_what_is_there_is_left_and_others_are_refused(inputs: list[str], tmp_path: pathlib.Path) -> None:
    report = forebay.shards.make(inputs, tmp_path / "out", 3, sync=False)
    assert names(*(one.output for one in report.outputs)) == names(*inputs)
    path = pathlib.Path(report.outputs[1].output)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    again = forebay.shards.make(inputs, tmp_path / "out", 3, sync=False)
    assert (again.made, again.reused) == (1, 2) and path.read_bytes() == whole
    with pytest.raises(forebay.UsageError, match="the plan did not make this file") as caught:
        forebay.shards.make(inputs, tmp_path / "out", 3, shuffle=1, name=again.name)
    assert caught.value.code == "shards.foreign" and path.read_bytes() == whole
    assert forebay.shards.make(inputs, tmp_path / "out", 3, shuffle=1, name=again.name, force=True).made == 3


def test_parts_become_one_report(inputs: list[str], tmp_path: pathlib.Path) -> None:
    plan = forebay.shards.plan(inputs, 4)
    parts = [plan.make(tmp_path / "out", shards, sync=False) for shards in ([0, 1], [3])]
    assert not parts[0] and parts[0].left == 2
    report = plan.report(parts)
    assert (report.made, report.left, [one.shard for one in report.outputs]) == (3, 1, [0, 1, 3])
    assert report.samples == sum(part.samples for part in parts)
    assert plan.report([*parts, plan.make(tmp_path / "out", sync=False)])


def test_what_is_broken_is_left_out_and_listed(inputs: list[str], tmp_path: pathlib.Path) -> None:
    file = bytearray(pathlib.Path(inputs[1]).read_bytes())
    file[forebay.open_samples(inputs[1]).info(5).offset + 3] ^= 1
    pathlib.Path(inputs[1]).write_bytes(file)
    with pytest.raises(forebay.DamagedError):
        forebay.shards.make(inputs, tmp_path / "out", 2)
    report = forebay.shards.make(inputs, tmp_path / "kept", 2, keep_going=True)
    assert not report and report.samples == 41
    assert [(fault.code, fault.sample) for fault in report.faults] == [("tbl.payload_crc", 5)]
    assert "left out" in str(report)


def test_what_makes_no_sense_is_refused(inputs: list[str], tmp_path: pathlib.Path) -> None:
    for wrong in ("", "{}", "null", "[1]"):
        with pytest.raises(forebay.UsageError):
            forebay.shards.Plan(wrong)
    with pytest.raises(forebay.UsageError):
        forebay.shards.plan(inputs, 0)
    with pytest.raises(forebay.UsageError):
        forebay.shards.plan(inputs, 2, name="../x")
    with pytest.raises(forebay.UsageError):
        forebay.shards.plan(inputs, 2).make(tmp_path / "out", [1, 1])
    with pytest.raises(forebay.UsageError):
        forebay.shards.plan(inputs, 2).make(tmp_path / "out", [2])
    with pytest.raises(forebay.FileMissingError):
        forebay.shards.plan([tmp_path / "none.tbl"], 2)


def test_numbers_may_be_numpys(inputs: list[str]) -> None:
    number: Any = np.int64
    assert forebay.shards.plan(inputs, number(2), shuffle=number(3)).text == forebay.shards.plan(inputs, 2, shuffle=3).text
    with pytest.raises(TypeError):
        forebay.shards.plan(inputs, 2.7)  # type: ignore[arg-type]
    assert forebay.plan(inputs, batch=number(4), shuffle=number(3)) == forebay.plan(inputs, batch=4, shuffle=3)
    assert forebay.warehouse._options({"size": number(8)}) == forebay.warehouse._options({"size": (8, 8)})
    assert forebay.warehouse.Transform(number(8))._json() == forebay.warehouse.Transform(8)._json()


def test_the_same_jobs_run_without_ray(inputs: list[str], tmp_path: pathlib.Path) -> None:
    pattern = str(tmp_path / "in" / "*.t*")
    report = forebay.ray.convert(pattern, tmp_path / "out", 3, shuffle=1, jobs=2, sync=False)
    assert report and report.samples == 42
    assert forebay.ray.convert(inputs, tmp_path / "out", 3, shuffle=1, jobs=1).reused == 3
    out = str(tmp_path / "out" / "*.tbl")
    checked = forebay.ray.check(out, jobs=2)
    assert checked and checked.samples == 42 and len(checked.files) == 3
    together = forebay.ray.stats(out, jobs=2)
    joined = forebay.stats(forebay.concat([one.output for one in report.outputs], tmp_path / "joined.tbl").output)
    for name in ("samples", "bytes", "formats", "bytes_histogram", "width_histogram", "aspect_histogram", "classes"):
        assert together[name] == joined[name], name
    for name in ("sample_bytes", "width", "height"):
        same = {key: joined[name][key] for key in ("min", "max", "mean")}
        assert {key: together[name][key] for key in same} == pytest.approx(same)
    # A file that cannot be read, and a damaged one, hide no other.
    path = pathlib.Path(report.outputs[0].output)
    file = bytearray(path.read_bytes())
    file[forebay.open_samples(path).info(0).offset] ^= 1
    path.write_bytes(file)
    checked = forebay.ray.check([*(one.output for one in report.outputs), tmp_path / "none.tbl"], jobs=2)
    assert not checked and checked.fault_count == 1 and list(checked.errors) == [str(tmp_path / "none.tbl")]
    assert str(path) in str(checked) and "none.tbl" in str(checked)
    built = forebay.ray.build_warehouse(inputs, tmp_path / "ware", size=8, dtype="u8", jobs=2)
    assert built.samples == 42 and forebay.ray.build_warehouse(inputs, tmp_path / "ware", size=8, dtype="u8", jobs=1).reused
    with pytest.raises(forebay.UsageError, match="trace"):
        forebay.ray.build_warehouse(inputs, tmp_path / "ware", trace="t.jsonl")


def test_an_address_is_no_folder_of_this_machine(
    inputs: list[str], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    # Without keys nothing is asked of anybody.
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    for work in (
        lambda: forebay.ray.convert(inputs, "s3://bucket/ready", 2, jobs=1),
        lambda: forebay.ray.build_warehouse(inputs, "s3://bucket/ware", size=8, jobs=1),
        lambda: forebay.ray.stats("s3://bucket/ready/a.tbl", jobs=1),
    ):
        with pytest.raises(forebay.Error, match="s3://bucket/"):
            work()
    assert not list((tmp_path / "empty").iterdir())


def test_parts_of_a_warehouse_are_what_one_build_makes(inputs: list[str], tmp_path: pathlib.Path) -> None:
    from forebay import _forebay

    settings = {"size": 8, "dtype": "u8", "shard_bytes": 1000, "code_version": "1"}
    options = forebay.warehouse._options(settings)
    alone = forebay.warehouse.build(inputs, tmp_path / "alone", **settings)  # type: ignore[arg-type]
    shared = str(tmp_path / "shared")
    with pytest.raises(forebay.UsageError) as caught:
        _forebay.warehouse_part(inputs, shared, 0, options)
    assert caught.value.code == "warehouse.not_begun"
    parts = _forebay.warehouse_begin(inputs, shared, options)
    assert parts == alone.shards > 3
    assert sum(_forebay.warehouse_part(inputs, shared, k, options) for k in (1, 0, 3, 1)) >= 4
    with pytest.raises(forebay.UsageError):
        _forebay.warehouse_part(inputs, shared, parts, options)
    # One part of it is damaged, others are missing.
    [stage] = [path for path in (tmp_path / "shared").iterdir() if path.name.endswith(".part")]
    (stage / "chunk-00003").write_bytes(b"torn")
    built = forebay.warehouse.build(inputs, shared, **settings)  # type: ignore[arg-type]
    assert (built.version, built.samples, built.shards) == (alone.version, 42, alone.shards)
    assert 0 < built.resumed < 42
    one, other = pathlib.Path(alone.manifest).parent, pathlib.Path(built.manifest).parent
    for path in one.iterdir():
        if path.name != "manifest.json":
            assert path.read_bytes() == (other / path.name).read_bytes()
    assert len(list(one.iterdir())) == len(list(other.iterdir())) == alone.shards + 1
    assert _forebay.warehouse_begin(inputs, shared, options) == 0
