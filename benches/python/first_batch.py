"""From the import of the package to the first batch, in milliseconds.

    python first_batch.py FILE.tbl [MODULE, imported before]
"""

import importlib
import json
import sys
import time

path, *before = sys.argv[1:]
for name in before:
    importlib.import_module(name)

begun = time.perf_counter()
import forebay  # noqa: E402

imported = time.perf_counter()
loader = forebay.Loader(path, batch=64, size=224, normalize="imagenet", shuffle=42, workers=2)
first = next(iter(loader)).images
float(first[0, 0, 0, 0])
now = time.perf_counter()
print(json.dumps({"ms": round((now - begun) * 1000, 1), "import_ms": round((imported - begun) * 1000, 1)}))
