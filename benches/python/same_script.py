"""One script for both packages: what a user of the TBL readers and writers does, with one import changed.

    python same_script.py turboloader|forebay.compat.turboloader FILE.tbl FOLDER

Reads every sample and writes them again, without compression. Prints one line of JSON: seconds of either, and a checksum of what
was read, and of what was written once it is read back.
"""

import importlib
import json
import os
import sys
import time
import zlib

package, path, folder = sys.argv[1:]
turboloader = importlib.import_module(package)


def read(path):
    reader = turboloader.TblReaderV2(path)
    return [reader.read_sample(i) for i in range(reader.num_samples())]


begun = time.perf_counter()
samples = read(path)
reading = time.perf_counter() - begun

made = os.path.join(folder, f"same-{os.getpid()}.tbl")
begun = time.perf_counter()
writer = turboloader.TblWriterV2(made, False)
for sample in samples:
    writer.add_sample(sample, turboloader.SampleFormat.JPEG)
writer.finalize()
writing = time.perf_counter() - begun
del writer

again = read(made)
os.remove(made)
sums = [zlib.crc32(b"".join(all_of)) for all_of in (samples, again)]
print(json.dumps({"samples": len(samples), "reading": reading, "writing": writing, "sums": sums}))
