"""The guide's API on this engine."""

from __future__ import annotations

import inspect
import json
import pathlib
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import CORPUS, bmp
from forebay.compat import turboloader


@pytest.fixture
def tbl(tmp_path: pathlib.Path) -> pathlib.Path:
    turboloader.convert_tar_to_tbl(str(CORPUS / "tar" / "wds.tar"), str(tmp_path / "a.tbl"))
    return tmp_path / "a.tbl"


def test_converting_tells_its_progress_and_keeps_metadata(tmp_path: pathlib.Path) -> None:
    told: list[tuple[int, int, float]] = []
    made = turboloader.convert_tar_to_tbl(
        CORPUS / "tar" / "wds.tar",
        tmp_path / "a.tbl",
        compression="none",
        workers=2,
        progress_callback=lambda *at: told.append(at),
        metadata={"dataset": "mine", "samples": [{"label": i} for i in range(15)]},
    )
    assert made["samples"] == 15 and told[-1][:2] == (15, 15) and told[-1][2] > 0
    loader = turboloader.DataLoader(tmp_path / "a.tbl", batch_size=4)
    found = loader.get_metadata()
    assert found["dataset"] == "mine" and [one["label"] for one in found["samples"]] == list(range(15))
    assert turboloader.TblReaderV2(tmp_path / "a.tbl").get_metadata() == found
    assert forebay.open(tmp_path / "a.tbl")[3].metadata["label"] == 3


def test_batches_are_lists_of_dicts(tbl: pathlib.Path) -> None:
    ds = forebay.open(tbl)
    batches = list(turboloader.DataLoader(str(tbl), batch_size=4, num_workers=3))
    assert [len(batch) for batch in batches] == [4, 4, 4, 3]
    samples = [sample for batch in batches for sample in batch]
    for sample, known in zip(samples, ds):
        assert (sample["image"] == known.image()).all()
        assert sample["image"].shape == (sample["height"], sample["width"], 3)
        assert (sample["name"], sample["metadata"]) == (known.name, known.metadata)


def test_filters_and_workers(tbl: pathlib.Path) -> None:
    wide = turboloader.DataLoader(tbl, 8, filter_fn=lambda meta: meta["width"] >= 200 and meta["height"] >= 100)
    same = turboloader.DataLoader(tbl, 8, where="width >= 200 && height >= 100")
    found = [[s["index"] for batch in loader for s in batch] for loader in (wide, same)]
    assert found[0] == found[1] and 0 < len(found[0])
    shares = [turboloader.DataLoader(tbl, 4, num_workers=3, worker_id=i) for i in range(3)]
    assert sorted(s["index"] for share in shares for batch in share for s in batch) == list(range(15))
    with pytest.raises(forebay.UsageError):
        turboloader.DataLoader(tbl, 4, num_workers=3, worker_id=3)


