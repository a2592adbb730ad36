"""The other side of the benchmark: the real `turboloader` package, as its users use it.

usage: peer.py convert TAR TBL none|lz4 | read TBL | hash TBL

Times leave out starting Python and importing the package.
"""
import hashlib
import json
import random
import resource
import sys
import tarfile
import time

import turboloader as t


def convert(source, target, compression):
    begun = time.perf_counter()
    writer = t.TblWriterV2(target, enable_compression=compression == "lz4")
    samples = 0
    with tarfile.open(source) as archive:
        for member in archive:
            if member.name.endswith(".jpg"):
                writer.add_sample(archive.extractfile(member).read(), t.SampleFormat.JPEG)
                samples += 1
    writer.finalize()
    return {"samples": samples, "seconds": time.perf_counter() - begun}


def read(path):
    reader = t.TblReaderV2(path, verify_checksums=True)
    order = list(range(reader.num_samples()))
    random.Random(1).shuffle(order)
    begun = time.perf_counter()
    size = 0
    for i in order:
        size += len(reader.read_sample(i))
    return {"samples": len(order), "bytes": size, "seconds": time.perf_counter() - begun}


def hashes(path):
    reader = t.TblReaderV2(path, verify_checksums=True)
    samples = range(reader.num_samples())
    return {"sha256": [hashlib.sha256(reader.read_sample(i)).hexdigest() for i in samples]}


started = resource.getrusage(resource.RUSAGE_SELF)
result = {"convert": convert, "read": read, "hash": hashes}[sys.argv[1]](*sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_SELF)
result["cpu_seconds"] = used.ru_utime + used.ru_stime - started.ru_utime - started.ru_stime
result["peak_bytes"] = used.ru_maxrss * 1024
print(json.dumps(result))
