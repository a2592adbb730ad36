"""The loader: the order of everybody, batches without a copy, states that resume."""

from __future__ import annotations

import _thread
import gc
import itertools
import json
import multiprocessing
import os
import pathlib
import pickle
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import forebay
from conftest import FIXTURES, bmp, numbered, write_tar

ORDER = json.loads((FIXTURES / "order.json").read_text())
EPOCHS = ORDER["epochs"]


def address(array: Any) -> int:
    found: int = array.__array_interface__["data"][0]
    return found


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[int, pathlib.Path]:
    folder = tmp_path_factory.mktemp("numbered")
    return {n: numbered(folder / f"{n}.tar", n) for n in (7, 10, 23, 200)}


def shuffled(case: dict[str, Any]) -> dict[str, Any]:
    """The loader's options for the shuffle and the seed of a case."""
    seed = int(case["seed"])
    if case["shuffle"] == "full":
        return {"shuffle": seed}
    if isinstance(case["shuffle"], dict):
        return {"shuffle": forebay.Blocks(seed, **case["shuffle"]["blocks"])}
    return {"seed": seed}


@pytest.mark.parametrize("case", EPOCHS, ids=lambda c: f"{c['samples']}-{c['shuffle']}-{c['tail']}-{c['epoch']}")
def test_the_order_is_that_of_the_fixtures(case: dict[str, Any], archives: dict[int, pathlib.Path]) -> None:
    for rank in range(case["world"]):
        loader = forebay.Loader(
            archives[case["samples"]],
            batch=case["batch"],
            tail=case["tail"],
            rank=rank,
            world=case["world"],
            labels="cls",
            workers=2,
            allow_empty=True,
            **shuffled(case),
        )
        loader.set_epoch(case["epoch"])
        batches = list(loader)
        wanted = [step[rank] for step in case["steps"] if step[rank]]
        assert [batch.indices.tolist() for batch in batches] == wanted
        assert [batch.labels.tolist() for batch in batches] == wanted


@pytest.mark.parametrize("case", ORDER["mixes"], ids=lambda c: f"{c['shuffle']}-{c['epoch']}")
def test_a_mix_is_that_of_the_fixtures(case: dict[str, Any], tmp_path: pathlib.Path) -> None:
    paths, chosen, begin = [], [], 0
    for k, source in enumerate(case["sources"]):
        paths.append(numbered(tmp_path / f"{k}.tar", source["samples"]))
        chosen += [begin + i for i in source.get("selection", range(source["samples"]))]
        begin += source["samples"]
    mix = case["mix"]
    loader = forebay.Loader(
        paths, batch=4, tail="uneven", indices=chosen, mix=mix["weights"], epoch_samples=mix["epoch_samples"], **shuffled(case)
    )
    loader.set_epoch(case["epoch"])
    assert [[item.source, item.sample] for batch in loader for item in batch.items] == case["items"]


