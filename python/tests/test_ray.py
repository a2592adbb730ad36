"""forebay.ray on a cluster of two nodes, of which some are killed. `npm run test:ray` installs what it needs."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from typing import Any, Iterator

import numpy as np
import pytest

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
# Workers import what this file gives them to do.
here = str(pathlib.Path(__file__).parent)
os.environ["PYTHONPATH"] = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
pytest.importorskip("ray", reason="Ray is not installed; npm run test:ray installs and tests it")

import ray  # type: ignore[import-not-found, unused-ignore]
import ray.data  # type: ignore[import-not-found, unused-ignore]
from ray.cluster_utils import Cluster  # type: ignore[import-not-found, unused-ignore]

import forebay
import forebay.ray
from conftest import numbered, write_tar
from forebay.ray import _cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """Two nodes of one CPU each; one for all tests, since starting it takes long."""
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "object_store_memory": 100 << 20})
    made.add_node(num_cpus=1, object_store_memory=100 << 20)
    made.wait_for_nodes()
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def node_of(wait: float) -> str:
    time.sleep(wait)
    return str(ray.get_runtime_context().get_node_id())


def slow(path: pathlib.Path, samples: int) -> pathlib.Path:
    """An archive that takes its time to be compressed well."""
    dice = np.random.default_rng(1)
    words = [dice.bytes(12) for _ in range(400)]
    members = {}
    for i in range(samples):
        members[f"{i:05}.bin"] = b"".join(words[k] for k in dice.integers(0, 400, 12000))
        members[f"{i:05}.cls"] = str(i % 7).encode()
    return write_tar(path, members)


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """Files that are whole: what is half written is hidden."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("[!.]*")) if path.is_file()}


def test_tasks_run_on_both_nodes(cluster: Any) -> None:
    told: list[tuple[int, int]] = []
    nodes = _cluster.run(
        node_of, [(0.5,)] * 8, num_cpus=1, memory=None, retries=1, sizes=[2] * 8, tell=lambda *now: told.append(now)
    )
    assert len(nodes) == 8 and len(set(nodes)) == 2
    assert told[-1] == (16, 16)


def test_a_cluster_makes_what_one_machine_makes(cluster: Any, tmp_path: pathlib.Path) -> None:
    inputs = [numbered(tmp_path / "a.tar", 50), numbered(tmp_path / "b.tar", 23)]
    settings: dict[str, Any] = {"shuffle": 5, "compression": "zstd", "where": "cls < 40", "name": "x"}
    report = forebay.ray.convert(inputs, tmp_path / "ray", 6, **settings)
    assert report and (report.made, report.samples) == (6, 63)
    forebay.shards.make(inputs, tmp_path / "here", 6, **settings)
    assert contents(tmp_path / "ray") == contents(tmp_path / "here")
    assert forebay.ray.convert(str(tmp_path / "*.tar"), tmp_path / "ray", 6, **settings).reused == 6
    checked = forebay.ray.check(str(tmp_path / "ray" / "*.tbl"))
    assert checked and (len(checked.files), checked.samples) == (6, 63)
    assert forebay.ray.stats(str(tmp_path / "ray" / "*.tbl"))["classes"]["top"][0]["samples"] == 2


def test_an_error_of_the_work_is_that_of_one_machine(cluster: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    forebay.convert(numbered(tmp_path / "a.tar", 40), path)
    file = bytearray(path.read_bytes())
    file[forebay.open_samples(path).info(33).offset + 1] ^= 1
    path.write_bytes(file)
    with pytest.raises(forebay.DamagedError) as caught:
        forebay.ray.convert(path, tmp_path / "out", 4)
    assert (caught.value.code, caught.value.sample) == ("tbl.payload_crc", 33)
    assert forebay.ray.convert(path, tmp_path / "kept", 4, keep_going=True).samples == 39
    with pytest.raises(forebay.FileMissingError):
        forebay.ray.convert(tmp_path / "none.tbl", tmp_path / "out", 4)


def test_a_node_that_dies_costs_its_shard(cluster: Any, tmp_path: pathlib.Path) -> None:
    path = slow(tmp_path / "slow.tar", 90)
    settings: dict[str, Any] = {"compression": "zstd", "level": 17}
    plan = forebay.shards.plan(path, 18, **settings)
    lost = cluster.add_node(num_cpus=1, object_store_memory=100 << 20)
    cluster.wait_for_nodes()
    killed: list[int] = []

    def kill() -> None:
        out = tmp_path / "out"
        while not out.exists() or len(contents(out)) < 5:
            time.sleep(0.05)
        cluster.remove_node(lost, allow_graceful=False)
        killed.append(len(contents(out)))

    thread = threading.Thread(target=kill)
    thread.start()
    report = forebay.ray.convert(path, tmp_path / "out", 18, sync=False, **settings)
    thread.join()
    assert killed and 5 <= killed[0] < 18, "the node was not killed in the middle"
    assert report and report.made + report.reused == 18 and report.samples == 90
    plan.make(tmp_path / "here", sync=False)
    assert contents(tmp_path / "out") == contents(tmp_path / "here")


DRIVER = """
import sys, ray, forebay.ray
ray.init(address=sys.argv[1], log_to_driver=False)
forebay.ray.convert(sys.argv[2], sys.argv[3], 12, sync=False, compression="zstd", level=17)
"""


def test_a_driver_that_dies_is_called_again(cluster: Any, tmp_path: pathlib.Path) -> None:
    path, out = slow(tmp_path / "slow.tar", 60), tmp_path / "out"
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, cluster.address, str(path), str(out)])
    while not out.exists() or len(contents(out)) < 3:
        assert driver.poll() is None
        time.sleep(0.05)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    before = contents(out)
    assert 3 <= len(before) < 12
    report = forebay.ray.convert(path, out, 12, sync=False, compression="zstd", level=17)
    assert report and report.samples == 60 and report.reused >= 3
    after = contents(out)
    assert all(after[name] == file for name, file in before.items()) and len(after) == 12


