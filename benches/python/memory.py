"""The most memory that a process with eight workers takes, over images and as many samples as ImageNet has.

    python memory.py PICTURES.tbl MANY.tbl
"""

import json
import resource
import sys

import forebay


def most():
    """The most that the process had in memory, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


pictures, many = sys.argv[1:]
before = most()
loader = forebay.Loader([pictures, many], batch=64, size=224, normalize="imagenet", workers=8)
batches = iter(loader)
# The pictures come first; the others have nothing that could be decoded.
for _ in range(min(12, len(forebay.open(pictures)) // 64 - 4)):
    next(batches).images
peak = most()
print(json.dumps({"samples": loader.epoch_samples, "peak_mib": round(peak, 1), "before_mib": round(before, 1)}))
