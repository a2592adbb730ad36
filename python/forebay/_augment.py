"""The steps that change images on their way into a batch.

Steps are joined with ``|``. The engine does most kinds at most once, in an order of its own, whatever the order here: geometry
first, then colors, then what is painted over. Those that may come several times, such as ``RandAugment`` and
``RandomRotation``, are done in the order given, between the two; ``docs/augment.md`` says what each draws.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ._errors import UsageError

__all__ = [
    "Augment",
    "AutoAugment",
    "CenterCrop",
    "ColorJitter",
    "CropAroundBoxes",
    "CutMix",
    "GaussianBlur",
    "Grayscale",
    "HorizontalFlip",
    "KeepBoxes",
    "Letterbox",
    "MixUp",
    "MixUpOrCutMix",
    "Mosaic",
    "Pad",
    "RandAugment",
    "RandomAdjustSharpness",
    "RandomAffine",
    "RandomAutocontrast",
    "RandomCrop",
    "RandomEqualize",
    "RandomErasing",
    "RandomInvert",
    "RandomIoUCrop",
    "RandomPerspective",
    "RandomPosterize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSolarize",
    "Stretch",
    "TrivialAugmentWide",
    "VerticalFlip",
]


@dataclass(frozen=True)
class Augment:
    """Steps, one after the other.

    >>> augment = forebay.RandomResizedCrop() | forebay.HorizontalFlip() | forebay.RandomErasing()
    >>> len(augment.steps)
    3
    """

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
    """The whole image, distorted to the size. This is the default."""

    _op: ClassVar[str] = "stretch"


@dataclass(frozen=True)
class Letterbox(Step):
    """The whole image, undistorted, in the middle of the fill color."""

    _op: ClassVar[str] = "letterbox"


@dataclass(frozen=True)
class Pad(Step):
    """The middle, not resized, on the fill color where the image is smaller."""

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
    """Turns images gray with this probability."""

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


@dataclass(frozen=True)
class CropAroundBoxes(Step):
    """A random rectangle with all boxes in it, resized; without boxes the whole image."""

    _op: ClassVar[str] = "crop_around_boxes"


@dataclass(frozen=True)
class RandomIoUCrop(Step):
    """SSD's crop: a random rectangle that shows the center of a box and overlaps it by a chance share, or all of the image,
    resized. Boxes whose center is cut off are left out."""

    min_scale: float = 0.3
    max_scale: float = 1.0
    min_aspect_ratio: float = 0.5
    max_aspect_ratio: float = 2.0
    _op: ClassVar[str] = "random_iou_crop"

    def _json(self) -> dict[str, Any]:
        scale, ratio = (self.min_scale, self.max_scale), (self.min_aspect_ratio, self.max_aspect_ratio)
        return {"op": self._op, "scale": scale, "ratio": ratio}


@dataclass(frozen=True)
class KeepBoxes(Step):
    """Leaves out boxes of which less than this share of the area is seen, or less than so many pixels of the output across
    or down."""

    visible: float = 0.0
    side: float = 0.0
    _op: ClassVar[str] = "keep_boxes"


@dataclass(frozen=True)
class RandAugment(Step):
    """So many of fourteen operations, one after the other, each as strong: torchvision's."""

    num_ops: int = 2
    magnitude: int = 9
    num_magnitude_bins: int = 31
    interpolation: str = "nearest"
    _op: ClassVar[str] = "rand_augment"


@dataclass(frozen=True)
class TrivialAugmentWide(Step):
    """One of fourteen operations, of any strength: torchvision's."""

    num_magnitude_bins: int = 31
    interpolation: str = "nearest"
    _op: ClassVar[str] = "trivial_augment_wide"


@dataclass(frozen=True)
class AutoAugment(Step):
    """One of 25 pairs of operations that were found for ``imagenet``, ``cifar10`` or ``svhn``: torchvision's."""

    policy: str = "imagenet"
    interpolation: str = "nearest"
    _op: ClassVar[str] = "auto_augment"


@dataclass(frozen=True)
class RandomRotation(Step):
    """Turned around the middle, counterclockwise, by degrees between these, or between minus and plus that many."""

    degrees: float | tuple[float, float]
    p: float = 1.0
    interpolation: str = "nearest"
    _op: ClassVar[str] = "random_rotation"

    def _json(self) -> dict[str, Any]:
        return {**super()._json(), "degrees": _around(self.degrees)}


