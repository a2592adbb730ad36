"""The same tensors as a warehouse's, as a script makes them: Pillow and NumPy in processes, into .npy files.

usage: warehouse_peers.py FOLDER OUT dtype=f32 side=384 workers=2 each=100

Every image of the folder, by name, is decoded, made to fit a square on black, and written channel by channel as
value / 255 (u8 as it is): one .npy for each so many images. Prints one line of JSON. Times leave out starting Python
and importing packages.
"""
import glob
import json
import multiprocessing
import os
import resource
import sys
import time

import numpy as np
from PIL import Image

DTYPES = {"f32": np.float32, "f16": np.float16, "u8": np.uint8}

folder, out = sys.argv[1:3]
options = dict(part.split("=", 1) for part in sys.argv[3:])
side, workers, each = (int(options[name]) for name in ("side", "workers", "each"))
dtype = DTYPES[options["dtype"]]


def tensor(path, to):
    with Image.open(path) as file:
        picture = file.convert("RGB")
    scale = min(np.float32(side) / np.float32(picture.width), np.float32(side) / np.float32(picture.height))
    size = [min(int(np.floor(np.float32(length) * scale + np.float32(0.5))), side) for length in picture.size]
    picture = picture.resize(size, Image.Resampling.BILINEAR)
    left, top = ((side - length) // 2 for length in size)
    planes = np.asarray(picture).transpose(2, 0, 1)
    to[...] = 0
    inside = to[:, top : top + size[1], left : left + size[0]]
    if dtype == np.uint8:
        inside[...] = planes
    else:
        np.divide(planes, np.float32(255), out=inside, casting="same_kind")


def write(job):
    number, paths = job
    block = np.empty((len(paths), 3, side, side), dtype)
    for path, to in zip(paths, block):
        tensor(path, to)
    np.save(os.path.join(out, f"{number:05}.npy"), block)
    return len(paths)


if __name__ == "__main__":
    os.makedirs(out)
    begun = time.perf_counter()
    files = sorted(glob.glob(f"{folder}/**/*.jpg", recursive=True))
    jobs = list(enumerate(files[k : k + each] for k in range(0, len(files), each)))
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        images = sum(pool.imap_unordered(write, jobs))
        pool.close()
        pool.join()
    seconds = time.perf_counter() - begun
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in used)
    print(json.dumps({"images": images, "seconds": seconds, "cpu_seconds": cpu}))