def test_reader_and_writer(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    with turboloader.TblWriterV2(str(path), enable_compression=True) as writer:
        for i in range(5):
            at = writer.add_sample(bmp(20 + i, 10, (i, i, i)), turboloader.SampleFormat.BMP, 20 + i, 10)
            writer.add_metadata(at, json.dumps({"label": i}))
        writer.add_sample(bytes(4 * 2 * 3), turboloader.SampleFormat.RAW_U8, 4, 2)
        assert writer.compression_ratio() > 1 and writer.space_saved_mb() > 0
        with pytest.raises(forebay.UsageError):
            writer.add_metadata(0, "{}")
    reader = turboloader.TblReaderV2(str(path))
    assert reader.num_samples == reader.num_samples() == len(reader) == 6
    assert reader.read_sample(2) == bmp(22, 10, (2, 2, 2))
    assert (reader.get_format(2).name, reader.get_width(2), reader.get_height(2)) == ("BMP", 22, 10)
    assert (reader.get_format(5).name, reader.get_width(5), reader.get_height(5)) == ("RAW_U8", 4, 2)
    assert json.loads(reader.read_metadata(3)[0])["label"] == 3
    assert reader.filter_by_dimensions(min_width=22, max_width=23) == [2, 3]
    assert reader.filter_by_format("BMP") == [0, 1, 2, 3, 4]


def test_metadata_that_is_no_json_is_refused_and_comes_before_it_is_written(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    with turboloader.TblWriterV2(path) as writer:
        for i in range(3):
            at = writer.add_sample(bmp(20, 10, (i, i, i)))
            for wrong in ('{"a": NaN}', '{"a": [-Infinity]}', '{"a": 1e400}'):
                with pytest.raises(forebay.UsageError, match="no number of JSON"):
                    writer.add_metadata(at, wrong)
            assert (writer.compression_ratio() > 1) == (i > 0) and (writer.space_saved_mb() > 0) == (i > 0)
            writer.add_metadata(at, f'{{"label": {i}}}')
        assert writer.compression_ratio() > 1
        with pytest.raises(forebay.UsageError, match="written already"):
            writer.add_metadata(2, "{}")
    assert forebay.check(path).ok and [sample.metadata["label"] for sample in forebay.open(path)] == [0, 1, 2]


def test_a_batch_is_of_whole_samples_and_a_format_is_one_that_there_is(tbl: pathlib.Path) -> None:
    # Never reached, so that one batch had all samples.
    with pytest.raises(TypeError):
        turboloader.DataLoader(tbl, batch_size=2.5)  # type: ignore[arg-type]
    reader = turboloader.TblReaderV2(tbl)
    by_name = reader.filter_by_format(turboloader.SampleFormat(reader.get_format(0)).name)
    assert by_name and reader.filter_by_format(int(reader.get_format(0))) == by_name  # type: ignore[arg-type]
    with pytest.raises(forebay.UsageError, match="a format is one of UNKNOWN, JPEG"):
        reader.filter_by_format("jpg")


def test_a_pipeline_goes_on_behind_a_broken_sample(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    with turboloader.TblWriterV2(path, enable_compression=False) as writer:
        for i in range(6):
            writer.add_sample(bmp(4, 4, (i, i, i)))
    data = bytearray(path.read_bytes())
    data[forebay.open(path)[2].info.offset + 60] ^= 1
    path.write_bytes(data)
    pipeline = turboloader.Pipeline(path, num_workers=2)
    pipeline.start()
    with pytest.raises(turboloader.CRCMismatchError):
        pipeline.next_batch(4)
    assert [[sample["index"] for sample in pipeline.next_batch(4)] for _ in range(3)] == [[0, 1, 3, 4], [5], []]
    pipeline.stop()
    with pytest.raises(turboloader.CRCMismatchError):
        list(turboloader.DataLoader(path, 4))


def test_a_wrong_checksum_is_said(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tbl"
    with turboloader.TblWriterV2(path, enable_compression=False) as writer:
        writer.add_sample(b"payload" * 10)
    data = bytearray(path.read_bytes())
    data[forebay.open(path)[0].info.offset] ^= 1
    path.write_bytes(data)
    with pytest.raises(turboloader.CRCMismatchError) as e:
        turboloader.TblReaderV2(path).read_sample(0)
    assert isinstance(e.value, forebay.DamagedError) and e.value.sample == 0


def test_a_pipeline(tbl: pathlib.Path) -> None:
    pipeline = turboloader.Pipeline(tbl, num_workers=2)
    assert pipeline.state == "idle"
    with pytest.raises(forebay.UsageError):
        pipeline.next_batch(3)
    pipeline.start()
    counts = [len(pipeline.next_batch(6)) for _ in range(4)]
    assert counts == [6, 6, 3, 0]
    pipeline.reset()
    pipeline.start()
    assert isinstance(pipeline.next_batch(1)[0]["image"], np.ndarray)
    pipeline.stop()
    assert pipeline.state == "stopped"
    pipeline.start()
    with pytest.raises(forebay.UsageError):
        pipeline.next_batch(0)
    pipeline.stop()


#: The guide's names with their arguments, as it lists them.
GUIDE: dict[str, list[str]] = {
    "convert_tar_to_tbl": ["input", "output", "compression", "workers", "progress_callback", "metadata", "metadata_format"],
    "DataLoader": ["path", "batch_size", "num_workers", "filter_fn", "worker_id"],
    "DataLoader.get_metadata": [],
    "TblReaderV2": ["path"],
    "TblReaderV2.read_sample": ["index"],
    "TblReaderV2.get_format": ["index"],
    "TblReaderV2.get_width": ["index"],
    "TblReaderV2.get_height": ["index"],
    "TblWriterV2.add_sample": ["data", "format", "width", "height"],
    "TblWriterV2.compression_ratio": [],
    "TblWriterV2.space_saved_mb": [],
    "TblWriterV2.finalize": [],
    "Pipeline.start": [],
    "Pipeline.next_batch": ["n"],
    "Pipeline.stop": [],
    "Pipeline.reset": [],
}


@pytest.mark.parametrize("name", GUIDE)
def test_the_guides_names_take_the_guides_arguments(name: str) -> None:
    found: Any = turboloader
    for part in name.split("."):
        found = getattr(found, part)
    arguments = [one for one in inspect.signature(found).parameters if one != "self"]
    assert arguments[: len(GUIDE[name])] == GUIDE[name]
    if name == "convert_tar_to_tbl":
        assert inspect.signature(found).parameters["compression"].default == "lz4"


def test_every_codec_level_and_format_of_metadata_of_the_guide(tmp_path: pathlib.Path) -> None:
    levels = [("none", None), *(("lz4", level) for level in (1, 12)), *(("zstd", level) for level in (1, 19))]
    for codec, level in levels:
        with turboloader.TblWriterV2(tmp_path / "a.tbl", compression=codec, level=level) as writer:
            writer.add_sample(bmp(30, 30, (1, 2, 3)), turboloader.SampleFormat.BMP, 30, 30)
        assert turboloader.TblReaderV2(tmp_path / "a.tbl").read_sample(0) == bmp(30, 30, (1, 2, 3))
    wds = CORPUS / "tar" / "wds.tar"
    for kind in ("json", "msgpack"):
        turboloader.convert_tar_to_tbl(wds, tmp_path / "b.tbl", metadata={"classes": ["a", "b"]}, metadata_format=kind)
        assert turboloader.DataLoader(tmp_path / "b.tbl", 4).get_metadata()["classes"] == ["a", "b"]
    # A field 1 of wire type 2, as protobuf writes a text.
    turboloader.convert_tar_to_tbl(wds, tmp_path / "b.tbl", metadata=b"\x0a\x03abc", metadata_format="protobuf")
    assert len(turboloader.DataLoader(tmp_path / "b.tbl", 4)) == 4


def test_progressive_training_opens_one_loader_a_size(tbl: pathlib.Path) -> None:
    seen = []
    for least in (0, 100, 10_000):
        loader = turboloader.DataLoader(tbl, 4, filter_fn=lambda meta: meta["width"] >= least)
        seen.append(sum(len(batch) for batch in loader))
    assert seen[0] == 15 and seen[0] >= seen[1] > seen[2] == 0
