"""Mosaics, MixUp, CutMix, and rows of tables as batches."""

from __future__ import annotations

import json
import pathlib
import pickle

import forebay
import numpy as np
import pytest


@pytest.fixture
def pictures(tmp_path: pathlib.Path) -> pathlib.Path:
    """Twelve images of 6 x 4 pixels, each of one color, in three folders."""
    for i in range(12):
        folder = tmp_path / "set" / "abc"[i % 3]
        folder.mkdir(parents=True, exist_ok=True)
        row = bytes([i * 20, 255 - i * 20, 7]) * 6 + b"\0\0"
        head = b"BM" + (54 + len(row) * 4).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
        size = (40).to_bytes(4, "little") + (6).to_bytes(4, "little") + (4).to_bytes(4, "little")
        (folder / f"{i:02}.bmp").write_bytes(head + size + bytes([1, 0, 24, 0]) + bytes(24) + row * 4)
    return tmp_path / "set"


def test_every_picture_of_a_mosaic_is_where_its_piece_says(pictures: pathlib.Path) -> None:
    augment = forebay.Letterbox() | forebay.HorizontalFlip() | forebay.Mosaic(scale=(1.0, 2.0))
    loader = forebay.Loader(pictures, batch=4, size=32, augment=augment, dtype="u8", shuffle=3, labels=forebay.Labels.folder())
    alone = forebay.Loader(pictures, batch=12, size=8, dtype="u8", labels=forebay.Labels.folder())
    colors = next(iter(alone)).images[:, :, 0, 0]
    labels = next(iter(alone)).labels
    seen = 0
    for batch in loader:
        soft = batch.soft_labels(3)
        assert soft.shape == (4, 3) and np.allclose(soft.sum(1), 1)
        for k, pieces in enumerate(batch.pieces):
            assert len(pieces) == 4 and pieces[0].index == batch.indices[k] and pieces[0].label == batch.labels[k]
            assert abs(sum(piece.share for piece in pieces) - 1) < 1e-9
            for piece in pieces:
                assert piece.label == labels[piece.index] and piece.cut is None
                x, y, width, height = piece.placement.target
                part = batch.images[k][:, y : y + height, x : x + width]
                assert (part == colors[piece.index][:, None, None]).all()
                seen += width * height
    assert seen > 12 * 500


def test_a_mosaic_of_nine_has_its_own_picture_in_the_middle(pictures: pathlib.Path) -> None:
    loader = forebay.Loader(pictures, batch=4, size=48, augment=forebay.Mosaic.nine(scale=(0.5, 0.9)), dtype="u8", shuffle=3)
    colors = next(iter(forebay.Loader(pictures, batch=12, size=8, dtype="u8"))).images[:, :, 0, 0]
    seen = 0
    for batch in loader:
        for k, pieces in enumerate(batch.pieces):
            assert len(pieces) == 9 and pieces[0].index == batch.indices[k]
            x, y, width, height = pieces[0].placement.target
            assert max(width, height) == 16 and 0 < x < 32 and 0 < y < 32
            for piece in pieces:
                x, y, width, height = piece.placement.target
                assert (batch.images[k][:, y : y + height, x : x + width] == colors[piece.index][:, None, None]).all()
                seen += width * height
    assert seen > 12 * 1000
    with pytest.raises(forebay.UsageError):
        forebay.Loader(pictures, size=8, augment=forebay.Mosaic(pictures=5))


