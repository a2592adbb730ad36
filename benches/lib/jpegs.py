#!/usr/bin/env python3
"""Draws the images of benches/jpeg.mjs: what photographs are to a decoder, in 2.5 to 4 bits a pixel, baseline and progressive.

    python3 -m pip install pillow numpy
    python3 benches/lib/jpegs.py FOLDER
"""
import pathlib
import sys

import numpy as np
from PIL import Image

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)


def noise(rng, height, width, slope):
    """Noise whose amplitude falls with frequency, as that of photographs does."""
    squared = np.fft.fftfreq(height)[:, None] ** 2 + np.fft.fftfreq(width)[None, :] ** 2
    squared[0, 0] = 1
    values = np.fft.ifft2(np.fft.fft2(rng.normal(size=(height, width))) / squared ** (slope / 2)).real
    return (values - values.mean()) / values.std()


def photo(seed, width, height):
    rng = np.random.default_rng(seed)
    y = 128 + 45 * noise(rng, height, width, 1.15)
    rows, columns = np.mgrid[0:height, 0:width]
    for _ in range(12):
        x0, y0, r = rng.uniform(0, width), rng.uniform(0, height), rng.uniform(20, min(width, height) / 3)
        inside = (columns - x0) ** 2 + (rows - y0) ** 2 < r * r
        y[inside] = y[inside] * 0.6 + rng.uniform(0, 110)
    cb, cr = (128 + 18 * noise(rng, height, width, 1.6) for _ in range(2))
    return Image.fromarray(np.stack([y, cb, cr], 2).clip(0, 255).astype(np.uint8), "YCbCr").convert("RGB")


for seed, (width, height) in [(n, (500, 375)) for n in range(8)] + [(n, (3000, 2000)) for n in range(100, 102)]:
    picture = photo(seed, width, height)
    for name, progressive in [("baseline", False), ("progressive", True)]:
        for sampling, quality in [(2, 85), (0, 92)]:
            path = folder / f"{name}-{width}-{seed}-{sampling}.jpg"
            picture.save(path, quality=quality, subsampling=sampling, progressive=progressive)
