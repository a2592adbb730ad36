"""PyTorch, where it is installed: it is too large to be installed for these tests."""

from __future__ import annotations

import functools
import io
import os
import pathlib
import subprocess
import sys
import threading
from typing import Any, Callable

import numpy as np
import pytest

import forebay
from conftest import CORPUS, numbered, write_tar

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; these tests were left out")


def make(tmp_path: pathlib.Path, **options: Any) -> forebay.Loader:
    path = tmp_path / "a.tar"
    if not path.exists():
        numbered(path, 40)
    return forebay.Loader(path, **{"batch": 10, "size": 4, "dtype": "u8", **options})


def test_tensors_are_the_loaders_own_memory(tmp_path: pathlib.Path) -> None:
    loader = make(tmp_path, labels="cls")
    for batch in loader:
        tensor = torch.from_numpy(batch.images)
        assert tensor.data_ptr() == batch.images.__array_interface__["data"][0]
        assert torch.from_dlpack(batch).data_ptr() == tensor.data_ptr()
    for images, labels in loader.torch():
        assert images.shape == (10, 3, 4, 4) and labels.dtype == torch.int64
        assert (images[:, 0, 0, 0] == labels).all()


def test_what_a_function_returns_becomes_tensors(tmp_path: pathlib.Path) -> None:
    loader = make(tmp_path, labels="cls", transform=lambda batch: {"x": [batch.images], "names": batch.names})
    for found in loader.torch():
        assert isinstance(found["x"][0], torch.Tensor) and isinstance(found["names"][0], str)


def test_boxes_become_tensors(recwarn: pytest.WarningsRecorder) -> None:
    loader = forebay.Loader(CORPUS / "twh" / "expected" / "case_letterbox_64" / "manifest.json", batch=4, mode="mmap")
    for found in loader.torch():
        assert {name: len(tensor) for name, tensor in found.items()} == dict.fromkeys(found, 4)
        assert found["images"].shape == (4, 3, 64, 64) and found["boxes"].shape == (4, 4, 4)
    assert not recwarn.list, "nothing is read-only"


def test_another_device_gets_every_batch(tmp_path: pathlib.Path) -> None:
    moved = list(make(tmp_path).torch(device="meta"))
    assert [tuple(images.shape) for images in moved] == [(10, 3, 4, 4)] * 4