def test_a_warehouse_is_the_one_that_one_build_makes(cluster: Any, tmp_path: pathlib.Path) -> None:
    path = numbered(tmp_path / "a.tar", 60)
    settings: dict[str, Any] = {"size": 16, "dtype": "u8", "shard_bytes": 8000}
    alone = forebay.warehouse.build(path, tmp_path / "alone", **settings)
    built = forebay.ray.build_warehouse(path, tmp_path / "ray", **settings)
    assert (built.version, built.samples, built.shards, built.resumed) == (alone.version, 60, alone.shards, 60)
    assert built.shards > 4 and forebay.warehouse.check(built.manifest)
    assert forebay.ray.build_warehouse(path, tmp_path / "ray", **settings).reused


def test_samples_become_rows(cluster: Any, tmp_path: pathlib.Path) -> None:
    forebay.shards.make(numbered(tmp_path / "a.tar", 90), tmp_path / "set", 3)
    pattern = str(tmp_path / "set" / "*.tbl")
    rows = forebay.ray.read(pattern).take_all()
    assert len(rows) == 90 and {row["name"] for row in rows} == {f"{i:05}.bmp" for i in range(90)}
    first = min(rows, key=lambda row: row["name"])
    assert (first["width"], first["height"], first["format"], first["index"]) == (4, 4, "bmp", 0)
    assert first["payload"][:2] == b"BM" and json.loads(first["metadata"])["cls"] == 0
    few = forebay.ray.read(pattern, where="cls >= 80", columns=["name", "cls"], override_num_blocks=7)
    assert sorted(row["cls"] for row in few.take_all()) == list(range(80, 90))
    assert forebay.ray.read(pattern, override_num_blocks=9).count() == 90