def test_mixtures_are_the_same_on_every_rank(pictures: pathlib.Path) -> None:
    for step in (forebay.MixUp(0.7), forebay.CutMix(0.7), forebay.MixUpOrCutMix(1.0)):

        def images(rank: int, world: int, step: forebay.MixUp = step) -> dict[int, bytes]:
            loader = forebay.Loader(pictures, batch=12 // world, size=16, augment=step, dtype="u8", shuffle=1, rank=rank, world=world)
            batches = list(loader)
            return {int(i): image.tobytes() for batch in batches for i, image in zip(batch.indices, batch.images)}

        alone = images(0, 1)
        assert {**images(0, 3), **images(1, 3), **images(2, 3)} == alone
    with pytest.raises(forebay.UsageError):
        forebay.Loader(pictures, size=8, augment=forebay.MixUp() | forebay.CutMix())
    with pytest.raises(forebay.UsageError):
        forebay.Loader(pictures, size=8, augment=forebay.Mosaic(p=2))


def test_rows_are_those_of_the_last_iteration_and_each_has_its_name(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,a_mask\n" + "".join(f"{i or ''},{i}\n" for i in range(6)))
    loader = forebay.TableLoader(path, columns=["a_mask"], batch=2)
    before = iter(loader)
    next(before)
    loader.load_state_dict(loader.state_dict())
    after = iter(loader)
    next(after)
    with pytest.raises(forebay.UsageError, match="another iteration"):
        next(before)
    assert next(after)["a_mask"].tolist() == [4, 5]
    with pytest.raises(forebay.UsageError, match="'a_mask' is a column, and what comes with another"):
        next(iter(forebay.TableLoader(path, batch=2)))


def test_rows_of_a_table_are_batches(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [{"n": i, "x": i / 2, "t": f"row {i}", "v": list(range(i % 3)), "age": None if i == 4 else i} for i in range(10)]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    loader = forebay.TableLoader(path, batch=5)
    assert len(loader) == 2 and loader.epoch_samples == 10
    first, second = loader
    assert first["n"].tolist() == [0, 1, 2, 3, 4] and first["x"].dtype == np.float32
    assert first["age_mask"].tolist() == [1, 1, 1, 1, 0] and "n_mask" not in first
    ends = second["t_offsets"].tolist()
    assert [second["t"][a:b].tobytes().decode() for a, b in zip(ends, ends[1:])] == [f"row {i}" for i in range(5, 10)]
    assert second["v"].tolist() == [0, 1, 0, 0, 1] and second["v_offsets"].tolist() == [0, 2, 2, 3, 5, 5]

    def shuffled() -> forebay.TableLoader:
        return forebay.TableLoader(path, columns=["n"], where="n != 3", batch=3, shuffle=7)

    whole = shuffled()
    epochs = [[batch["n"].tolist() for batch in whole] for _ in range(2)]
    assert epochs[0] != epochs[1] and sorted(sum(epochs[0], [])) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    broken_off, resumed = shuffled(), shuffled()
    broken_off.set_epoch(1)
    assert next(iter(broken_off))["n"].tolist() == epochs[1][0]
    resumed.load_state_dict(broken_off.state_dict())
    assert [batch["n"].tolist() for batch in resumed] == epochs[1][1:]

    # As a loader of samples: an epoch that is left begins again, one whose end was not asked for is over.
    loader = shuffled()
    next(iter(loader))
    assert [batch["n"].tolist() for _, batch in zip(range(3), loader)] == epochs[0]
    again = pickle.loads(pickle.dumps(loader))
    for one in (loader, again):
        assert [batch["n"].tolist() for batch in one] == epochs[1]
        assert [one.state_dict()["order"][name] for name in ("epoch", "step")] == [2, 0]
    first = iter(loader)
    next(first)
    next(iter(loader))
    with pytest.raises(forebay.UsageError, match="another iteration"):
        next(first)
    with pytest.raises(forebay.UsageError, match="given together"):
        forebay.TableLoader(path, rank=0)
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert [batch["n"].tolist() for batch in forebay.TableLoader(path, columns=["n"], batch=5)] == [[5, 6, 7, 8, 9]]
    monkeypatch.delenv("RANK")

    windows = forebay.TableLoader(path, columns=["n", "x"], window=3, stride=2, batch=2)
    assert [batch["n"].tolist() for batch in windows] == [[[0, 1, 2], [2, 3, 4]], [[4, 5, 6], [6, 7, 8]]]
    with pytest.raises(forebay.UsageError):
        forebay.TableLoader(path, columns=["v"], window=2)
