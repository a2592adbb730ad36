"""What benches/remote.mjs measures beside Forebay: other loaders that read from a store.

    remote_peers.py write|read streaming|litdata|webdataset BUCKET URL SAMPLES CACHE

`write` makes samples of 100 kB in the loader's own format, once; `read` reads them in two epochs with two workers, in
batches of 64, and keeps what it read in CACHE. It prints one line of JSON.
"""

import importlib
import json
import os
import random
import sys
import time

BYTES = 100_000
BATCH = 64
WORKERS = 2


def samples(n):
    noise = random.Random(1)
    return (noise.randbytes(BYTES) for _ in range(n))


def sample(number):
    """One sample of LitData, which wants a function."""
    return {"payload": random.Random(number).randbytes(BYTES)}


def write(kind, folder, n):
    if os.path.exists(folder):
        return
    if kind == "streaming":
        from streaming import MDSWriter

        with MDSWriter(out=folder, columns={"payload": "bytes"}) as out:
            for payload in samples(n):
                out.write({"payload": payload})
    elif kind == "litdata":
        import litdata

        litdata.optimize(sample, list(range(n)), folder, chunk_bytes="64MB", num_workers=1)
    else:
        import webdataset

        os.makedirs(folder)
        pattern = os.path.join(folder, "%05d.tar")
        with webdataset.ShardWriter(pattern, maxcount=n // 16, verbose=0) as out:
            for number, payload in enumerate(samples(n)):
                out.write({"__key__": f"{number:08d}", "payload": payload})


def loader(kind, bucket, url, n, cache):
    from torch.utils.data import DataLoader

    if kind == "streaming":
        from streaming import StreamingDataset

        data = StreamingDataset(
            remote=f"s3://bucket/{kind}", local=cache, shuffle=True, shuffle_seed=7, batch_size=BATCH, download_retry=5
        )
    elif kind == "litdata":
        import litdata
        from litdata.streaming import downloader

        # The client that it takes chunks by refuses plain HTTP unless it is told otherwise, and it has no setting for that.
        downloader._OBSTORE_CLIENT_OPTIONS["allow_http"] = True
        data = litdata.StreamingDataset(
            f"s3://bucket/{kind}",
            cache_dir=cache,
            shuffle=True,
            seed=7,
            max_cache_size="50GB",
            storage_options={"endpoint_url": url},
        )
        return litdata.StreamingDataLoader(data, batch_size=BATCH, num_workers=WORKERS, collate_fn=list)
    else:
        import webdataset

        shards = sorted(name for name in os.listdir(os.path.join(bucket, kind)) if name.endswith(".tar"))
        urls = [f"{url}/bucket/{kind}/{name}" for name in shards]
        os.makedirs(cache, exist_ok=True)
        data = webdataset.WebDataset(urls, shardshuffle=len(urls), seed=7, cache_dir=cache).shuffle(1000)
    return DataLoader(data, batch_size=BATCH, num_workers=WORKERS, collate_fn=list)


def read(kind, bucket, url, n, cache):
    # A process that trains has imported what it needs: transformers alone, which MosaicML's package wants, takes seconds.
    for module in ("torch.utils.data", kind):
        importlib.import_module(module)
    begun = time.monotonic()
    batches = loader(kind, bucket, url, n, cache)
    found = {}
    for epoch in ("first", "second"):
        count, size = 0, 0
        for batch in batches:
            count += len(batch)
            size += sum(len(item["payload"]) for item in batch)
        now = time.monotonic()
        found[epoch], begun = now - begun, now
        if size != count * BYTES or count < n * 0.95:
            raise SystemExit(f"{kind} gave {count} samples of {size} bytes, and there are {n}")
    return found


def main():
    _, what, kind, bucket, url, n, cache = sys.argv
    if what == "write":
        write(kind, os.path.join(bucket, kind), int(n))
        answer = {"written": kind}
    else:
        answer = read(kind, bucket, url, int(n), cache)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
