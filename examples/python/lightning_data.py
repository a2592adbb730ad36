"""A Lightning DataModule over a loader, whose place in the epoch is a part of the checkpoint.

Needs PyTorch and Lightning. The trainer must not put a sampler of its own around it: the loader has its share already.

    trainer = lightning.Trainer(max_epochs=2, use_distributed_sampler=False)
    trainer.fit(model, datamodule=TblData("train.tbl"))
"""

from __future__ import annotations

from typing import Any, Iterator

import lightning
import torch

import forebay


class Tensors:
    """One epoch after the other, as pairs of tensors: each iteration is the next, and Lightning begins one for each epoch."""

    def __init__(self, loader: forebay.Loader) -> None:
        self.loader = loader

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator[Any]:
        return self.loader.torch()


class TblData(lightning.LightningDataModule):
    """Batches of a TBL."""

    def __init__(self, path: str, *, batch: int = 8, size: int = 32) -> None:
        super().__init__()
        self.path, self.batch, self.size = path, batch, size
        self.loader: forebay.Loader | None = None
        self.state: dict[str, Any] | None = None

    def train_dataloader(self) -> Any:
        """Made here, so that every process of the trainer knows its rank."""
        self.loader = forebay.Loader(self.path, batch=self.batch, size=self.size, labels="cls", shuffle=42)
        if self.state is not None:
            self.loader.load_state_dict(self.state)
        return Tensors(self.loader)

    def state_dict(self) -> dict[str, Any]:
        """What Lightning writes into its checkpoint."""
        return {} if self.loader is None else {"loader": self.loader.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """What it read there."""
        self.state = state.get("loader")


class Model(lightning.LightningModule):
    """As small as it gets."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.layer = torch.nn.LazyLinear(classes)

    def training_step(self, batch: Any, _: int) -> torch.Tensor:
        """The loss of a batch."""
        images, labels = batch
        return torch.nn.functional.cross_entropy(self.layer(images.flatten(1)), labels)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Plain."""
        return torch.optim.SGD(self.parameters(), lr=0.01)
