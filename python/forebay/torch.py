"""Datasets and batches for PyTorch. It is imported when this module is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, Sequence

try:
    import torch  # type: ignore[import-not-found, unused-ignore]
except ImportError as e:
    raise ImportError("forebay.torch needs PyTorch: pip install torch") from e

from ._convert import PathLike
from ._dataset import Dataset as Samples
from ._dataset import open_samples

if TYPE_CHECKING:
    from ._loader import Loader

__all__ = ["Dataset", "tensors"]


def tensors(loader: Loader, device: Any = None) -> Iterator[Any]:
    """One epoch of a loader as tensors; see :meth:`forebay.Loader.torch`."""
    labeled = loader._labeled
    ahead = None
    away = device is not None and torch.device(device).type != "cpu"
    for batch in loader:
        images = torch.from_numpy(batch.images)
        labels = torch.from_numpy(batch.labels) if labeled else None
        if not away:
            yield (images, labels) if labeled else images
            continue
        moved = _moved(images, device), None if labels is None else _moved(labels, device)
        if ahead is not None:
            yield ahead if labeled else ahead[0]
        ahead = moved
    if ahead is not None:
        yield ahead if labeled else ahead[0]


def _moved(tensor: torch.Tensor, device: Any) -> torch.Tensor:
    """A copy on its way to another device; what is on its way lies in pinned memory, which the copy keeps."""
    if torch.device(device).type == "cuda":
        tensor = tensor.pin_memory()
    return tensor.to(device, non_blocking=True)


class Dataset(torch.utils.data.Dataset):  # type: ignore[misc, type-arg, unused-ignore]
    """A map-style dataset for torch's own DataLoader: ``transform(image) -> anything``, with labels by a metadata field.

    Forked and spawned workers open the file themselves.
    """

    def __init__(
        self,
        source: PathLike | Samples,
        *,
        transform: Callable[[Any], Any] | None = None,
        label: str | None = None,
        where: str | None = None,
    ) -> None:
        samples = source if isinstance(source, Samples) else open_samples(source)
        self.samples = samples if where is None else samples.where(where)
        self.transform = transform
        self.label = label

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, i: int) -> Any:
        sample = self.samples[i]
        image: Any = sample.image()
        image = torch.from_numpy(image) if self.transform is None else self.transform(image)
        if self.label is None:
            return image
        metadata = sample.metadata or {}
        return image, metadata[self.label]

    def __getitems__(self, numbers: Sequence[int]) -> list[Any]:
        return [self[i] for i in numbers]
