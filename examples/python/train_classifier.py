"""Trains a small classifier from a TBL, ends in the middle of an epoch, and goes on where it stood.

    python examples/python/train_classifier.py train.tbl --epochs 2 --checkpoint run.pt

Run it again with the same checkpoint: it goes on with the very next batch, also with another number of ranks. Under
torchrun every process takes its own share, since the loader looks at RANK and WORLD_SIZE.
"""

from __future__ import annotations

import argparse
import os

import torch
from torch import nn

import forebay


def make_model(classes: int) -> nn.Module:
    """As small as it gets; any model takes what the loader gives."""
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(4),
        nn.Flatten(),
        nn.Linear(16 * 4 * 4, classes),
    )


def train(
    data: str,
    *,
    epochs: int,
    batch: int = 8,
    size: int = 32,
    checkpoint: str | None = None,
    stop_after: int | None = None,
) -> list[int]:
    """Trains; the numbers of the samples in the order in which they were seen."""
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    classes = len(forebay.stats(data, label="cls")["classes"]["top"])
    model = make_model(classes).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = forebay.Loader(
        data,
        batch=batch,
        size=size,
        augment=forebay.RandomResizedCrop() | forebay.HorizontalFlip(),
        normalize="imagenet",
        labels="cls",
        shuffle=42,
    )
    first = 0
    if checkpoint is not None and os.path.exists(checkpoint):
        saved = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        loader.load_state_dict(saved["loader"])
        first = saved["epoch"]

    def save(epoch: int) -> None:
        if checkpoint is not None:
            state = {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "loader": loader.state_dict(),
                "epoch": epoch,
            }
            torch.save(state, checkpoint)

    seen: list[int] = []
    steps = 0
    for epoch in range(first, epochs):
        if steps or epoch != first:
            loader.set_epoch(epoch)
        for one in loader:
            images = torch.from_numpy(one.images).to(device)
            labels = torch.from_numpy(one.labels).to(device)
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen.extend(one.indices.tolist())
            steps += 1
            if steps == stop_after:
                save(epoch)
                return seen
        print(f"epoch {epoch}: loss {loss.item():.3f}, {loader.stats().verdict}")
        save(epoch + 1)
    return seen


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--checkpoint")
    args = parser.parse_args()
    train(args.data, epochs=args.epochs, batch=args.batch, size=args.size, checkpoint=args.checkpoint)


if __name__ == "__main__":
    main()
