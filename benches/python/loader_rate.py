"""The Python loader with the settings of loader_rate.rs, and what Python itself costs a batch.

    python loader_rate.py FILE.tbl images|payloads|tiny WORKERS
    python loader_rate.py FILE.tbl make SAMPLES     a file of tiny raw images
"""

import json
import statistics
import sys
import time
import zlib

import forebay


def checksum(batch):
    if kind != "payloads":
        return zlib.crc32(batch.images)
    found = 0
    for payload in batch.payloads:
        found ^= zlib.crc32(payload)
    return found


path, kind, number = sys.argv[1:]
if kind == "make":
    import numpy as np

    with forebay.TblWriter(path) as writer:
        for i in range(int(number)):
            writer.add(np.full((8, 8, 3), i % 256, np.uint8), metadata={"cls": i % 10})
    sys.exit()
options, batch = {}, 64
if kind == "images":
    options = {
        "size": 224,
        "augment": forebay.RandomResizedCrop() | forebay.HorizontalFlip(),
        "normalize": "imagenet",
    }
elif kind == "tiny":
    options, batch = {"size": 8, "dtype": "u8"}, 8
loader = forebay.Loader(path, batch=batch, shuffle=42, workers=int(number), **options)
sums = [checksum(batch) for batch in loader]

begun = time.perf_counter()
samples = 0
for batch in loader:
    samples += len(batch) if kind == "payloads" else len(batch.images)
rate = samples / (time.perf_counter() - begun)


def loop():
    """An epoch in Python, with what a trainer takes of each batch."""
    begun = time.thread_time()
    for _ in loader if kind == "payloads" else loader.numpy():
        pass
    return time.thread_time() - begun


def drained():
    """An epoch on the same thread without Python: the same waiting, the same batches."""
    begun = time.thread_time()
    loader._core.begin(None)
    loader._core.drain()
    return time.thread_time() - begun


# Processor time of this thread, in turns: what a loop takes beyond the loader's own is Python's. A short epoch comes more often.
turns = max(5, min(25, 100 // len(loader)))
python = [(loop() - drained()) / len(loader) * 1e6 for _ in range(turns)]
print(json.dumps({"rate": round(rate, 1), "sums": sums, "python_us": round(statistics.median(python), 1)}))
