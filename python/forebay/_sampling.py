"""By what samples are drawn, where not each of them comes once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

import numpy as np

from ._errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._loader import Labels

__all__ = ["Balance"]

#: A field, or a number for each sample.
Weights = Union[str, "Sequence[float]", "NDArray[Any]"]


@dataclass(frozen=True)
class Balance:
    """Classes in fixed proportions, by a field or by :class:`forebay.Labels`: all equally often, or from each of these epochs
    on as ``since`` says, such as ``{0: {"easy": 3, "hard": 1}, 10: {"hard": 1}}``. Classes that are not named do not come.

    A class is called by its name, or by its label where labels are numbers. Small whole numbers are best: each run of as many
    draws as they add up to holds exactly these.

    >>> levels = forebay.Balance("cls", {0: {"0": 3, "1": 1}, 10: {"1": 1}})
    >>> loader = forebay.Loader("train.tbl", batch=4, size=8, labels="cls", shuffle=42, balanced=levels)
    >>> [sorted(labels.tolist()) for _, labels in loader.numpy()][0]
    [0, 0, 0, 1]
    """

    labels: "str | Labels"
    since: Mapping[int, Mapping[Any, float]] = field(default_factory=dict)

    def _json(self) -> dict[str, Any]:
        stages = sorted(self.since.items())
        return {"labels": self.labels, "since": [[epoch, [[str(name), one] for name, one in of.items()]] for epoch, of in stages]}


def by_epochs(weights: Weights | Mapping[int, Weights] | None) -> Any:
    """Weights from each epoch on as plain data; a field alone is its path."""
    if weights is None or isinstance(weights, str):
        return weights
    stages: Mapping[int, Any] = weights if isinstance(weights, Mapping) else {0: weights}
    if 0 not in stages:
        raise UsageError("usage.argument", "usage", "weights by epochs begin with those of epoch 0")
    values = {epoch: one if isinstance(one, str) else np.asarray(one).ravel() for epoch, one in stages.items()}
    return {"stages": [[epoch, values[epoch]] for epoch in sorted(values)]}