def test_the_next_batch_is_on_its_way_while_one_is_used(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import forebay.torch

    told: list[tuple[str, int]] = []
    begun = {at: threading.Event() for at in (0, 10, 20, 30)}

    class Stub(forebay.torch.Mover):
        """Stands for a device that copies by itself: says when it was asked to begin, and when to wait."""

        def start(self, found: Any) -> Any:
            images, labels = found
            begun[int(labels[0])].set()
            return torch.from_numpy(np.copy(images)), torch.from_numpy(np.copy(labels))

        def finish(self, started: Any) -> Any:
            told.append(("finish", int(started[1][0])))
            return started

    monkeypatch.setitem(forebay.torch.MOVERS, "meta", Stub)
    loader = make(tmp_path, labels="cls")
    states = []
    for images, labels in loader.torch(device="meta"):
        assert (images[:, 0, 0, 0] == labels).all()
        at = int(labels[0])
        assert told[-1] == ("finish", at), "a batch that is on its way is not waited for"
        # Nobody asked for the next one yet.
        assert at == 30 or begun[at + 10].wait(60)
        states.append((loader.state_dict()["order"]["step"], loader.step))
    # A state says what was given, and not what is on its way.
    assert states == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert (loader.epoch, loader.step) == (1, 0)
    steps = loader.torch(device="meta")
    assert next(steps)[1][0] == 0
    state = loader.state_dict()
    steps.close()
    again = make(tmp_path, labels="cls")
    again.load_state_dict(state)
    assert [labels[0].item() for _, labels in again.torch()] == [10, 20, 30]
    loader.set_epoch(7)
    for _ in loader.torch(device="meta"):
        pass
    assert loader.epoch == 8


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device is here; this test was left out")
def test_cuda_gets_the_same_numbers(tmp_path: pathlib.Path) -> None:
    for _ in range(3):
        for images, labels in make(tmp_path, labels="cls").torch(device="cuda"):
            assert images.is_cuda and (images[:, 0, 0, 0] == labels).all().item()


def test_the_map_style_dataset_under_torchs_loader(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    dataset = forebay.torch.Dataset(numbered(tmp_path / "a.tar", 40), label="cls", where="cls < 30")
    loader = torch.utils.data.DataLoader(dataset, batch_size=8, num_workers=2, shuffle=True)
    seen = [int(label) for _, labels in loader for label in labels]
    assert sorted(seen) == list(range(30))


def test_the_map_style_dataset_makes_tensors_of_a_batch_in_one_call() -> None:
    import forebay.torch

    path = CORPUS / "tbl" / "jpeg20_lz4.tbl"
    (batch,) = forebay.Loader(path, batch=20, size=24, normalize="imagenet")
    dataset = forebay.torch.Dataset(path, size=24, normalize="imagenet")
    found = dataset.__getitems__([7, 3, -1])
    assert all(torch.equal(image, torch.from_numpy(batch.images[i])) for image, i in zip(found, (7, 3, 19)))
    assert torch.equal(dataset[5], found[0].new_tensor(batch.images[5]))
    drawn = forebay.torch.Dataset(path, size=24, augment=forebay.RandomResizedCrop(), dtype="u8", transform=lambda x: x[0])
    torch.manual_seed(1)
    first = drawn[0]
    assert first.shape == (24, 24) and first.dtype == torch.uint8
    assert not torch.equal(first, drawn[0])
    torch.manual_seed(1)
    assert torch.equal(first, drawn[0])
    for workers in (0, 2):
        loader = torch.utils.data.DataLoader(dataset, batch_size=10, num_workers=workers)
        assert torch.equal(torch.cat(list(loader)), torch.from_numpy(batch.images))
    with pytest.raises(IndexError):
        dataset.__getitems__([20])


def test_a_batch_is_collated_where_it_lies(tmp_path: pathlib.Path) -> None:
    import copy
    import pickle

    import forebay.torch

    dataset = forebay.torch.Dataset(numbered(tmp_path / "a.tar", 20), size=8, dtype="u8", label="cls")
    found = dataset.__getitems__([5, 2, 9])
    images, labels = torch.utils.data.default_collate(found)
    assert images.data_ptr() == found[0][0].data_ptr() and type(images) is torch.Tensor
    assert images.shape == (3, 3, 8, 8) and images[:, 0, 0, 0].tolist() == labels.tolist() == [5, 2, 9]
    # What is made of the parts is nobody else's, and neither is another choice of them.
    turned, numbers = torch.utils.data.default_collate(found[::-1])
    assert turned.data_ptr() != images.data_ptr() and turned[:, 0, 0, 0].tolist() == numbers.tolist() == [9, 2, 5]
    assert torch.equal(torch.utils.data.default_collate(found[:2])[0], images[:2])
    part = found[1][0]
    for other in (part + 0, part.clone(), copy.deepcopy(part), pickle.loads(pickle.dumps(part))):
        assert type(other) is torch.Tensor and torch.equal(other, images[1]) and other.data_ptr() != part.data_ptr()
        assert other.untyped_storage().nbytes() == other.nbytes
    part[:] = 77
    assert images[1].eq(77).all()
    assert type(dataset[3][0]) is torch.Tensor


@pytest.mark.parametrize("dtype", ["u8", "f16", "f32"])
def test_workers_make_batches_where_the_other_process_sees_them(tmp_path: pathlib.Path, dtype: str) -> None:
    import forebay.torch

    path = numbered(tmp_path / "a.tar", 20)
    (whole,) = forebay.Loader(path, batch=20, size=8, dtype=dtype)
    dataset = forebay.torch.Dataset(path, size=8, dtype=dtype)
    half = torch.utils.data.Subset(dataset, range(10, 20))
    for source, wanted in ((dataset, whole.images), (half, whole.images[10:])):
        batches = list(torch.utils.data.DataLoader(source, batch_size=6, num_workers=2))
        assert all_shared(batches) and torch.equal(torch.cat(batches), torch.from_numpy(wanted))
    # Uncollated, and through a function that makes other tensors.
    for batch in torch.utils.data.DataLoader(dataset, batch_size=10, num_workers=1, collate_fn=list):
        assert [type(one) for one in batch] == [torch.Tensor] * 10
    cut = forebay.torch.Dataset(path, size=8, dtype=dtype, transform=lambda image: image[:1])
    batches = list(torch.utils.data.DataLoader(cut, batch_size=20, num_workers=1))
    assert torch.equal(batches[0], torch.from_numpy(whole.images[:, :1]))


def all_shared(batches: list[Any]) -> bool:
    return all(batch.is_shared() or memory_of(batch) is not None for batch in batches)


def memory_of(tensor: Any) -> str | None:
    """Which of a worker's memories a tensor lies in: the number of its file; ``None`` where it lies in none of these."""
    for line in pathlib.Path("/proc/self/maps").read_text().splitlines():
        place, _, _, _, number, *name = line.split(maxsplit=5)
        begin, end = (int(address, 16) for address in place.split("-"))
        if begin <= tensor.data_ptr() < end:
            return number if name and "memfd:forebay" in name[0] else None
    return None


lends = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="workers lend memory on Linux alone; this test was left out")


@lends
def test_workers_use_memory_again_once_a_batch_is_gone(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    path = numbered(tmp_path / "a.tar", 90)
    (whole,) = forebay.Loader(path, batch=90, size=8, dtype="u8")
    wanted = torch.from_numpy(whole.images.copy())
    dataset = forebay.torch.Dataset(path, size=8, dtype="u8", label="cls")

    def batches(keep: Callable[[int], bool], **options: Any) -> tuple[list[str | None], list[Any]]:
        """The memories of all batches, and those that were kept until the end."""
        seen, kept = [], []
        loader = torch.utils.data.DataLoader(dataset, batch_size=2, num_workers=1, **options)
        for k, (images, labels) in enumerate(loader):
            assert torch.equal(images, wanted[2 * k : 2 * k + 2]) and labels.tolist() == [2 * k, 2 * k + 1]
            seen.append(memory_of(images))
            if keep(k):
                kept.append((k, images[1]))
        for k, image in kept:
            assert torch.equal(image, wanted[2 * k + 1]), f"batch {k} was kept, and is another one now"
        return seen, kept

    seen, _ = batches(lambda k: False)
    assert None not in seen and len(set(seen)) <= 5 < len(seen)
    # What is kept is nobody else's, however much it is, and a part of it is enough.
    for keep, at_least in ((lambda k: k % 3 == 0, 15), (lambda k: True, 45)):
        seen, kept = batches(keep)
        addresses = [image.data_ptr() for _, image in kept]
        assert len(kept) >= at_least and len(set(addresses)) == len(addresses)
    # More than a worker lends comes as torch's own workers give it.
    assert None in seen and seen[0] is not None


@lends
def test_memory_that_a_fork_of_the_caller_drops_is_still_the_callers(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    dataset = forebay.torch.Dataset(numbered(tmp_path / "a.tar", 60), size=8, dtype="u8")
    steps = iter(torch.utils.data.DataLoader(dataset, batch_size=2, num_workers=1))
    first = next(steps)
    before = first.clone()
    child = os.fork()
    if child == 0:
        del first
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    for _ in steps:
        pass
    assert torch.equal(first, before)


@lends
def test_a_batch_that_a_fork_has_is_never_another_one(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    dataset = forebay.torch.Dataset(numbered(tmp_path / "a.tar", 60), size=8, dtype="u8")
    steps = iter(torch.utils.data.DataLoader(dataset, batch_size=2, num_workers=1))
    first = next(steps)
    before = first.clone()
    dropped, drop = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(drop)
        os.read(dropped, 1)
        os._exit(0 if torch.equal(first, before) else 1)
    del first
    for _ in steps:
        pass
    os.close(dropped)
    os.close(drop)
    assert os.waitpid(child, 0)[1] == 0


@lends
def test_what_a_cache_of_a_worker_has_is_not_lent(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    class Cached(torch.utils.data.Dataset):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            self.dataset = forebay.torch.Dataset(path, size=8, dtype="u8")
            self.kept: dict[int, Any] = {}

        def __len__(self) -> int:
            return len(self.dataset)

        def __getitems__(self, indices: list[int]) -> list[Any]:
            lacking = [i for i in indices if i not in self.kept]
            if lacking:
                self.kept.update(zip(lacking, self.dataset.__getitems__(lacking)))
            return [self.kept[i] for i in indices]

    path = numbered(tmp_path / "a.tar", 40)
    (whole,) = forebay.Loader(path, batch=40, size=8, dtype="u8")
    wanted = torch.from_numpy(whole.images.copy())
    loader = torch.utils.data.DataLoader(Cached(), batch_size=4, num_workers=1, persistent_workers=True)
    for _ in range(3):
        for k, images in enumerate(loader):
            assert torch.equal(images, wanted[4 * k : 4 * k + 4])
            images.zero_()


@lends
def test_what_a_worker_makes_of_a_batch_is_sent_as_it_is(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    path = numbered(tmp_path / "a.tar", 24)
    (whole,) = forebay.Loader(path, batch=24, size=8, dtype="u8")
    wanted = torch.from_numpy(whole.images.copy())
    dataset = forebay.torch.Dataset(path, size=8, dtype="u8")

    def changed(batch: list[Any], how: str, kept: list[Any] = []) -> Any:
        made = torch.utils.data.default_collate(batch)
        assert isinstance(made, torch.Tensor)
        if how == "moved":
            return made.share_memory_()
        if how == "turned":
            return made.transpose_(2, 3)
        if how == "computed":
            return made + 1
        if how == "part":
            return made[1:]
        # The first batch again and again, while the worker keeps it too.
        kept.append(made)
        return [kept[0], kept[0], made]

    for how in ("moved", "turned", "computed", "part", "again"):
        loader = torch.utils.data.DataLoader(
            dataset, batch_size=4, num_workers=1, collate_fn=functools.partial(changed, how=how), prefetch_factor=1
        )
        kept = []
        for k, found in enumerate(loader):
            part = wanted[4 * k : 4 * k + 4]
            shown = {"turned": part.transpose(2, 3), "computed": part + 1, "part": part[1:]}.get(how, part)
            if how == "again":
                assert torch.equal(found[0], wanted[:4]) and torch.equal(found[1], wanted[:4])
                kept.append(found[0])
                found = found[2]
            assert torch.equal(found, shown), how
        assert all(torch.equal(one, wanted[:4]) for one in kept)


@pytest.mark.parametrize("name", ["collate", "_disabled_torch_function_impl", "_new_shared", "_storage_Use_Count"])
def test_a_torch_without_its_private_names_gives_the_same(tmp_path: pathlib.Path, name: str) -> None:
    path = numbered(tmp_path / "a.tar", 20)
    code = f"""
import os, sys
import torch, torch.utils.data
if {name!r} == "collate":
    sys.modules["torch.utils.data._utils.collate"] = None
elif {name!r} == "_new_shared":
    # Reached where memory cannot be lent.
    del torch.storage._StorageBase._new_shared
    assert not hasattr(torch.UntypedStorage, "_new_shared")
    vars(os).pop("memfd_create", None)
elif {name!r} == "_storage_Use_Count":
    vars(torch._C).pop({name!r}, None)
else:
    del torch._C._disabled_torch_function_impl
import forebay.torch
from forebay import _lent
assert (_lent.default_collate_fn_map is None) == ({name!r} != "_new_shared")
(whole,) = forebay.Loader({str(path)!r}, batch=20, size=8, dtype="u8")
dataset = forebay.torch.Dataset({str(path)!r}, size=8, dtype="u8", label="cls")
for workers in (0, 2):
    found = list(torch.utils.data.DataLoader(dataset, batch_size=6, num_workers=workers))
    assert torch.equal(torch.cat([images for images, _ in found]), torch.from_numpy(whole.images))
    assert torch.cat([labels for _, labels in found]).tolist() == list(range(20))
    assert all(type(images) is torch.Tensor for images, _ in found)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_bytes_are_not_normalized(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    with pytest.raises(forebay.UsageError, match="not normalized"):
        forebay.torch.Dataset(numbered(tmp_path / "a.tar", 2), size=8, dtype="u8", normalize="imagenet")


def test_samples_are_asked_for_by_whole_numbers_of_any_kind(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    path = numbered(tmp_path / "a.tar", 5)
    for options in ({}, {"size": 4}):
        dataset: Any = forebay.torch.Dataset(path, label="cls", **options)  # type: ignore[arg-type]
        assert [dataset[i][1] for i in (torch.tensor(3), np.int64(-1))] == [3, 4]
        for numbers in (torch.tensor([1, -1, 1]), iter([1, -1, 1])):
            assert [label for _, label in dataset.__getitems__(numbers)] == [1, 4, 1]
        with pytest.raises(TypeError):
            dataset[1.5]
    for wrong in ({"dtype": "u8"}, {"layout": "nhwc"}):
        with pytest.raises(forebay.UsageError, match="by a size"):
            forebay.torch.Dataset(path, **wrong)  # type: ignore[arg-type]
    assert forebay.open_samples(path)[torch.tensor(3)].index == 3  # type: ignore[call-overload]


def test_what_a_worker_raises_keeps_its_class_and_code(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    write_tar(tmp_path / "a.tar", {"a.png": b"\x89PNG\r\n\x1a\n" + bytes(40)})
    dataset = forebay.torch.Dataset(tmp_path / "a.tar", size=8)
    with pytest.raises(forebay.Error) as here:
        dataset[0]
    with pytest.raises(type(here.value), match="DataLoader worker") as there:
        list(torch.utils.data.DataLoader(dataset, num_workers=1))
    assert (there.value.code, there.value.kind) == (here.value.code, here.value.kind)


def test_a_loader_under_torchs_loader(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    batches = forebay.torch.Batches(make(tmp_path, labels="cls"))
    for workers in (0, 1):
        loader = torch.utils.data.DataLoader(batches, batch_size=None, num_workers=workers)
        assert [labels[0].item() for _, labels in loader] == [0, 10, 20, 30]
        assert len(loader) == 4
    with pytest.raises(Exception, match="num_workers is 0 or 1"):
        list(torch.utils.data.DataLoader(batches, batch_size=None, num_workers=2))


def test_epochs_follow_each_other_where_only_so_many_batches_are_taken(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    def epochs(found: Any) -> list[list[int]]:
        return [[labels[0].item() for _, (_, labels) in zip(range(4), found())] for _ in range(3)]

    known = make(tmp_path, labels="cls", shuffle=3)
    wanted = [[labels[0].item() for _, labels in known.torch()] for _ in range(3)]
    batches = forebay.torch.Batches(make(tmp_path, labels="cls", shuffle=3))
    loader = torch.utils.data.DataLoader(batches, batch_size=None)
    moved = make(tmp_path, labels="cls", shuffle=3)
    assert epochs(lambda: iter(loader)) == wanted
    # Batches that are on their way to a device were not given yet.
    assert [len(list(zip(range(4), moved.torch(device="meta")))) for _ in range(3)] == [4] * 3 and moved.epoch == 2


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_a_worker_begins_at_the_epoch_that_was_set_and_the_state_that_was_loaded(tmp_path: pathlib.Path, start: str) -> None:
    import forebay.torch

    known = make(tmp_path, labels="cls", shuffle=3)
    wanted = [[labels[0].item() for _, labels in known.torch()] for _ in range(3)]
    batches = forebay.torch.Batches(make(tmp_path, labels="cls", shuffle=3))
    loader = torch.utils.data.DataLoader(batches, batch_size=None, num_workers=1, multiprocessing_context=start)
    for epoch in (0, 2):
        batches.set_epoch(epoch)
        assert [labels[0].item() for _, labels in loader] == wanted[epoch]
    known.set_epoch(1)
    next(known.torch())
    batches.load_state_dict(known.state_dict())
    assert [labels[0].item() for _, labels in loader] == wanted[1][1:]


@pytest.mark.parametrize("workers", [0, 1])
def test_torchdatas_loader_saves_and_restores(tmp_path: pathlib.Path, workers: int) -> None:
    torchdata = pytest.importorskip("torchdata.stateful_dataloader", reason="torchdata is not installed here")
    import forebay.torch

    def stateful() -> Any:
        batches = forebay.torch.Batches(make(tmp_path, labels="cls", shuffle=3))
        return torchdata.StatefulDataLoader(batches, batch_size=None, num_workers=workers)

    whole = [labels.tolist() for _, labels in stateful()]
    loader = stateful()
    steps = iter(loader)
    next(steps)
    next(steps)
    state = loader.state_dict()
    again = stateful()
    again.load_state_dict(state)
    assert [labels.tolist() for _, labels in again] == whole[2:]


def test_a_checkpoint_holds_a_state(tmp_path: pathlib.Path) -> None:
    """Lightning saves what has these two methods, and loads checkpoints of plain data alone."""
    loader = make(tmp_path, labels="cls", shuffle=3)
    whole = [labels.tolist() for _, labels in loader.torch()]
    loader.set_epoch(0)
    steps = loader.torch()
    next(steps)
    file = io.BytesIO()
    torch.save({"loops": {"state_dict": [loader.state_dict()]}}, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=True)["loops"]["state_dict"][0]
    again = make(tmp_path, labels="cls", shuffle=3)
    again.load_state_dict(loaded)
    assert [labels.tolist() for _, labels in again.torch()] == whole[1:]