@dataclass(frozen=True)
class RandomAffine(Step):
    """Turned clockwise, sheared, scaled, and shifted by up to these shares of the width and the height."""

    degrees: float | tuple[float, float]
    translate: tuple[float, float] = (0.0, 0.0)
    scale: tuple[float, float] = (1.0, 1.0)
    #: Degrees: one number, a range across, or two ranges, across and down.
    shear: float | tuple[float, float] | tuple[float, float, float, float] = 0.0
    p: float = 1.0
    interpolation: str = "nearest"
    _op: ClassVar[str] = "random_affine"

    def _json(self) -> dict[str, Any]:
        across: Any = _around(self.shear)
        shear = tuple(across) if len(across) == 4 else (*across, 0.0, 0.0)
        return {**super()._json(), "degrees": _around(self.degrees), "shear": shear}


@dataclass(frozen=True)
class RandomPerspective(Step):
    """The corners are moved inwards with this chance, by up to this share of half a side."""

    distortion_scale: float = 0.5
    p: float = 0.5
    interpolation: str = "bilinear"
    _op: ClassVar[str] = "random_perspective"


@dataclass(frozen=True)
class RandomPosterize(Step):
    """Only so many upper bits of each level are kept, with this chance."""

    bits: int
    p: float = 0.5
    _op: ClassVar[str] = "random_posterize"


@dataclass(frozen=True)
class RandomSolarize(Step):
    """Levels from a threshold on are turned over, with this chance."""

    threshold: float
    p: float = 0.5
    _op: ClassVar[str] = "random_solarize"


@dataclass(frozen=True)
class RandomEqualize(Step):
    """Levels become equally frequent, with this chance."""

    p: float = 0.5
    _op: ClassVar[str] = "random_equalize"


@dataclass(frozen=True)
class RandomAutocontrast(Step):
    """Levels reach from 0 to 255, with this chance."""

    p: float = 0.5
    _op: ClassVar[str] = "random_autocontrast"


@dataclass(frozen=True)
class RandomAdjustSharpness(Step):
    """Sharper, or softer for a factor below 1, with this chance."""

    sharpness_factor: float
    p: float = 0.5
    _op: ClassVar[str] = "random_adjust_sharpness"


@dataclass(frozen=True)
class RandomInvert(Step):
    """All levels are turned over, with this chance."""

    p: float = 0.5
    _op: ClassVar[str] = "random_invert"


@dataclass(frozen=True)
class Mosaic(Step):
    """Four images of the epoch around a point, with this chance: the sample's own and three others, with their boxes, masks,
    key points and labels. It takes the place of the crop. :meth:`nine` brings nine together."""

    p: float = 1.0
    #: Where the four meet, or the middle of the nine, in shares of the width and of the height.
    center: tuple[float, float] = (0.25, 0.75)
    #: How large each is: 1 is as large as it can be and still be seen as a whole on all of the output.
    scale: tuple[float, float] = (0.5, 1.0)
    #: How many there are: 4 or 9.
    pictures: int = 4
    _op: ClassVar[str] = "mosaic"

    @classmethod
    def nine(
        cls, p: float = 1.0, center: tuple[float, float] = (0.25, 0.75), scale: tuple[float, float] = (0.25, 0.6)
    ) -> Mosaic:
        """Nine images in three rows: the sample's own in the middle third, and eight around it."""
        return cls(p, center, scale, 9)


@dataclass(frozen=True)
class MixUp(Step):
    """Averaged with another sample of the epoch, with this chance, in shares from Beta(alpha, alpha)."""

    p: float = 1.0
    alpha: float = 1.0
    _op: ClassVar[str] = "mix_up"


@dataclass(frozen=True)
class CutMix(Step):
    """A rectangle comes from another sample of the epoch, with this chance, as large as a share from Beta(alpha, alpha)."""

    p: float = 1.0
    alpha: float = 1.0
    _op: ClassVar[str] = "cut_mix"


@dataclass(frozen=True)
class MixUpOrCutMix(Step):
    """One or the other, each half of the time."""

    p: float = 1.0
    mixup: float = 0.2
    cutmix: float = 1.0
    _op: ClassVar[str] = "mix_up_or_cut_mix"


def _around(given: Any) -> Any:
    """A range: what was given, or from minus to plus one number."""
    return (-given, given) if isinstance(given, (int, float)) else given


def steps(augment: Augment | Step | None) -> list[dict[str, Any]]:
    """The steps as plain data."""
    if augment is None:
        return []
    joined = augment if isinstance(augment, Augment) else Augment((augment,))
    other = next((step for step in joined.steps if not isinstance(step, Step)), None)
    if other is not None:
        message = f"augment is steps such as HorizontalFlip(), joined by |, and {other!r} is not a step; `transform` takes functions"
        raise UsageError("usage.argument", "usage", message)
    return [step._json() for step in joined.steps]
