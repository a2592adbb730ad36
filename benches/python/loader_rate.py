"""The Python loader with the settings of loader_rate.rs, and what Python itself costs a batch.

    python loader_rate.py FILE.tbl pictures|payloads WORKERS
"""

import json
import sys
import time
import zlib

import forebay


def checksum(batch):
    if kind == "pictures":
        return zlib.crc32(batch.images)
    found = 0
    for payload in batch.payloads:
        found ^= zlib.crc32(payload)
    return found


path, kind, workers = sys.argv[1:]
options = {}
if kind == "pictures":
    options = {
        "size": 224,
        "augment": forebay.RandomResizedCrop() | forebay.HorizontalFlip(),
        "normalize": "imagenet",
    }
loader = forebay.Loader(path, batch=64, shuffle=42, workers=int(workers), **options)
sums = [checksum(batch) for batch in loader]

begun = time.perf_counter()
samples = 0
for batch in loader:
    samples += len(batch.images) if kind == "pictures" else len(batch)
rate = samples / (time.perf_counter() - begun)


class Timed:
    """Takes the time of this thread inside of the library, where Python's lock is released, out of the count."""

    def __init__(self, core):
        self.core, self.inside = core, 0

    def next(self):
        begun = time.thread_time_ns()
        try:
            return self.core.next()
        finally:
            self.inside += time.thread_time_ns() - begun


# What is left of this thread's processor time: the iterator, the batch, its array.
core = loader._core
core.begin(2)
timed = Timed(core)
loader._core_of, loader._turn = timed, loader._turn + 1
steps = loader._epoch(timed, loader._turn)
begun, batches = time.thread_time_ns(), 0
for batch in steps:
    batch.images if kind == "pictures" else len(batch)
    batches += 1
    del batch
spent = time.thread_time_ns() - begun - timed.inside
loader._core_of = core
print(json.dumps({"rate": round(rate, 1), "sums": sums, "python_us": round(spent / batches / 1000, 1)}))