def test_what_no_column_needs_is_not_read(cluster: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    forebay.convert(numbered(tmp_path / "a.tar", 10), path)
    file = bytearray(path.read_bytes())
    file[forebay.open_samples(path).info(3).offset + 1] ^= 1
    path.write_bytes(file)
    names = forebay.ray.read(path).select_columns(["name"]).take_all()
    assert len(names) == 10 and list(names[0]) == ["name"]
    with pytest.raises(Exception, match="tbl.payload_crc"):
        forebay.ray.read(path).take_all()


def test_rows_become_a_set_of_files(cluster: Any, tmp_path: pathlib.Path) -> None:
    forebay.convert(numbered(tmp_path / "a.tar", 40), tmp_path / "a.tbl")
    ds = forebay.ray.read(tmp_path / "a.tbl", override_num_blocks=4)
    sink = forebay.ray.Sink(tmp_path / "out", name="some", compression="lz4")
    ds.write_datasink(sink)
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made and made[0] == f"some-00000-of-{len(made):05}.tbl"
    found = [sample for name in made for sample in forebay.open_samples(tmp_path / "out" / name)]
    original = {sample.name: sample for sample in forebay.open_samples(tmp_path / "a.tbl")}
    assert len(found) == 40
    for sample in found:
        before = original[sample.name]
        assert bytes(sample.payload) == bytes(before.payload)
        assert sample.metadata["cls"] == before.metadata["cls"]
    with pytest.raises(forebay.UsageError, match="left as they are"):
        ds.write_datasink(forebay.ray.Sink(tmp_path / "out", name="some"))
    arrays = ray.data.from_items([{"payload": np.full((3, 5, 3), i, np.uint8), "score": i / 2} for i in range(4)])
    arrays.write_datasink(forebay.ray.Sink(tmp_path / "out", name="some", force=True))
    [only] = [path for path in (tmp_path / "out").iterdir() if "00000-of" in path.name]
    first = forebay.open_samples(only)[0]
    assert (first.info.format, first.info.width, first.info.height) == ("raw_u8", 5, 3)
    assert "score" in first.metadata
    with pytest.raises(Exception, match="a row has a `payload`"):
        ray.data.from_items([{"x": 1}]).write_datasink(forebay.ray.Sink(tmp_path / "bad"))
    assert not (tmp_path / "bad").exists() or not list((tmp_path / "bad").iterdir())


def test_a_field_is_a_column_by_its_path(cluster: Any, tmp_path: pathlib.Path) -> None:
    def record(i: int) -> bytes:
        return json.dumps({"deep": [i]} if i else {"other": 1}).encode()

    members = {f"{i}.{end}": data for i in range(3) for end, data in (("bin", b"x"), ("json", record(i)), ("cls", b"7"))}
    path = write_tar(tmp_path / "a.tar", members)
    rows = forebay.ray.read(path, columns=["index", "json.deep[0]"]).take_all()
    assert sorted((row["index"], row["json.deep[0]"]) for row in rows) == [(0, None), (1, 1), (2, 2)]
    for columns in ("cls", [], ["cls", "cls"], [""]):
        with pytest.raises(forebay.UsageError, match="columns are a list of names, each once"):
            forebay.ray.read(path, columns=columns)
    # Ray would give no rows at all.
    with pytest.raises(forebay.UsageError, match="there is no column cls; there are file, index"):
        forebay.ray.read(path).select_columns(["cls"]).take_all()
    with forebay.TblWriter(tmp_path / "mixed.tbl") as writer:
        for value in (1, "two"):
            writer.add(b"x", metadata={"v": value})
    with pytest.raises(Exception, match="the field v is not of one kind"):
        forebay.ray.read(tmp_path / "mixed.tbl", columns=["v"], override_num_blocks=1).take_all()


def test_a_set_is_replaced_and_no_other(cluster: Any, tmp_path: pathlib.Path) -> None:
    forebay.convert(numbered(tmp_path / "a.tar", 4), tmp_path / "a.tbl")
    ds = forebay.ray.read(tmp_path / "a.tbl", override_num_blocks=1)
    for name, force in (("train-hard", False), ("train", False), ("train", True)):
        ds.write_datasink(forebay.ray.Sink(tmp_path / "out", name=name, force=force))
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == ["train-00000-of-00001.tbl", "train-hard-00000-of-00001.tbl"]


def test_a_row_has_the_name_of_its_column(cluster: Any, tmp_path: pathlib.Path) -> None:
    forebay.convert(numbered(tmp_path / "a.tar", 2), tmp_path / "a.tbl")
    ds = forebay.ray.read(tmp_path / "a.tbl", override_num_blocks=1).map(lambda row: {**row, "name": f"new-{row['name']}"})
    ds.write_datasink(forebay.ray.Sink(tmp_path / "out", name="some"))
    [path] = (tmp_path / "out").iterdir()
    assert [sample.name for sample in forebay.open_samples(path)] == ["new-00000.bmp", "new-00001.bmp"]
    for metadata in ("5", "[1]", "{"):
        rows = ray.data.from_items([{"payload": b"x", "metadata": metadata}])
        with pytest.raises(Exception, match="is a dict, or an object of JSON"):
            rows.write_datasink(forebay.ray.Sink(tmp_path / "bad"))


def test_rows_are_written_to_no_address() -> None:
    with pytest.raises(forebay.UnsupportedError, match="and to no address"):
        forebay.ray.Sink("s3://bucket/out")


# Of this process alone: what getrusage says begins with what its parent held.
MEASURE = """
import sys, forebay
plan = forebay.shards.Plan(open(sys.argv[1]).read())
plan.make(sys.argv[2], [0], workers=2, sync=False)
[held] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(int(held) * 1024, plan.memory(2))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the system tells it in /proc")
def test_a_shard_takes_no_more_memory_than_it_declares(tmp_path: pathlib.Path) -> None:
    members = {f"{i:04}.bin": bytes([i % 251]) * 500_000 for i in range(600)}
    path = write_tar(tmp_path / "large.tar", members)
    for shuffle in (None, 3):
        text = tmp_path / "plan"
        text.write_text(forebay.shards.plan(path, 1, shuffle=shuffle, compression="lz4").text)
        done = subprocess.run([sys.executable, "-c", MEASURE, text, tmp_path / f"out{shuffle}"], capture_output=True)
        assert done.returncode == 0, done.stderr
        taken, declared = map(int, done.stdout.split())
        assert taken < declared < 1 << 30, f"{taken:,} of {declared:,}"
