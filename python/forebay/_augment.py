"""What becomes of pictures on their way into a batch.

Steps are joined with ``|``; each kind comes at most once. The engine does them in an order of its own, whatever the order
here: geometry first, then colors, then what is painted over.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

__all__ = [
    "Augment",
    "CenterCrop",
    "ColorJitter",
    "GaussianBlur",
    "Grayscale",
    "HorizontalFlip",
    "Letterbox",
    "Pad",
    "RandomCrop",
    "RandomErasing",
    "RandomResizedCrop",
    "Stretch",
    "VerticalFlip",
]


@dataclass(frozen=True)
class Augment:
    """Steps, one after the other."""

    steps: tuple[Step, ...] = ()

    def __or__(self, other: Augment | Step) -> Augment:
        return Augment(self.steps + (other.steps if isinstance(other, Augment) else (other,)))


@dataclass(frozen=True)
class Step:
    """One step."""

    _op: ClassVar[str] = ""

    def __or__(self, other: Augment | Step) -> Augment:
        return Augment((self,)) | other

    def _json(self) -> dict[str, Any]:
        return {"op": self._op, **asdict(self)}


@dataclass(frozen=True)
class Stretch(Step):
    """The whole picture, distorted to the size. This is the default."""

    _op: ClassVar[str] = "stretch"


@dataclass(frozen=True)
class Letterbox(Step):
    """The whole picture, undistorted, in the middle of the fill color."""

    _op: ClassVar[str] = "letterbox"


@dataclass(frozen=True)
class Pad(Step):
    """The middle, not resized, on the fill color where the picture is smaller."""

    _op: ClassVar[str] = "pad"


@dataclass(frozen=True)
class CenterCrop(Step):
    """The middle, after resizing the shorter side to ``short``; without it to the larger side of the size."""

    short: int | None = None
    _op: ClassVar[str] = "center_crop"


@dataclass(frozen=True)
class RandomCrop(Step):
    """A random part, not resized, after ``padding`` of the fill color on every side."""

    padding: int = 0
    _op: ClassVar[str] = "random_crop"


@dataclass(frozen=True)
class RandomResizedCrop(Step):
    """A random rectangle of these shares of the area and these widths by height, resized."""

    scale: tuple[float, float] = (0.08, 1.0)
    ratio: tuple[float, float] = (3 / 4, 4 / 3)
    _op: ClassVar[str] = "random_resized_crop"


@dataclass(frozen=True)
class HorizontalFlip(Step):
    """Mirrored left to right with this chance."""

    p: float = 0.5
    _op: ClassVar[str] = "horizontal_flip"


@dataclass(frozen=True)
class VerticalFlip(Step):
    """Mirrored top to bottom with this chance."""

    p: float = 0.5
    _op: ClassVar[str] = "vertical_flip"


@dataclass(frozen=True)
class ColorJitter(Step):
    """Random changes of color, as torchvision's."""

    brightness: float = 0.0
    contrast: float = 0.0
    saturation: float = 0.0
    hue: float = 0.0
    _op: ClassVar[str] = "color_jitter"


@dataclass(frozen=True)
class Grayscale(Step):
    """Made grey with this chance."""

    p: float = 0.1
    _op: ClassVar[str] = "grayscale"


@dataclass(frozen=True)
class GaussianBlur(Step):
    """Blurred with this chance, by a deviation between these, in pixels of the output."""

    p: float = 0.5
    sigma: tuple[float, float] = (0.1, 2.0)
    _op: ClassVar[str] = "gaussian_blur"


@dataclass(frozen=True)
class RandomErasing(Step):
    """A random rectangle painted over with this chance."""

    p: float = 0.5
    scale: tuple[float, float] = (0.02, 0.33)
    ratio: tuple[float, float] = (0.3, 3.3)
    color: tuple[int, int, int] = (0, 0, 0)
    _op: ClassVar[str] = "random_erasing"


def steps(augment: Augment | Step | None) -> list[dict[str, Any]]:
    """The steps as plain data."""
    if augment is None:
        return []
    joined = augment if isinstance(augment, Augment) else Augment((augment,))
    return [step._json() for step in joined.steps]
