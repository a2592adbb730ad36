"""PyTorch, where it is installed: it is too large to be installed for these tests."""

from __future__ import annotations

import pathlib

import pytest

import forebay
from conftest import numbered

torch = pytest.importorskip("torch", reason="PyTorch is not installed here; these tests were left out")


def test_tensors_are_the_loaders_own_memory(tmp_path: pathlib.Path) -> None:
    loader = forebay.Loader(numbered(tmp_path / "a.tar", 40), batch=10, size=4, dtype="u8", labels="cls")
    for batch in loader:
        tensor = torch.from_numpy(batch.images)
        assert tensor.data_ptr() == batch.images.__array_interface__["data"][0]
        assert torch.from_dlpack(batch).data_ptr() == tensor.data_ptr()
    for images, labels in loader.torch():
        assert images.shape == (10, 3, 4, 4) and labels.dtype == torch.int64
        assert (images[:, 0, 0, 0] == labels).all()


def test_another_device_gets_every_batch(tmp_path: pathlib.Path) -> None:
    loader = forebay.Loader(numbered(tmp_path / "a.tar", 40), batch=10, size=4, dtype="u8")
    moved = list(loader.torch(device="meta"))
    assert [tuple(images.shape) for images in moved] == [(10, 3, 4, 4)] * 4


def test_the_map_style_dataset_under_torchs_loader(tmp_path: pathlib.Path) -> None:
    import forebay.torch

    dataset = forebay.torch.Dataset(numbered(tmp_path / "a.tar", 40), label="cls", where="cls < 30")
    loader = torch.utils.data.DataLoader(dataset, batch_size=8, num_workers=2, shuffle=True)
    seen = [int(label) for _, labels in loader for label in labels]
    assert sorted(seen) == list(range(30))