def test_a_state_is_that_of_the_fixtures(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = ORDER["state"]
    monkeypatch.chdir(tmp_path)
    numbered(tmp_path / "a", 100)
    loader = forebay.Loader("a", batch=wanted["global_batch"], shuffle=int(wanted["seed"]))
    loader.set_epoch(wanted["epoch"])
    steps = iter(loader)
    for _ in range(wanted["step"]):
        next(steps)
    found = loader.state_dict()["order"]
    # The loader itself says what tells its file from another of the same name; and it has no filter.
    assert found["sources"][0].pop("identity") != "" and wanted["sources"][0].pop("identity") == ""
    assert {**found, "filter": wanted["filter"]} == wanted


def test_batches_are_the_loaders_own_memory(archives: dict[int, pathlib.Path]) -> None:
    loader = forebay.Loader(archives[200], batch=10, size=4, dtype="u8", labels="cls", prefetch=2)
    assert len(loader) == 20
    for batch in loader:
        images = batch.images
        assert address(images) % 64 == 0
        assert images.flags.writeable and not images.flags.owndata
        assert images is batch.images and address(np.from_dlpack(batch)) == address(images)
        assert (images[:, 0, 0, 0] == batch.labels % 256).all()
    # With nobody holding them, few buffers serve all batches.
    seen = {address(batch.images) for batch in loader}
    assert len(seen) <= 5
    # Held, each has its own and keeps what it holds, also when batch and loader are gone.
    kept = [batch.images for batch in loader]
    assert len({address(images) for images in kept}) == 20
    del loader, batch
    gc.collect()
    assert [images[:, 0, 0, 0].tolist() for images in kept] == [list(range(i, i + 10)) for i in range(0, 200, 10)]
    kept[0][:] = 9
    assert (kept[1][:, 0, 0, 0] == np.arange(10, 20)).all()


def test_views_keep_a_batch_alive(archives: dict[int, pathlib.Path]) -> None:
    loader = forebay.Loader(archives[200], batch=10, size=4, dtype="u8")
    first = next(iter(loader)).images[3:5, 0]
    before = first.copy()
    for _ in range(3):
        for _ in loader:
            pass
    assert (first == before).all()


def test_pixels_are_those_of_the_picture(tmp_path: pathlib.Path) -> None:
    path = write_tar(tmp_path / "a.tar", {"a.bmp": bmp(6, 6, (255, 0, 51)), "b.bmp": bmp(6, 6, (0, 255, 102))})
    (batch,) = forebay.Loader(path, batch=2, size=(3, 2))
    assert (batch.images.shape, batch.images.dtype) == ((2, 3, 2, 3), np.float32)
    assert np.allclose(batch.images[0, :, 0, 0], [1.0, 0.0, 0.2])
    (batch,) = forebay.Loader(path, batch=2, size=2, layout="nhwc", dtype="f16", normalize=([0.5] * 3, [0.5] * 3))
    assert (batch.images.shape, batch.images.dtype) == ((2, 2, 2, 3), np.float16)
    assert np.allclose(batch.images[1, 0, 0], [-1.0, 1.0, -0.2], atol=1e-3)
    assert batch.placements[0].full == (6, 6)


def test_augmentations_are_drawn_by_seed_epoch_and_sample(corpus: pathlib.Path) -> None:
    augment = forebay.RandomResizedCrop() | forebay.HorizontalFlip() | forebay.ColorJitter(0.4, 0.4, 0.4, 0.1)
    augment = augment | forebay.Grayscale() | forebay.GaussianBlur() | forebay.RandomErasing()
    path = corpus / "tbl" / "jpeg20_lz4.tbl"

    def all_of(workers: int, batch: int) -> Any:
        loader = forebay.Loader(path, batch=batch, size=24, augment=augment, shuffle=7, workers=workers, normalize="imagenet")
        return np.concatenate([batch.images for batch in loader])

    first = all_of(1, 4)
    assert (first == all_of(3, 10)).all()
    assert (first[0] != first[1]).any()
    with pytest.raises(forebay.UsageError, match="two steps"):
        forebay.Loader(path, size=8, augment=forebay.CenterCrop() | forebay.Letterbox())
    with pytest.raises(forebay.UsageError):
        forebay.Loader(path, size=8, augment=forebay.HorizontalFlip(p=2))


def test_policies_and_rotations_say_where_points_land(corpus: pathlib.Path) -> None:
    path = corpus / "tbl" / "jpeg20_lz4.tbl"
    augment = forebay.RandomResizedCrop() | forebay.HorizontalFlip() | forebay.RandomRotation(30, interpolation="bilinear")
    augment = augment | forebay.RandAugment() | forebay.TrivialAugmentWide() | forebay.AutoAugment("cifar10") | forebay.RandAugment(1)
    augment = augment | forebay.RandomAffine((-5, 9), (0.1, 0.1), (0.9, 1.1), shear=(-3, 3, 0, 2)) | forebay.RandomPerspective()
    augment = augment | forebay.RandomPosterize(4) | forebay.RandomSolarize(128) | forebay.RandomEqualize() | forebay.RandomInvert(0.1)
    augment = augment | forebay.RandomAutocontrast() | forebay.RandomAdjustSharpness(2) | forebay.KeepBoxes(0.2, 1)

    def all_of(**options: Any) -> Any:
        loader = forebay.Loader(path, size=(24, 20), shuffle=7, normalize="imagenet", **options)
        return np.concatenate([batch.images for batch in loader])

    assert (all_of(augment=augment, workers=1, batch=4) == all_of(augment=augment, workers=3, batch=10)).all()
    turned = forebay.Stretch() | forebay.RandomRotation((90, 90))
    (batch,) = forebay.Loader(path, size=32, augment=turned, batch=20)
    (plain,) = forebay.Loader(path, size=32, augment=forebay.Stretch(), batch=20)
    assert (batch.images == np.rot90(plain.images, axes=(2, 3))).all()
    placement = batch.placements[0]
    width, height = placement.full
    corners = placement.points([(0, 0), (width, 0), (width / 2, height / 2)])
    assert np.allclose(corners, [(0, 32), (0, 0), (16, 16)]), "a quarter, counterclockwise"
    for wrong in [forebay.RandAugment(magnitude=31), forebay.AutoAugment("mnist"), forebay.RandomRotation(9, interpolation="bicubic")]:
        with pytest.raises(forebay.UsageError):
            forebay.Loader(path, size=8, augment=wrong)


def test_payloads_and_metadata(archives: dict[int, pathlib.Path]) -> None:
    ds = forebay.open(archives[23])
    for batch in forebay.Loader(archives[23], batch=5, shuffle=3, tail="uneven"):
        assert [bytes(p) for p in batch.payloads] == [bytes(ds[int(i)].payload) for i in batch.indices]
        assert all(p.readonly for p in batch.payloads)
        assert batch.names == [f"{i:05}.bmp" for i in batch.indices]
        assert [m["cls"] for m in batch.metadata] == batch.indices.tolist()
        with pytest.raises(AttributeError):
            batch.images


def test_a_filter_and_labels(archives: dict[int, pathlib.Path], tmp_path: pathlib.Path) -> None:
    loader = forebay.Loader(archives[23], batch=3, where="cls >= 17", labels="cls")
    assert sorted(int(x) for batch in loader for x in batch.labels) == [17, 18, 19, 20, 21, 22]
    with pytest.raises(forebay.UsageError):
        forebay.Loader(archives[23], where="cls > 99")
    names = {"x/a.bmp": bmp(2, 2, (1, 1, 1)), "y/b.bmp": bmp(2, 2, (2, 2, 2))}
    path = write_tar(tmp_path / "a.tar", names)
    loader = forebay.Loader(path, batch=2, labels=forebay.Labels.folder())
    assert (loader.classes, [b.labels.tolist() for b in loader]) == (["x", "y"], [[0, 1]])
    (tmp_path / "l.csv").write_text("file,kind\na.bmp,9\nb.bmp,8\n")
    loader = forebay.Loader(path, batch=2, labels=forebay.Labels.table(tmp_path / "l.csv", "file", "kind"))
    assert [b.labels.tolist() for b in loader] == [[9, 8]]


def test_a_state_resumes_exactly_also_on_other_ranks(archives: dict[int, pathlib.Path]) -> None:
    def make(batch: int, rank: int = 0, world: int = 1) -> forebay.Loader:
        return forebay.Loader(archives[200], batch=batch, shuffle=5, rank=rank, world=world)

    whole = [batch.indices.tolist() for batch in make(20)]
    loader = make(20)
    steps = iter(loader)
    for _ in range(4):
        next(steps)
    state = json.loads(json.dumps(loader.state_dict()))
    again = make(20)
    again.load_state_dict(state)
    assert (again.epoch, again.step) == (0, 4)
    assert [batch.indices.tolist() for batch in again] == whole[4:]
    assert again.epoch == 1
    halves = [make(10, rank, 2) for rank in range(2)]
    for half in halves:
        half.load_state_dict(state)
    rest = [sorted(a.indices.tolist() + b.indices.tolist()) for a, b in zip(*halves)]
    assert rest == [sorted(step) for step in whole[4:]]
    with pytest.raises(forebay.Error) as e:
        make(30).load_state_dict(state)
    assert e.value.code.startswith("order.state")
    assert next(steps).indices.tolist() == whole[4], "asking for the state changes nothing"


def test_epochs_follow_each_other(archives: dict[int, pathlib.Path]) -> None:
    loader = forebay.Loader(archives[23], batch=5, shuffle=1)
    first, second = ([b.indices.tolist() for b in loader] for _ in range(2))
    assert first != second
    loader.set_epoch(0)
    assert [b.indices.tolist() for b in loader] == first
    steps = iter(loader)
    next(steps)
    assert [b.indices.tolist() for b in loader] == second, "an epoch that was left begins anew"
    with pytest.raises(forebay.UsageError, match="another iteration"):
        next(steps)


@pytest.mark.parametrize("gives", ["batches", "numpy", "changed"])
def test_an_epoch_whose_end_was_not_asked_for_is_over(archives: dict[int, pathlib.Path], gives: str) -> None:
    def make() -> forebay.Loader:
        return forebay.Loader(archives[23], batch=5, size=4, shuffle=1, transform=(lambda b: b) if gives == "changed" else None)

    def epoch(loader: forebay.Loader) -> Any:
        return loader.numpy() if gives == "numpy" else iter(loader)

    # As Lightning does it: so many batches as the loader says, and no more.
    loader, epochs = make(), []
    for _ in range(3):
        for _ in zip(range(len(loader)), epoch(loader)):
            epochs.append(loader.epoch)
    assert epochs == [0] * 4 + [1] * 4 + [2] * 4 and (loader.epoch, loader.step) == (2, 4)
    # A state of there goes on as the loader itself does.
    again = make()
    again.load_state_dict(loader.state_dict())
    assert (again.epoch, again.step) == (2, 4)
    for one in (loader, again):
        assert len(list(epoch(one))) == 4 and (one.epoch, one.step) == (4, 0)
    loader.close()
    for _ in zip(range(4), epoch(loader)):
        pass
    loader.close()
    assert next(iter(make())).epoch == 0 and next(iter(loader)).epoch == 5
    # Asked for by name, the rest of an epoch that is over is nothing.
    again.load_state_dict(loader.state_dict() | {"order": loader.state_dict()["order"] | {"epoch": 2, "step": 4}})
    again.set_epoch(2)
    assert list(again) == []


def test_an_iterator_that_ended_stays_at_its_end(archives: dict[int, pathlib.Path]) -> None:
    loader = forebay.Loader(archives[23], batch=5, size=4)
    for begin in (iter, forebay.Loader.numpy):
        steps: Any = begin(loader)
        assert [len(list(steps)), len(list(steps))] == [4, 0]
    steps, parts = iter(loader), []
    while part := list(itertools.islice(steps, 3)):
        parts.append(len(part))
    assert parts == [3, 1] and loader.epoch == 3
    assert next(iter(loader)).epoch == 3 and list(steps) == []


def test_broken_samples(tmp_path: pathlib.Path) -> None:
    members = {f"{i}.bmp": bmp(2, 2, (i, i, i)) for i in range(6)}
    members["2.bmp"] = members["2.bmp"][:40]
    path = write_tar(tmp_path / "a.tar", members)
    with pytest.raises(forebay.DamagedError) as e:
        list(forebay.Loader(path, batch=3, size=2))
    assert e.value.sample == 2
    loader = forebay.Loader(path, batch=3, size=2, dtype="u8", on_error="skip")
    batches = list(loader)
    assert [len(batch) for batch in batches] == [2, 3]
    assert (batches[0].skipped[0].index, loader.stats().skipped) == (2, 1)
    assert isinstance(batches[0].skipped[0].error, forebay.DamagedError)
    loader = forebay.Loader(path, batch=3, size=2, dtype="u8", on_error="replace")
    batches = list(loader)
    assert [b.images[:, 0, 0, 0].tolist() for b in batches] == [[0, 1, 3], [3, 4, 5]]
    assert batches[0].skipped[0].replaced_by == 3


def test_rank_and_world_come_from_the_environment(
    archives: dict[int, pathlib.Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    loader = forebay.Loader(archives[10], batch=5)
    assert [b.indices.tolist() for b in loader] == [[5, 6, 7, 8, 9]]
    with pytest.raises(forebay.UsageError):
        forebay.Loader(archives[10], rank=1)


def test_settings_that_make_no_sense_are_refused(archives: dict[int, pathlib.Path]) -> None:
    wrong: list[dict[str, Any]] = [
        {"batch": 0},
        {"workers": 0},
        {"rank": 3, "world": 2},
        {"tail": "half"},
        {"shuffle": True},
        {"normalize": "imagenet"},
        {"size": 8, "dtype": "u8", "normalize": "imagenet"},
        {"mix": [1]},
        {"batch": -1},
        {"shuffle": np.True_},
        {"shuffle": 4.5},
        {"shuffle": "42"},
        {"size": 8.5},
        {"size": (8, 8, 8)},
        {"indices": 3},
        {"indices": np.arange(4).reshape(2, 2)},
        {"indices": {1, 2}},
        {"split": forebay.Split.train(float("nan"), 1)},
        {"size": 8, "augment": lambda picture: picture},
        {"size": 8, "augment": forebay.HorizontalFlip() | 5},  # type: ignore[operator]
    ]
    for name, options in {"batch": {"batch": -1}, "size": {"where": 'cls > "\\"{:,"', "size": -1}, "mix": {"mix": ["a"]}}.items():
        with pytest.raises(forebay.UsageError, match=f'the option "{name}" makes no sense: [^:]*: [^:]*, expected u') as e:
            forebay.Loader(archives[10], epoch_samples=3 if name == "mix" else None, **options)
        assert "column" not in str(e.value)
    with pytest.raises(forebay.UsageError, match="these are bytes"):
        forebay.Loader(b"train.tbl", batch=1)  # type: ignore[arg-type]
    for options in wrong:
        with pytest.raises(forebay.UsageError):
            forebay.Loader(archives[10], **options)


def test_what_would_have_no_effect_is_refused(archives: dict[int, pathlib.Path]) -> None:
    idle: list[dict[str, Any]] = [{"resampling": "nearest"}, {"fill": (1, 2, 3)}, {"layout": "nhwc"}, {"dtype": "u8"}]
    for options in [*idle, {"orient": True}, {"exact": True}]:
        with pytest.raises(forebay.UsageError, match=f"{next(iter(options))}.* size"):
            forebay.Loader(archives[10], batch=4, **options)
    like = forebay.warehouse.Transform(4)
    for options in idle[:3]:
        with pytest.raises(forebay.UsageError):
            forebay.Loader(archives[10], batch=4, warehouse_transform=like, **options)
    # A view is a picture of its own, of the loader's layout.
    views: Any = {"view": forebay.Target.view(4)}
    found = next(forebay.Loader(archives[10], batch=2, layout="nhwc", dtype="u8", targets=views).numpy())["view"]
    assert (found.shape, found.dtype) == ((2, 4, 4, 3), np.uint8)


def test_classes_are_those_that_a_dataset_was_opened_with(tmp_path: pathlib.Path) -> None:
    for name in ("a/x/1.bmp", "b/y/2.bmp"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(bmp(4, 4, (1, 2, 3)))
    ds = forebay.open_samples(tmp_path, class_level=2)
    for given in (ds, ds.where("class != 'z'"), [ds]):
        assert forebay.Loader(given, batch=1, labels="class").classes == ["x", "y"]
    assert forebay.Loader(ds, batch=1, labels="class", class_level=2).classes == ["x", "y"]
    for wrong in ({"paths": ds, "class_level": 1}, {"paths": [ds, forebay.open_samples(tmp_path, class_level=1)]}):
        with pytest.raises(forebay.UsageError, match="class_level is one for all files"):
            forebay.Loader(**wrong, batch=1)  # type: ignore[arg-type]


def test_what_chooses_nothing_or_the_wrong_thing_is_refused(archives: dict[int, pathlib.Path]) -> None:
    path = archives[10]
    mask = np.arange(10) % 2 == 0
    assert [b.indices.tolist() for b in forebay.Loader(path, batch=5, indices=mask)] == [[0, 2, 4, 6, 8]]
    for wrong in (mask[:9], np.append(mask, False)):
        with pytest.raises(forebay.UsageError, match="truth values, and there are 10"):
            forebay.Loader(path, batch=1, indices=wrong)
    for options in ({"part": "valid"}, {"part": "train", "by": "smaple"}):
        with pytest.raises(forebay.UsageError, match="train or validation"):
            forebay.Split(0.3, 1, **options)  # type: ignore[arg-type]
    with pytest.raises(forebay.UsageError, match="for the offsets of 't'"):
        forebay.Loader(path, batch=1, targets={"t": "text:cls", "t_offsets": "int:cls"})
    loader: Any = forebay.Loader(path, batch=np.int64(5), size=np.int64(4))  # type: ignore[arg-type]
    assert [batch.images.shape for batch in loader] == [(5, 3, 4, 4)] * 2
    # Patterns stand beside parts of datasets as they stand alone.
    pattern = path.with_name("1[0].tar")
    assert len(forebay.Loader([str(pattern), forebay.open(path)[:3]], batch=1)) == 13


def test_ctrl_c_is_heard_while_a_batch_is_waited_for(tmp_path: pathlib.Path) -> None:
    big = bmp(3000, 3000, (1, 2, 3))
    path = write_tar(tmp_path / "a.tar", {f"{i}.bmp": big for i in range(32)})
    loader = forebay.Loader(path, batch=32, size=64, workers=1, prefetch=1)
    timer = threading.Timer(0.05, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for batch in loader:
            while True:  # the batch came first: the signal comes here
                time.sleep(0.001)
    timer.join()
    # Nothing was lost: the batch that was waited for comes next.
    loader.set_epoch(0)
    assert [batch.step for batch in loader] == [0]


def test_other_threads_go_on_while_a_batch_is_waited_for(tmp_path: pathlib.Path) -> None:
    big = bmp(2000, 2000, (1, 2, 3))
    path = write_tar(tmp_path / "a.tar", {f"{i}.bmp": big for i in range(24)})
    loader = forebay.Loader(path, batch=24, size=32, workers=1, prefetch=1)
    counted = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    (batch,) = loader
    stop.set()
    thread.join()
    assert len(batch) == 24 and counted > 100


def test_what_a_batch_has_may_be_set(archives: dict[int, pathlib.Path]) -> None:
    batch = next(iter(forebay.Loader(archives[10], batch=5, size=4, dtype="u8", labels="cls")))
    first, labels = batch
    assert first is batch.images and labels is batch.labels
    labels[0] = 77
    assert batch.labels[0] == 77
    batch.images, batch.labels = first[:2], labels[:2]
    assert (batch.images.shape[0], len(batch.labels), len(batch)) == (2, 2, 5)
    assert "0:0" in repr(batch) and "uint8" in repr(batch).replace("u8", "uint8")


def test_what_was_not_asked_for_is_not_given_as_nothing(archives: dict[int, pathlib.Path]) -> None:
    loader = forebay.Loader(archives[10], batch=2, size=4)
    batch = next(iter(loader))
    # A batch of two would be two images.
    with pytest.raises(forebay.UsageError, match="give it labels"):
        images, labels = batch
    for name in ("boxes", "mask", "box_classes"):
        with pytest.raises(AttributeError, match="annotations"):
            getattr(batch, name)
    batch.labels = [7, 8]
    images, labels = batch
    assert labels == [7, 8] and images is batch.images
    # What a function of the caller's sets is given, also by a loader of payloads.
    def sums(batch: forebay.Batch) -> None:
        batch.images = [sum(payload) for payload in batch.payloads]

    changed = forebay.Loader(archives[10], batch=2, targets={"n": "int:cls"}, transform=sums)
    assert {tuple(sorted(found)) for found in changed.numpy()} == {("images", "n")}


def test_braces_number_files(tmp_path: pathlib.Path) -> None:
    for i in range(3):
        numbered(tmp_path / f"a-{i:02}.tar", 2)
    assert len(forebay.Loader(tmp_path / "a-{00..02}.tar", batch=2)) == 3
    with pytest.raises(FileNotFoundError, match="a-03.tar"):
        forebay.Loader(tmp_path / "a-{00..03}.tar", batch=2)


def test_a_batch_that_holds_itself_is_garbage(archives: dict[int, pathlib.Path]) -> None:
    class Held:
        pass

    batch = next(iter(forebay.Loader(archives[10], batch=5, size=4)))
    held = Held()
    batch.labels, batch.images = [batch, held], {"batch": batch}
    gone = weakref.ref(held)
    del batch, held
    gc.collect()
    assert gone() is None


def test_a_function_changes_each_batch(archives: dict[int, pathlib.Path]) -> None:
    def make(transform: Any) -> forebay.Loader:
        return forebay.Loader(archives[23], batch=5, size=4, dtype="u8", labels="cls", transform=transform)

    def in_place(batch: forebay.Batch) -> None:
        batch.images[:, 1] = 9

    for images, labels in make(in_place).numpy():
        assert (images[:, 1] == 9).all() and (images[:, 0, 0, 0] == labels).all()

    def anew(batch: forebay.Batch) -> None:
        batch.images = batch.images.astype(np.float32) / 2

    batches = list(make(anew))
    assert [b.images.dtype for b in batches] == [np.float32] * 4
    assert batches[1].images[0, 0, 0, 0] == 2.5
    found = list(make(lambda batch: {"x": batch.images, "n": len(batch)}))
    assert [one["n"] for one in found] == [5] * 4

    def wrong(batch: forebay.Batch) -> None:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        list(make(wrong))
    loader = make(lambda batch: time.sleep(0.01))
    list(loader)
    stats = loader.stats()
    assert stats.functions > 0.03 and stats.training < stats.functions
    assert "transform" in stats.verdict


def test_a_function_may_return_the_batch_that_it_changed(archives: dict[int, pathlib.Path]) -> None:
    def half(batch: Any) -> Any:
        batch.images = batch.images[:2]
        return batch

    loader = forebay.Loader(archives[10], batch=4, size=4, labels="cls", transform=half)
    assert [images.shape[0] for images, _ in loader.numpy()] == [batch.images.shape[0] for batch in loader] == [2, 2]


def test_a_function_for_each_sample_warns_of_its_cost(archives: dict[int, pathlib.Path]) -> None:
    with pytest.warns(UserWarning, match="every sample"):
        loader = forebay.Loader(archives[23], batch=5, size=4, dtype="u8", per_sample=lambda image: image.sum(axis=0))
    assert [batch.images.shape for batch in loader] == [(5, 4, 4)] * 4
    with pytest.warns(UserWarning):
        loader = forebay.Loader(archives[23], batch=5, per_sample=bytes)
    ds = forebay.open(archives[23])
    for batch in loader:
        assert batch.images == [bytes(ds[int(i)].payload) for i in batch.indices]

    def darker(image: Any) -> None:
        image[:] = 0

    with pytest.warns(UserWarning):
        loader = forebay.Loader(archives[23], batch=5, size=4, dtype="u8", per_sample=darker)
    assert all(images.max() == 0 for images in loader.numpy())


def test_texts(tmp_path: pathlib.Path) -> None:
    with forebay.TblWriter(tmp_path / "t.tbl") as writer:
        for text in ["one", "zwölf", "三"]:
            writer.add(text.encode())
        writer.add(b"\xff\xfe")
    loader = forebay.Loader(tmp_path / "t.tbl", batch=3)
    assert [batch.texts for batch in loader] == [["one", "zwölf", "三"]]
    (batch,) = forebay.Loader(tmp_path / "t.tbl", batch=4)
    with pytest.raises(forebay.UsageError) as e:
        batch.texts
    assert e.value.sample == 3


def test_several_files_are_one_and_mix_by_weights(archives: dict[int, pathlib.Path]) -> None:
    loader = forebay.Loader([archives[7], archives[10]], batch=17)
    (batch,) = loader
    assert [item.source for item in batch.items] == [0] * 7 + [1] * 10
    assert batch.indices.tolist() == list(range(17))
    mixed = forebay.Loader([archives[7], archives[200]], batch=20, mix=[3, 1], epoch_samples=200, shuffle=5)
    sources = [item.source for batch in mixed for item in batch.items]
    assert (sources.count(0), sources.count(1)) == (150, 50)


def test_a_loop_without_python_takes_the_same_batches(archives: dict[int, pathlib.Path]) -> None:
    loader = forebay.Loader(archives[200], batch=20, size=4)
    steps = iter(loader)
    next(steps)
    assert loader._core.drain() == 9
    assert (loader.epoch, loader.step) == (1, 0)


def test_jax_gets_the_same_numbers(archives: dict[int, pathlib.Path]) -> None:
    pytest.importorskip("jax", reason="JAX is not installed here; this test was left out")
    loader = forebay.Loader(archives[200], batch=20, size=4, dtype="u8", labels="cls")
    seen = []
    for images, labels in loader.jax():
        assert images.shape == (20, 3, 4, 4)
        assert (np.asarray(images)[:, 0, 0, 0] == np.asarray(labels)).all()
        seen.append(images)
    # They are the loader's memory, which lives as long as they do.
    assert [np.asarray(images)[:, 0, 0, 0].tolist() for images in seen] == [
        list(range(i, i + 20)) for i in range(0, 200, 20)
    ]


def test_loaders_pickle_with_their_state(archives: dict[int, pathlib.Path]) -> None:
    loader = forebay.Loader(archives[200], batch=20, shuffle=5, size=4, labels="cls")
    whole = [batch.labels.tolist() for batch in loader]
    loader.set_epoch(0)
    steps = iter(loader)
    next(steps)
    again = pickle.loads(pickle.dumps(loader))
    assert [batch.labels.tolist() for batch in again] == whole[1:]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
def test_a_fork_begins_where_an_iteration_would_begin_here(archives: dict[int, pathlib.Path]) -> None:
    def forked(loader: forebay.Loader) -> list[list[int]]:
        context = multiprocessing.get_context("fork")
        receive, send = context.Pipe(duplex=False)
        child = context.Process(target=_labels, args=(loader, send))
        child.start()
        assert receive.poll(120), "the child hangs"
        found: list[list[int]] = receive.recv()
        child.join(60)
        return found

    def make() -> forebay.Loader:
        return forebay.Loader(archives[200], batch=20, shuffle=5, size=4, labels="cls")

    known = make()
    epochs = [[batch.labels.tolist() for batch in known] for _ in range(4)]
    loader = make()
    assert forked(loader) == epochs[0]
    for epoch in (2, 1):
        loader.set_epoch(epoch)
        assert forked(loader) == epochs[epoch]
    steps = iter(loader)
    for _ in range(3):
        next(steps)
    again = make()
    again.load_state_dict(loader.state_dict())
    assert forked(again) == epochs[1][3:]
    again.set_epoch(3)
    assert forked(again) == epochs[3]
    # Behind the last batch it is the next epoch, whether or not the end was asked for.
    for _ in zip(range(len(loader) - 3), steps):
        pass
    assert forked(loader) == epochs[2]
    assert list(steps) == [] and forked(loader) == epochs[2]


def _labels(loader: forebay.Loader, send: Any) -> None:
    send.send([batch.labels.tolist() for batch in loader])
    send.close()


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_loaders_go_on_in_another_process(archives: dict[int, pathlib.Path], how: str) -> None:
    if how not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system does not {how}")
    loader = forebay.Loader(archives[200], batch=20, shuffle=5, size=4, labels="cls")
    whole = [batch.labels.tolist() for batch in loader]
    loader.set_epoch(0)
    next(iter(loader))
    context = multiprocessing.get_context(how)
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=_labels, args=(loader, send))
    child.start()
    assert receive.poll(120), "the child hangs"
    found = receive.recv()
    child.join(60)
    assert child.exitcode == 0
    # Forked it begins its epoch anew, as nobody saved where it stood; pickled it goes on.
    assert found == (whole if how == "fork" else whole[1:])


def test_many_loaders_leave_no_threads_no_files_and_no_memory(archives: dict[int, pathlib.Path]) -> None:
    if not os.path.isdir("/proc/self/task"):
        pytest.skip("only Linux lists threads and files in /proc")

    def used() -> tuple[int, int]:
        gc.collect()
        return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))

    def resident() -> int:
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def once(k: int) -> None:
        loader = forebay.Loader(archives[23], batch=5, size=64, labels="cls", workers=3)
        for step, batch in enumerate(loader):
            batch.images, batch.labels, batch.indices
            # Some are left in the middle, with batches on their way.
            if step == k % 5:
                break

    for k in range(20):
        once(k)
    before, bytes_before = used(), resident()
    for k in range(200):
        once(k)
    assert used() == before
    # A batch is 240 kB; were one of each loader kept, they would be 48 MB.
    assert resident() - bytes_before < 24 << 20


def test_decoded_pictures_are_kept_and_change_nothing(
    archives: dict[int, pathlib.Path], tmp_path: pathlib.Path
) -> None:
    def run(**more: Any) -> tuple[list[bytes], forebay.LoaderStats]:
        crop = forebay.RandomResizedCrop() | forebay.HorizontalFlip()
        with forebay.Loader(archives[23], batch=8, size=16, augment=crop, shuffle=3, **more) as loader:
            made = [batch.images.tobytes() for _ in range(3) for batch in loader]
            if "timeline" in more:
                assert loader.write_timeline(tmp_path / "trace.json") > 0
            return made, loader.stats()

    plain, stats = run()
    assert stats.decoded is None
    options: list[dict[str, Any]] = [{}, {"decoded_cache_file": tmp_path / "kept"}, {"timeline": 1000}]
    for more in options:
        made, stats = run(decoded_cache=1 << 24, **more)
        assert made == plain
        kept = stats.decoded
        assert kept is not None and kept.hits > 0 and kept.expected_hit_rate == 1 and kept.evictions == 0
    trace = json.loads((tmp_path / "trace.json").read_text())
    assert {event["ph"] for event in trace["traceEvents"]} == {"M", "X"}
    with pytest.raises(forebay.UsageError, match="decoded_cache_file"):
        run(decoded_cache_file=tmp_path / "kept")
    with forebay.Loader(archives[23], batch=8) as loader, pytest.raises(forebay.UsageError, match="timeline"):
        loader.write_timeline(tmp_path / "none.json")


def test_stats_say_who_waits(archives: dict[int, pathlib.Path]) -> None:
    with forebay.Loader(archives[200], batch=20, size=4) as loader:
        assert loader.stats().verdict == "nothing was loaded yet"
        for _ in loader:
            time.sleep(0.001)
        stats = loader.stats()
    assert stats.samples >= 200 and stats.training > 0
    assert "waits" in stats.verdict
    assert [len(batch) for batch in loader] == [20] * 10, "a closed loader starts again"
